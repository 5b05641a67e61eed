import { HASH_START, hashStep, isAscii, type Link, mix32 } from '../../core/index.ts';

/** `hash32` of the stems of a text in a language (`''` = unknown); may be lost with the next call. */
export type StemHashes = (text: string, language: string) => ArrayLike<number>;

/** Different words, hashed to 16 bits each: two bytes a word, for there is a set of them for every text of every waiting link. */
export const WORD_SLOTS: number = 1 << 16;

/** Words of one text that are read at the most. */
export const MAX_WORDS = 48;

/** Distinct words of one text: `units[from … to)`. */
export interface Words {
  readonly units: Uint16Array;
  readonly from: number;
  readonly to: number;
}

/** Stands in a link's context where the link itself stood. */
const PLACE = '…';

/** Characters on each side of a link within which its two neighbouring words are looked for. */
const BESIDE = 24;

/** Number of a word with this hash, in [0, `WORD_SLOTS`). */
export function wordSlot(hash: number): number {
  return hash & (WORD_SLOTS - 1);
}

/** Sets of words one behind the other, in memory that is used again and again. */
export class WordSets {
  units: Uint16Array = new Uint16Array(1 << 10);
  /** End of the last set. */
  end = 0;

  clear(): void {
    this.end = 0;
  }

  /** Appends the first distinct words, {@link MAX_WORDS} at the most. @returns where they end */
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

  /** Appends both sets as one, the older words first, {@link MAX_WORDS} at the most. @returns how many there are */
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
      const { units } = this; // Others may still read it: it is not freed.
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

/** Features of one place; used again by the next call. */
const features = new Uint32Array(9);

/**
 * How a link stands in its sentence, as hashes: the words right before and after it, stop words included ("by …", "… Inc."), and
 * the shape of its anchor. Links of one kind stand in the same places, whatever they are called. Valid until the next call.
 */
export function placeOf({ anchor, context }: Pick<Link, 'anchor' | 'context'>): Uint32Array {
  const gap = context.indexOf(PLACE);
  const before = gap < 0 ? [] : tokens(context.slice(Math.max(0, gap - BESIDE), gap));
  const after = gap < 0 ? [] : tokens(context.slice(gap + 1, gap + 1 + BESIDE));
  const own = tokens(anchor);
  const left = before.at(-1) ?? '';
  const right = after[0] ?? '';
  const shape = SHAPES[shapeOf(anchor)];
  features[0] = mix32(read(LEFT, left));
  features[1] = mix32(read(hashStep(read(LEFT, before.at(-2) ?? ''), SPACE), left));
  features[2] = mix32(read(RIGHT, right));
  features[3] = mix32(read(hashStep(read(RIGHT, right), SPACE), after[1] ?? ''));
  features[4] = mix32(shape);
  features[5] = mix32(read(hashStep(shape, SPACE), left));
  features[6] = mix32(LENGTHS[Math.min(MAX_LENGTH, own.length)]!);
  features[7] = mix32(read(FIRST, own[0] ?? ''));
  features[8] = mix32(read(LAST, own.at(-1) ?? ''));
  return features;
}

/** FNV-1a that goes on from where it stood, so that no text is put together to be hashed. */
function read(hash: number, text: string): number {
  let h = hash;
  for (let i = 0; i < text.length; i++) h = hashStep(h, text.charCodeAt(i));
  return h;
}

const begun = (text: string): number => read(HASH_START, text);
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

function tokens(text: string): readonly string[] {
  const lower = text.toLowerCase();
  return isAscii(text) ? plainTokens(lower) : (lower.match(TOKENS) ?? []);
}

const TOKENS = /[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu;
const SPACE = 32;

/** What the pattern finds in lower-case ASCII, several times faster. */
function plainTokens(text: string): readonly string[] {
  const found: string[] = [];
  for (let i = 0; i < text.length; ) {
    const from = i;
    while (i < text.length && isPlainWord(text.charCodeAt(i))) i++;
    if (i > from) found.push(text.slice(from, i));
    else if (!isPlainSpace(text.charCodeAt(i++))) found.push(text[from]!);
  }
  return found;
}

function isPlainWord(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || isDigit(unit);
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

/** The same for an anchor of ASCII, which has no line breaks: faster. */
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
