import { type Bag, documentFrequencies } from './corpus.ts';
import type { SparseVector } from './sparse.ts';

/**
 * Inverse document frequency: idf by feature number, and that of features in no counted document, the greatest of
 * all.
 */
export interface Rarity {
  readonly idf: Float32Array;
  readonly unknown: number;
}

/**
 * idf = 1 + ln((1 + n) / (1 + df)) over `bags`. The added 1 keeps a word that every page holds; on our frozen webs it
 * is as good as any other floor. Pass off-topic pages: over the crawl's own pages, a topic's words would look common
 * (docs/quality.md#the-classifier-while-crawling).
 */
export function rarity(bags: readonly Bag[], size: number): Rarity {
  const frequencies = documentFrequencies(bags, size);
  // There are far fewer frequencies than features.
  const byFrequency = Float32Array.from({ length: bags.length + 1 }, (_, df) => rarityOf(bags.length, df));
  const idf = new Float32Array(size);
  for (let id = 0; id < size; id++) idf[id] = byFrequency[frequencies[id]!]!;
  return { idf, unknown: rarityOf(bags.length, 0) };
}

function rarityOf(documents: number, df: number): number {
  return 1 + Math.log((1 + documents) / (1 + df));
}

/**
 * Damped term frequency: 1 + ln(count), 0 for 0. On our frozen webs logarithm and square root rank equally well. Raw
 * counts lose .08 of average precision, binary weights .05.
 */
export function damp(count: number): number {
  return count > 0 ? 1 + Math.log(count) : 0;
}

/**
 * The tf·idf vector of a bag. Its length is 1 over all features, but only the selected ones are kept. So a page
 * mostly about other things has a short vector.
 * @param columns column by feature number, −1 for features that were not selected; default: every feature is a column
 */
export function vectorize(bag: Bag, rarity: Rarity, columns?: Int32Array): SparseVector {
  const indices = new Int32Array(bag.ids.length);
  const values = new Float32Array(bag.ids.length);
  const kept = writeVector(bag, rarity, { indices, values, at: 0, ...(columns && { columns }) });
  return { indices: indices.subarray(0, kept), values: values.subarray(0, kept) };
}

/** Where to write a vector. */
export interface VectorPlace {
  readonly indices: Int32Array;
  readonly values: Float32Array;
  /** Index of its first entry in both arrays. */
  readonly at: number;
  /** See {@link vectorize}. */
  readonly columns?: Int32Array | undefined;
  /** Added to every column. Default: 0 */
  readonly offset?: number;
  /** Length of the vector. Default: 1 */
  readonly length?: number;
}

/** Writes the vector of {@link vectorize} into a matrix. @returns the index after its last entry */
export function writeVector(
  { ids, counts }: Bag,
  { idf }: Rarity,
  { indices, values, at, columns, offset = 0, length = 1 }: VectorPlace,
): number {
  let end = at;
  let square = 0;
  for (let k = 0; k < ids.length; k++) {
    const id = ids[k]!;
    const count = counts[k]!;
    const value = (count < DAMPED.length ? DAMPED[count]! : damp(count)) * idf[id]!;
    square += value * value;
    const column = columns === undefined ? id : columns[id]!;
    if (column < 0) continue;
    indices[end] = column + offset;
    values[end++] = value;
  }
  const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
  for (let k = at; k < end; k++) values[k]! *= scale;
  if (length !== 1) for (let k = at; k < end; k++) values[k]! *= length;
  return end;
}

/** {@link damp} of small counts, the common case. */
const DAMPED: Float64Array = Float64Array.from({ length: 64 }, (_, count) => damp(count));

/** Column by feature number for the selected features. Their order is the order of the columns. */
export function columnsOf(selected: Int32Array, size: number): Int32Array {
  const columns = new Int32Array(size).fill(-1);
  selected.forEach((id, column) => {
    columns[id] = column;
  });
  return columns;
}
