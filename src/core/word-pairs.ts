import { sortByDigit } from './sorted-numbers.ts';

/** Bits of a pair's number. Of a page with 1,000 different pairs one pair in 1,000 that it has not seems to be there. */
export const PAIR_BITS = 20;

const HALF_BITS = PAIR_BITS / 2;
/** As a signed number: all that counts words stays within 32 bits. */
const FNV_BASIS = 0x811c9dc5 | 0;
const FNV_PRIME = 0x01000193;
const WORD = /[\p{L}\p{N}]/u;

/** By byte: what a letter or digit of ASCII counts as in a word; 0 for all others. Made at the first text. */
const ascii = new Uint8Array(256);
/** By code point: what a character counts as in a word; {@link BETWEEN} between words; 0: nobody looked yet. */
const kinds = new Int32Array(0x10000);
const BETWEEN = -1;
/** What a letter beyond the first plane counts as: all of them are one. */
const ASTRAL = 0x10000;

let found = new Uint32Array(1 << 12);
let sorted = new Uint32Array(1 << 12);

/**
 * Numbers of all pairs of words that follow each other, ascending, each once. A word is a run of letters and digits, in
 * any case. Two pairs may share a number: a text without a pair's number has not got the pair, one with it may have it.
 * @param texts in UTF-8; the last word of one and the first word of the next are a pair as well
 */
export function wordPairs(...texts: readonly Uint8Array[]): Uint32Array<ArrayBuffer> {
  if (ascii[48] === 0) for (let code = 0; code < 128; code++) ascii[code] = Math.max(0, kindOf(code));
  // Two bytes of a text hold one word at the most.
  reserve(1 + texts.reduce((sum, text) => sum + (text.length >>> 1) + 1, 0));
  let count = 0;
  let before = 0;
  for (const text of texts) {
    const end = text.length;
    for (let at = 0; at < end; ) {
      const start = at;
      let word = FNV_BASIS;
      for (;;) {
        // Nearly all text is ASCII.
        for (let letter = at < end ? ascii[text[at]!]! : 0; letter !== 0; letter = ++at < end ? ascii[text[at]!]! : 0)
          word = Math.imul(word ^ letter, FNV_PRIME);
        if (at >= end || text[at]! < 128) break;
        const kind = kindAt(text, at);
        if (kind === BETWEEN) break;
        word = Math.imul(word ^ kind, FNV_PRIME);
        at += 1 + bytesBehind(text[at]!);
      }
      if (at > start) {
        if (before !== 0) found[count++] = pairOf(before, word);
        // Zero says that there is no word before.
        before = word | 1;
      }
      at += at < end && text[at]! >= 128 ? 1 + bytesBehind(text[at]!) : 1;
    }
  }
  return distinct(count);
}

/** Tells which of the two comes first, or `hub dynamo` were found for `dynamo hub`. */
function pairOf(first: number, second: number): number {
  let h = Math.imul(first, 0x9e3779b1) ^ second;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> (32 - PAIR_BITS);
}

/** Sorts what was found, by its lower and then its upper half, and leaves out what comes again. */
function distinct(count: number): Uint32Array<ArrayBuffer> {
  sortByDigit(found, sorted, { count, shift: 0, bits: HALF_BITS });
  sortByDigit(sorted, found, { count, shift: HALF_BITS, bits: HALF_BITS });
  let kept = 0;
  for (let i = 0; i < count; i++) if (i === 0 || found[i] !== found[i - 1]) sorted[kept++] = found[i]!;
  return sorted.slice(0, kept);
}

function kindAt(text: Uint8Array, at: number): number {
  const byte = text[at]!;
  let code = byte & (0x7f >> bytesBehind(byte));
  for (let i = 1; i <= bytesBehind(byte); i++) code = code * 64 + ((text[at + i] ?? 0) & 0x3f);
  if (code > 0xffff) return WORD.test(String.fromCodePoint(Math.min(code, 0x10ffff))) ? ASTRAL : BETWEEN;
  return kinds[code]! || kindOf(code);
}

function bytesBehind(byte: number): number {
  return byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
}

function kindOf(code: number): number {
  const letter = String.fromCharCode(code);
  kinds[code] = WORD.test(letter) ? folded(letter) : BETWEEN;
  return kinds[code]!;
}

/** At least as coarse as what a regular expression with the flags `i` and `u` takes for equal. */
function folded(letter: string): number {
  const upper = letter.toUpperCase();
  const one = upper.length === 1 ? upper : letter;
  const lower = one.toLowerCase();
  return (lower.length === 1 ? lower : one).charCodeAt(0);
}

function reserve(words: number): void {
  if (words <= found.length) return;
  found = new Uint32Array(2 * words);
  sorted = new Uint32Array(2 * words);
}
