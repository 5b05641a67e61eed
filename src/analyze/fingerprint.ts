import { hashesOf, type TermCounts } from '../core/index.ts';

/** Maximum weight of a stem, in four bits: one word repeated a hundred times must not dominate the fingerprint. */
const MAX_WEIGHT = 8;
/** The lowest bit of each byte. */
const LOWEST = 0x01010101;
/** Number of stems whose weights fit one byte. */
const STEMS_A_BYTE = 31;

/**
 * 64-bit simhash (Charikar 2002) of a document's stems: bit b is set if stems whose hash has it outweigh the others;
 * weights are counts. Pages that differ in a few words differ in a few bits.
 */
export function simhash(terms: TermCounts): readonly [number, number] {
  const { counts } = terms;
  const hashes = hashesOf(terms);
  let total = 0;
  for (let i = 0; i < counts.length; i++) total += Math.min(MAX_WEIGHT, counts[i]!);
  return [majority(sums(counts, hashes, 0), total), majority(sums(counts, hashes, 1), total)];
}

/**
 * Returns for each bit the total weight of the stems whose hash has it. Adds four sums at a time in the bytes of one
 * number.
 */
function sums(counts: Uint16Array, hashes: Uint32Array, which: 0 | 1): Int32Array {
  const whole = new Int32Array(32);
  for (let from = 0; from < counts.length; from += STEMS_A_BYTE) {
    const to = Math.min(counts.length, from + STEMS_A_BYTE);
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    let e = 0;
    let f = 0;
    let g = 0;
    let h = 0;
    for (let i = from; i < to; i++) {
      const bits = hashes[2 * i + which]!;
      const weight = Math.min(MAX_WEIGHT, counts[i]!);
      a = (a + Math.imul(bits & LOWEST, weight)) | 0;
      b = (b + Math.imul((bits >>> 1) & LOWEST, weight)) | 0;
      c = (c + Math.imul((bits >>> 2) & LOWEST, weight)) | 0;
      d = (d + Math.imul((bits >>> 3) & LOWEST, weight)) | 0;
      e = (e + Math.imul((bits >>> 4) & LOWEST, weight)) | 0;
      f = (f + Math.imul((bits >>> 5) & LOWEST, weight)) | 0;
      g = (g + Math.imul((bits >>> 6) & LOWEST, weight)) | 0;
      h = (h + Math.imul((bits >>> 7) & LOWEST, weight)) | 0;
    }
    const fours = [a, b, c, d, e, f, g, h];
    for (let bit = 0; bit < 32; bit++) whole[bit]! += (fours[bit & 7]! >>> (bit & 24)) & 255;
  }
  return whole;
}

function majority(whole: Int32Array, total: number): number {
  let half = 0;
  for (let bit = 0; bit < 32; bit++) if (2 * whole[bit]! > total) half |= 1 << bit;
  return half >>> 0;
}
