import { clip, foldLine } from '../fold.ts';
import type { Source } from './statements.ts';

const MAX_AUTHORS = 30;
const MAX_AUTHOR_CHARS = 100;
/** These name one author per tag, some with the family name first. */
const ONE_EACH: ReadonlySet<Source> = new Set(['citation', 'dublin-core', 'json-ld', 'microdata']);
const BY =
  /^(?:(?:written|posted|published|submitted|veröffentlicht|eingestellt|gepostet|geschrieben|verfasst|erstellt|gespeichert|publié|publicado|escrito|scritto)\s+)?(?:by|von|par|por|di|da|door|autor(?:in|es)?|authors?|auteurs?|text|words)(?::\s*|\s+)/iu;
/** Words before a name, or in its place. */
const LABEL =
  /^(?:by|von|vom|par|por|di|da|door|do|autor(?:in|en|es)?|authors?|auteurs?|autore|autori|text|words|posted|written|published|beitrag|artikel|article|stand|über|about|autoreninfo|redaktion|comments?|kommentare?|share|teilen)(?: by| von| par| por)?:?$/iu;
/** Names of companies and societies. */
const LEGAL_FORM = /\b(?:gmbh|mbh|inc|ltd|llc|plc|e\.\s?v|ag|kg|s\.a|s\.r\.l|b\.v)\b\.?(?:,|$)/i;
/** What follows a name in a line that a class names so. */
const AFTER_NAME = / ?(?:[|•·–—/(<>:]|\s-\s|,? ?\d|\s(?:on|am|vom|at|um|le|el|il)\s).*$/u;
const MAX_NAME_WORDS = 5;
/** Links to all posts of an author, as blog programs write them: `View all posts by Ada Byron`. */
const ALL_POSTS =
  /^(?:view|show|see|zeige|alle|voir|ver|afficher)\b.{0,40}\b(?:posts?|articles?|entries|beiträge|artikel|entradas|publications)\b\s*(?:by|of|von|de|par|por)?\s*|^(?:afficher mon profil|view my (?:complete )?profile|mein profil)\b.*$/iu;
/** Programs and placeholders, not people. */
const PLACEHOLDER =
  /^(?:\w*admin(?:istrator)?|webmaster|author|user|unknown|anonymous|editor|staff|null|undefined|n\/?a|root|owner|-)$/i;

/** Returns the distinct names in these statements, in their order. */
export function readAuthors(values: readonly string[], source: Source): readonly string[] {
  const authors = new Map<string, string>();
  for (const value of values) {
    const whole = foldLine(value.slice(0, MAX_AUTHOR_CHARS * MAX_AUTHORS)).replace(BY, '');
    for (const name of namesIn(source === 'class' ? whole.replace(AFTER_NAME, '') : whole, source)) {
      const author = givenNameFirst(name.replace(ALL_POSTS, '').replace(BY, '').replace(/\s*→$/, ''), source);
      if (isName(author) && (source !== 'class' || isShownName(author)) && authors.size < MAX_AUTHORS)
        authors.set(author.toLowerCase(), author);
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

/** A class may name a box with a text about the author. */
function isShownName(text: string): boolean {
  const words = text.split(/\s+/);
  const isNamed =
    (words.length === 1 && text.length > 2) || words.filter((word) => /^\p{Lu}|^\p{Lo}/u.test(word)).length >= 2;
  return isNamed && words.length <= MAX_NAME_WORDS && !/[?!"„“:]|\.$/.test(text);
}

/** Addresses and mail addresses are not names. */
function isName(text: string): boolean {
  return (
    /\p{L}{2}/u.test(text) &&
    !/[/@<>{}→]|https?:|\[at\]/.test(text) &&
    !PLACEHOLDER.test(text) &&
    !LABEL.test(text) &&
    !LEGAL_FORM.test(text) &&
    text.length < MAX_AUTHOR_CHARS
  );
}
