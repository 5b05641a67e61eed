/** Fields of a page used for folding. */
export interface Foldable {
  /** Equal for equal texts, `''` without text. */
  readonly contentHash: string;
  /** 64 bits, most of which similar texts share. */
  readonly simhash: readonly [number, number];
  /** Content words of the page. */
  readonly tokens: number;
}

/** A page, with its later near duplicates. */
export type Folded<T> = T & { readonly alike: readonly T[] };

/** Maximum number of differing bits of near duplicates (Manku et al. 2007, for 64 bits). */
const NEAR_BITS = 3;
/** Fingerprints of shorter texts are unreliable, so these must be equal. */
const LEAST_TOKENS = 30;

/** Folds near duplicates: each page joins the first earlier page that is similar. Keeps the order. */
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

/** Returns the number of set bits in a 32-bit number. */
function bits(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
