/** Fields of a page that decide whether it is a near duplicate. */
export interface Comparable {
  /** Equal for equal texts, `''` without text. */
  readonly contentHash: string;
  /** 64 bits, most of which similar texts share. */
  readonly simhash: readonly [number, number];
  /** Content words of the page. */
  readonly tokens: number;
}

/** Maximum number of differing bits of near duplicates (Manku et al. 2007, for 64 bits). */
const NEAR_BITS = 3;
/** Fingerprints of shorter texts are unreliable, so these must be equal. */
export const LEAST_TOKENS = 30;

/** Returns whether two pages have the same text, or nearly so. */
export function isAlike(a: Comparable, b: Comparable): boolean {
  if (a.contentHash !== '' && a.contentHash === b.contentHash) return true;
  if (a.tokens < LEAST_TOKENS || b.tokens < LEAST_TOKENS) return false;
  const [high, low] = a.simhash;
  return bits(high ^ b.simhash[0]) + bits(low ^ b.simhash[1]) <= NEAR_BITS;
}

/** Returns the number of set bits in a 32-bit number. */
function bits(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
