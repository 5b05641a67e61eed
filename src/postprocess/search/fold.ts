/** What folding needs of a page. */
export interface Foldable {
  /** Equal for equal texts, `''` for none. */
  readonly contentHash: string;
  /** 64 bits of which similar texts share most. */
  readonly simhash: readonly [number, number];
  /** Content words of the page. */
  readonly tokens: number;
}

/** A page, with those behind it in the order that say the same. */
export type Folded<T> = T & { readonly alike: readonly T[] };

/** Bits in which the fingerprints of near duplicates differ at the most (Manku et al. 2007, for 64 bits). */
const NEAR_BITS = 3;
/** Of shorter texts the fingerprint says too little: they are alike when they are equal. */
const LEAST_TOKENS = 30;

/** Folds near duplicates: each page that is like one before it goes to the first such one. The order stays. */
export function foldDuplicates<T extends Foldable>(pages: readonly T[]): readonly Folded<T>[] {
  const kept: { readonly page: T; readonly alike: T[] }[] = [];
  for (const page of pages) {
    const like = kept.find((other) => isAlike(other.page, page));
    if (like === undefined) kept.push({ page, alike: [] });
    else like.alike.push(page);
  }
  return kept.map(({ page, alike }) => ({ ...page, alike }));
}

function isAlike(a: Foldable, b: Foldable): boolean {
  if (a.contentHash !== '' && a.contentHash === b.contentHash) return true;
  if (a.tokens < LEAST_TOKENS || b.tokens < LEAST_TOKENS) return false;
  const [high, low] = a.simhash;
  return bits(high ^ b.simhash[0]) + bits(low ^ b.simhash[1]) <= NEAR_BITS;
}

/** Bits that are set in a 32-bit number. */
function bits(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
