import type { Link } from '../../core/index.ts';
import { HASH_START, hashStep, isAscii, mix32 } from '../../kit/index.ts';

/** Returns `hash32` of the stems of a text in a language (`''` = unknown). The result is valid until the next call. */
export type StemHashes = (text: string, language: string) => ArrayLike<number>;

/**
 * Number of word slots. Words are hashed to 16 bits, two bytes per word, because every text of every waiting link has
 * a set.
 */
export const WORD_SLOTS: number = 1 << 16;

/** Maximum number of words read per text. */
export const MAX_WORDS = 48;

/** Distinct words of one text: `units[from … to)`. */
export interface Words {
  readonly units: Uint16Array;
  readonly from: number;
  readonly to: number;
}

/** Marks the position of the link in its context. */
const PLACE = '…';

/** Number of characters on each side of a link that are searched for its neighbouring words. */
const BESIDE = 24;

/** Returns the slot of a word with this hash, in [0, `WORD_SLOTS`). */
export function wordSlot(hash: number): number {
  return hash & (WORD_SLOTS - 1);
}

/** Sets of words, stored consecutively in reused memory. */
export class WordSets {
  units: Uint16Array = new Uint16Array(1 << 10);
  /** End of the last set. */
  end = 0;

  clear(): void {
    this.end = 0;
  }

  /** Appends the first distinct words, at most {@link MAX_WORDS}. @returns where they end */
  add(hashes: ArrayLike<number>): number {
    const { units, from } = this.#room();
    let end = from;
    for (let i = 0; i < hashes.length && end - from < MAX_WORDS; i++) {
      const word = wordSlot(hashes[i]!);
      if (!contains(units, from, end, word)) units[end++] = word;
    }
    this.end = end;
    return end;
  }

  /** Appends the union of both sets, the older words first, at most {@link MAX_WORDS}. @returns the number of words */
  addUnion(older: Words, newer: Words): number {
    const { units, from } = this.#room();
    let end = from;
    for (let i = older.from; i < older.to; i++) units[end++] = older.units[i]!;
    const old = end;
    for (let i = newer.from; i < newer.to && end - from < MAX_WORDS; i++) {
      const word = newer.units[i]!;
      if (!contains(units, from, old, word)) units[end++] = word;
    }
    this.end = end;
    return end - from;
  }

  #room(): { readonly units: Uint16Array; readonly from: number } {
    if (this.end + MAX_WORDS > this.units.length) {
      const { units } = this; // Other readers may still use the old array, so it is not changed.
      this.units = new Uint16Array(2 * units.length);
      this.units.set(units);
    }
    return { units: this.units, from: this.end };
  }
}

function contains(units: Uint16Array, from: number, to: number, word: number): boolean {
  for (let i = from; i < to; i++) if (units[i] === word) return true;
  return false;
}

/** Features of one place; overwritten by the next call. */
const features = new Uint32Array(9);

/**
 * Returns the position of a link in its sentence, as hashes: the words just before and after it, including stop words
 * ("by …", "… Inc."), and the shape of its anchor. Links of one kind appear in similar positions, whatever their
 * text. Valid until the next call.
 */
export function placeOf({ anchor, context }: Pick<Link, 'anchor' | 'context'>): Uint32Array {
  const gap = context.indexOf(PLACE);
  const [left = NO_TOKEN, beforeLeft = NO_TOKEN] =
    gap < 0 ? [] : lastTokens(context, Math.max(0, gap - BESIDE), gap, 2);
  const [right = NO_TOKEN, afterRight = NO_TOKEN] = gap < 0 ? [] : firstTokens(context, gap + 1, gap + 1 + BESIDE, 2);
  const own = firstTokens(anchor, 0, anchor.length, MAX_LENGTH);
  const [last = NO_TOKEN] = lastTokens(anchor, 0, anchor.length, 1);
  const shape = SHAPES[shapeOf(anchor)];
  features[0] = mix32(read(LEFT, left));
  features[1] = mix32(read(hashStep(read(LEFT, beforeLeft), SPACE), left));
  features[2] = mix32(read(RIGHT, right));
  features[3] = mix32(read(hashStep(read(RIGHT, right), SPACE), afterRight));
  features[4] = mix32(shape);
  features[5] = mix32(read(hashStep(shape, SPACE), left));
  features[6] = mix32(LENGTHS[own.length]!);
  features[7] = mix32(read(FIRST, own[0] ?? NO_TOKEN));
  features[8] = mix32(read(LAST, last));
  return features;
}

