import { hash } from 'node:crypto';
import type { StemCounter } from './features.ts';
import type { Vocabulary } from './vocabulary.ts';

/** 32 hex digits (half of a SHA-256) over a text; `''` for no text. */
export function contentHash(text: string): string {
  return text === '' ? '' : hash('sha256', text, 'hex').slice(0, 32);
}

/** A stem weighs at most this much: one word said a hundred times must not be the whole fingerprint. */
const MAX_WEIGHT = 8;
/** Bits of a sum of weights: 50,000 stems at weight 8, with room. */
const PLANES = 24;

/**
 * 64-bit simhash (Charikar 2002) of a document's stems: bit b is set when stems that have it outweigh those that have
 * not, weights being counts. Pages that differ in a few words differ in a few bits.
 */
export function simhash(counter: StemCounter, vocabulary: Vocabulary): readonly [number, number] {
  // 32 sums at once: bit b of plane k is bit k of the sum for bit b.
  const high = new Int32Array(PLANES);
  const low = new Int32Array(PLANES);
  let total = 0;
  for (const id of counter.seen) {
    const weight = Math.min(MAX_WEIGHT, counter.count(id));
    total += weight;
    for (let plane = 0; weight >>> plane > 0; plane++) {
      if (((weight >>> plane) & 1) === 0) continue;
      addAt(high, plane, vocabulary.hash(id, 0));
      addAt(low, plane, vocabulary.hash(id, 1));
    }
  }
  return [majority(high, total), majority(low, total)];
}

/** Adds 2^plane to the sums of the bits that are set in `bits`. */
function addAt(planes: Int32Array, plane: number, bits: number): void {
  let carry = bits;
  for (let k = plane; carry !== 0 && k < PLANES; k++) {
    const old = planes[k]!;
    planes[k] = old ^ carry;
    carry &= old;
  }
}

function majority(planes: Int32Array, total: number): number {
  let half = 0;
  for (let bit = 0; bit < 32; bit++) {
    let sum = 0;
    for (let k = 0; k < PLANES; k++) sum += ((planes[k]! >>> bit) & 1) << k;
    if (2 * sum > total) half |= 1 << bit;
  }
  return half >>> 0;
}
