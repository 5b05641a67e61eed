import { hash } from 'node:crypto';
import { hashesOf, type TermCounts } from '../core/index.ts';

/** 32 hex digits (half of a SHA-256) over a text in UTF-8; `''` for no text. */
export function contentHash(text: Uint8Array): string {
  return text.length === 0 ? '' : hash('sha256', text, 'hex').slice(0, 32);
}

/** A stem weighs at most this much, in four bits: one word said a hundred times must not be the whole fingerprint. */
const MAX_WEIGHT = 8;
/** Bits of a sum of weights: 50,000 stems at weight 8, with room. */
const PLANES = 24;

/**
 * 64-bit simhash (Charikar 2002) of a document's stems: bit b is set when stems that have it outweigh those that have
 * not, weights being counts. Pages that differ in a few words differ in a few bits.
 */
export function simhash(terms: TermCounts): readonly [number, number] {
  const { counts } = terms;
  const hashes = hashesOf(terms);
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += Math.min(MAX_WEIGHT, counts[i]!);
  return [majority(sums(counts, hashes, 0), total), majority(sums(counts, hashes, 1), total)];
}

/**
 * 32 sums at once, one for each bit of the stems' hashes: bit b of plane k is bit k of the sum for bit b. The four lowest
 * planes are added by hand, the rest only when those are full.
 */
function sums(counts: Uint16Array, hashes: Uint32Array, which: 0 | 1): Int32Array {
  const planes = new Int32Array(PLANES);
  let ones = 0;
  let twos = 0;
  let fours = 0;
  let eights = 0;
  for (let i = 0; i < counts.length; i++) {
    const bits = hashes[2 * i + which]!;
    const weight = Math.min(MAX_WEIGHT, counts[i]!);
    let add = weight & 1 ? bits : 0;
    let carry = ones & add;
    ones ^= add;
    add = weight & 2 ? bits : 0;
    let next = (twos & add) | (carry & (twos ^ add));
    twos ^= add ^ carry;
    carry = next;
    add = weight & 4 ? bits : 0;
    next = (fours & add) | (carry & (fours ^ add));
    fours ^= add ^ carry;
    carry = next;
    add = weight & 8 ? bits : 0;
    next = (eights & add) | (carry & (eights ^ add));
    eights ^= add ^ carry;
    for (let k = 4; next !== 0; k++) {
      const old = planes[k]!;
      planes[k] = old ^ next;
      next &= old;
    }
  }
  planes.set([ones, twos, fours, eights]);
  return planes;
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