/** A part of a text, compared in lower case. */
interface Token {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const NO_TOKEN: Token = { text: '', from: 0, to: 0 };

/** Continues an FNV-1a hash with a token, so that no text needs to be concatenated. */
function read(hash: number, { text, from, to }: Token): number {
  let h = hash;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    h = hashStep(h, isCapital(unit) ? unit + CASE : unit);
  }
  return h;
}

const begun = (text: string): number => {
  let h = HASH_START;
  for (let i = 0; i < text.length; i++) h = hashStep(h, text.charCodeAt(i));
  return h;
};
const LEFT = begun('left ');
const RIGHT = begun('right ');
const FIRST = begun('first ');
const LAST = begun('last ');
const MAX_LENGTH = 4;
const LENGTHS: readonly number[] = Array.from({ length: MAX_LENGTH + 1 }, (_, n) => begun(`length ${n}`));
type Shape = 'acronym' | 'title' | 'name' | 'plain';
const SHAPES: Readonly<Record<Shape, number>> = {
  acronym: begun('shape acronym'),
  title: begun('shape title'),
  name: begun('shape name'),
  plain: begun('shape plain'),
};

/** Returns the first tokens of a part of a text, at most `most`: words, and other characters one by one. */
function firstTokens(text: string, from: number, to: number, most: number): readonly Token[] {
  const end = Math.min(to, text.length);
  if (!isPlain(text, from, end)) return patternTokens(text.slice(from, end)).slice(0, most);
  const found: Token[] = [];
  for (let i = from; found.length < most; ) {
    while (i < end && isPlainSpace(text.charCodeAt(i))) i++;
    if (i >= end) break;
    const start = i;
    while (i < end && isPlainWord(text.charCodeAt(i))) i++;
    if (i === start) i++;
    found.push({ text, from: start, to: i });
  }
  return found;
}

/** Returns the last tokens, in reverse order. */
function lastTokens(text: string, from: number, to: number, most: number): readonly Token[] {
  if (!isPlain(text, from, to)) return patternTokens(text.slice(from, to)).slice(-most).reverse();
  const found: Token[] = [];
  for (let i = to; found.length < most; ) {
    while (i > from && isPlainSpace(text.charCodeAt(i - 1))) i--;
    if (i <= from) break;
    const end = i;
    while (i > from && isPlainWord(text.charCodeAt(i - 1))) i--;
    if (i === end) i--;
    found.push({ text, from: i, to: end });
  }
  return found;
}

/** Tokenises text that is not all ASCII; several times slower. */
function patternTokens(text: string): readonly Token[] {
  return (text.toLowerCase().match(TOKENS) ?? []).map((token) => ({ text: token, from: 0, to: token.length }));
}

const TOKENS = /[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;
const SPACE = 32;
/** Offset from a capital letter to its lower-case form. */
const CASE = 32;

function isPlain(text: string, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (text.charCodeAt(i) >= 128) return false;
  return true;
}

function isPlainWord(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || isDigit(unit) || isCapital(unit);
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function isCapital(unit: number): boolean {
  return unit >= 65 && unit <= 90;
}

function isPlainSpace(unit: number): boolean {
  return unit === SPACE || (unit >= 9 && unit <= 13);
}

function shapeOf(anchor: string): Shape {
  if (isAscii(anchor)) return plainShapeOf(anchor);
  if (!/^\p{Lu}/u.test(anchor)) return 'plain';
  if (/^\p{Lu}[\p{Lu}\p{N}./-]+$/u.test(anchor)) return 'acronym';
  return /^\p{Lu}.*\s\p{Lu}/u.test(anchor) ? 'title' : 'name';
}

/** Returns the shape of an ASCII anchor, which has no line breaks. Faster. */
function plainShapeOf(anchor: string): Shape {
  if (!isCapital(anchor.charCodeAt(0))) return 'plain';
  let isAcronym = anchor.length > 1;
  for (let i = 1; i < anchor.length; i++) {
    const unit = anchor.charCodeAt(i);
    if (isPlainSpace(unit) && isCapital(anchor.charCodeAt(i + 1))) return 'title';
    isAcronym &&= isCapital(unit) || (unit >= 45 && unit <= 57);
  }
  return isAcronym ? 'acronym' : 'name';
}

/** Returns the words of a URL's path: escapes are decoded, separators become spaces. */
export function urlText(url: string): string {
  const path = url.slice(url.indexOf('/', url.indexOf('//') + 2) + 1);
  let text = path;
  try {
    text = decodeURIComponent(path);
  } catch {
    // A malformed % escape must not lose the other words.
  }
  return text.replace(/\.[a-z]{2,5}$/i, ' ').replace(/[^\p{L}\p{N}]+/gu, ' ');
}
