import { HASH_START, hashStep, mix32 } from './hash.ts';
import { sortByDigit } from './sorted-numbers.ts';

/** Bits of a pair's number. For a page with 1,000 different pairs, one in 1,000 absent pairs seems present. */
export const PAIR_BITS = 20;

const HALF_BITS = PAIR_BITS / 2;
const WORD = /[\p{L}\p{N}]/u;

/** By code unit: the value of a character within a word; {@link BETWEEN} between words; 0 if not computed yet. */
const kinds = new Int32Array(0x10000);
const BETWEEN = -1;
/** Common value of all letters outside of the first plane, which take two units. */
const ASTRAL = 0x10000;

let found = new Uint32Array(1 << 12);
let sorted = new Uint32Array(1 << 12);

/**
 * Returns the numbers of all pairs of consecutive words, ascending, distinct. A word is a run of letters and digits;
 * case is ignored. Two pairs may share a number: a text without a pair's number does not contain the pair, a text
 * with it may.
 * @param texts the last word of one text and the first word of the next are a pair as well
 */
export function wordPairs(...texts: readonly string[]): Uint32Array<ArrayBuffer> {
  const trail = new WordTrail();
  for (const text of texts) {
    const chars = new Uint16Array(text.length);
    for (let i = 0; i < chars.length; i++) chars[i] = text.charCodeAt(i);
    trail.read(chars, 0, chars.length);
  }
  return trail.pairs();
}

/** Hashes of a document's words, in order; reused for the next document. */
export class WordTrail {
  #words = new Int32Array(1 << 10);
  #size = 0;

  clear(): void {
    this.#size = 0;
  }

  /** @param word `hashStep` over its lower-case letters; an ASCII digit or letter is its own unit */
  push(word: number): void {
    if (this.#size === this.#words.length) {
      const bigger = new Int32Array(2 * this.#words.length);
      bigger.set(this.#words);
      this.#words = bigger;
    }
    this.#words[this.#size++] = word;
  }

  /**
   * Adds the words that start in `chars[from … to)`.
   * @param end end of the text, to which the last word may extend
   * @returns the end of the last word, at least `to`
   */
  read(chars: Uint16Array, from: number, to: number, end: number = to): number {
    let at = from;
    while (at < to) {
      const start = at;
      let word = HASH_START;
      for (let kind = kindAt(chars, at, end); kind !== BETWEEN; kind = kindAt(chars, at, end)) {
        word = hashStep(word, kind);
        at += kind === ASTRAL ? 2 : 1;
      }
      if (at > start) this.push(word);
      else at++;
    }
    return at;
  }

  /** See {@link wordPairs}. */
  pairs(): Uint32Array<ArrayBuffer> {
    const words = this.#words;
    const count = Math.max(0, this.#size - 1);
    reserve(count);
    for (let i = 0; i < count; i++) found[i] = pairOf(words[i]! | 1, words[i + 1]!);
    return distinct(count);
  }
}

/** The order matters, or `hub dynamo` would be found for `dynamo hub`. */
function pairOf(first: number, second: number): number {
  return mix32(Math.imul(first, 0x9e3779b1) ^ second) >>> (32 - PAIR_BITS);
}

/** Sorts the numbers, by their lower and then their upper half, and removes duplicates. */
function distinct(count: number): Uint32Array<ArrayBuffer> {
  sortByDigit(found, sorted, { count, shift: 0, bits: HALF_BITS });
  sortByDigit(sorted, found, { count, shift: HALF_BITS, bits: HALF_BITS });
  let kept = 0;
  for (let i = 0; i < count; i++) if (i === 0 || found[i] !== found[i - 1]) sorted[kept++] = found[i]!;
  return sorted.slice(0, kept);
}

function kindAt(chars: Uint16Array, at: number, end: number): number {
  if (at >= end) return BETWEEN;
  const unit = chars[at]!;
  if (unit >= 0xd800 && unit < 0xdc00) return at + 1 < end ? astralKind(unit, chars[at + 1]!) : BETWEEN;
  return kinds[unit]! || kindOf(unit);
}

function astralKind(high: number, low: number): number {
  const isPair = low >= 0xdc00 && low <= 0xdfff;
  return isPair && WORD.test(String.fromCharCode(high, low)) ? ASTRAL : BETWEEN;
}

function kindOf(code: number): number {
  const letter = String.fromCharCode(code);
  kinds[code] = WORD.test(letter) ? folded(letter) : BETWEEN;
  return kinds[code]!;
}

/** At least as coarse as the matching of a regular expression with the flags `i` and `u`. */
function folded(letter: string): number {
  const upper = letter.toUpperCase();
  const one = upper.length === 1 ? upper : letter;
  const lower = one.toLowerCase();
  return (lower.length === 1 ? lower : one).charCodeAt(0);
}

function reserve(pairs: number): void {
  if (pairs <= found.length) return;
  found = new Uint32Array(2 * pairs);
  sorted = new Uint32Array(2 * pairs);
}
