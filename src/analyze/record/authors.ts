import { clip, foldLine } from '../fold.ts';
import type { Source } from './statements.ts';

const MAX_AUTHORS = 30;
const MAX_AUTHOR_CHARS = 100;
/** These name one author per tag, some with the family name first. */
const ONE_EACH: ReadonlySet<Source> = new Set(['citation', 'dublin-core', 'json-ld', 'microdata']);
const BY = /^(?:by|von|par|por|di|written by|text:)\s+/iu;
/** Links to all posts of an author, as blog programs write them: `View all posts by Ada Byron`. */
const ALL_POSTS =
  /^(?:view|show|see|zeige|alle|voir|ver|afficher)\b.{0,40}\b(?:posts?|articles?|entries|beiträge|artikel|entradas|publications)\b\s*(?:by|of|von|de|par|por)?\s*|^afficher mon profil.*$/iu;
/** Programs and placeholders, not people. */
const PLACEHOLDER =
  /^(?:admin(?:istrator)?|author|user|unknown|anonymous|editor|staff|null|undefined|n\/?a|root|owner|-)$/i;

/** Returns the distinct names in these statements, in their order. */
export function readAuthors(values: readonly string[], source: Source): readonly string[] {
  const authors = new Map<string, string>();
  for (const value of values) {
    for (const name of namesIn(foldLine(value.slice(0, MAX_AUTHOR_CHARS * MAX_AUTHORS)), source)) {
      const author = givenNameFirst(name.replace(ALL_POSTS, '').replace(BY, '').replace(/\s*→$/, ''), source);
      if (isName(author) && authors.size < MAX_AUTHORS) authors.set(author.toLowerCase(), author);
    }
  }
  return [...authors.values()];
}

function namesIn(text: string, source: Source): readonly string[] {
  const parts = text.split(/\s*[;|]\s*/);
  if (ONE_EACH.has(source)) return parts;
  return parts.flatMap((part) => part.split(/\s+(?:and|&|und|et|y)\s+/i)).flatMap(atCommas);
}

/** Splits `Ada Byron, Alan Turing`, but neither `Byron, Ada` nor `Alan Turing, PhD`. */
function atCommas(text: string): readonly string[] {
  const parts = text.split(/\s*,\s*/).filter((part) => part !== '');
  return parts.length > 1 && parts.every((part) => part.includes(' ')) ? parts : [text.replace(/,\s*$/, '')];
}

/** `Byron, Ada` becomes `Ada Byron` in data for catalogues. */
function givenNameFirst(name: string, source: Source): string {
  const parts = name.split(/\s*,\s*/);
  const isInverted = parts.length === 2 && (source === 'citation' || source === 'dublin-core');
  return clip(isInverted ? `${parts[1]} ${parts[0]}` : name, MAX_AUTHOR_CHARS).trim();
}

/** Addresses and mail addresses are not names. */
function isName(text: string): boolean {
  return (
    /\p{L}{2}/u.test(text) &&
    !/[/@<>{}→]|https?:|\[at\]/.test(text) &&
    !PLACEHOLDER.test(text) &&
    text.length < MAX_AUTHOR_CHARS
  );
}
