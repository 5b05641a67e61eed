import { hash32, isAscii, type Link } from '../../core/index.ts';

/**
 * Distinct words, hashed to 16 bits each and kept as the code units of a string: two bytes a word and no object, for
 * there is one such set for every text of every waiting link.
 */
export type Words = string;

/** Different hashes. */
export const WORD_SLOTS: number = 1 << 16;

/** Words of one text that are read at the most. */
export const MAX_WORDS = 48;

/** Hashed words of one link. */
export interface LinkWords {
  readonly anchor: Words;
  readonly context: Words;
  readonly place: Words;
}

/** Stands in a link's context where the link itself stood. */
const PLACE = '…';

/** Characters on each side of a link within which its two neighbouring words are looked for. */
const BESIDE = 24;

/** Number of a word, in [0, `WORD_SLOTS`). */
export function wordSlot(word: string): number {
  return hash32(word) & (WORD_SLOTS - 1);
}

/** The first `most` distinct words. */
export function hashWords(words: Iterable<string>, most: number = MAX_WORDS): Words {
  let hashes = '';
  for (const word of words) {
    if (hashes.length === most) break;
    const hash = String.fromCharCode(wordSlot(word));
    if (!hashes.includes(hash)) hashes += hash;
  }
  return flat(hashes);
}

/**
 * How a link stands in its sentence: the words right before and after it, stop words included ("by …", "… Inc."), and
 * the shape of its anchor. Links of one kind stand in the same places, whatever they are called.
 */
export function placeOf({ anchor, context }: Pick<Link, 'anchor' | 'context'>): Words {
  const gap = context.indexOf(PLACE);
  const before = gap < 0 ? [] : tokens(context.slice(Math.max(0, gap - BESIDE), gap));
  const after = gap < 0 ? [] : tokens(context.slice(gap + 1, gap + 1 + BESIDE));
  const own = tokens(anchor);
  const left = before.at(-1) ?? '';
  const right = after[0] ?? '';
  const shape = shapeOf(anchor);
  const features = [
    `left ${left}`,
    `left ${before.at(-2) ?? ''} ${left}`,
    `right ${right}`,
    `right ${right} ${after[1] ?? ''}`,
    `shape ${shape}`,
    `shape ${shape} ${left}`,
    `length ${Math.min(4, own.length)}`,
    `first ${own[0] ?? ''}`,
    `last ${own.at(-1) ?? ''}`,
  ];
  return hashWords(features);
}

function tokens(text: string): readonly string[] {
  return text.toLowerCase().match(isAscii(text) ? PLAIN_TOKENS : TOKENS) ?? [];
}

const TOKENS = /[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;
/** The same for text in ASCII, several times faster. */
const PLAIN_TOKENS = /[a-z0-9]+|[^\sa-z0-9]/g;

function shapeOf(anchor: string): 'acronym' | 'title' | 'name' | 'plain' {
  if (!/^\p{Lu}/u.test(anchor)) return 'plain';
  if (/^\p{Lu}[\p{Lu}\p{N}./-]+$/u.test(anchor)) return 'acronym';
  return /^\p{Lu}.*\s\p{Lu}/u.test(anchor) ? 'title' : 'name';
}

/** The words of a URL's path: escapes decoded, separators to spaces. */
export function urlText(url: string): string {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2) + 1);
  let text = path;
  try {
    text = decodeURIComponent(path);
  } catch {
    // A stray % is no reason to lose the other words.
  }
  return text.replace(/\.[a-z]{2,5}$/i, ' ').replace(/[^\p{L}\p{N}]+/gu, ' ');
}

/** Both sets in one, the older words first, at most `MAX_WORDS`. */
export function union(a: Words, b: Words): Words {
  if (a === '' || a === b) return b;
  let all = a;
  for (let i = 0; i < b.length && all.length < MAX_WORDS; i++) if (!a.includes(b[i]!)) all += b[i]!;
  return flat(all);
}

/** A concatenation keeps its parts alive until somebody asks for a number made of it. */
function flat(text: string): string {
  Number(text);
  return text;
}
