import { freeBytes } from '../kit/index.ts';
import type { SparseVector } from './sparse.ts';

/**
 * The nearest neighbours of each vector. Row `i` has the entries `i · most … (i + 1) · most − 1`; unused ones have
 * weight 0.
 */
export interface Nearest {
  readonly most: number;
  readonly ids: Int32Array;
  /** Inner products, which are cosines for vectors of length 1. >= 0 */
  readonly weights: Float32Array;
}

/**
 * Finds the vectors that share most with each vector. Equal inner products: the earlier vector is nearer.
 * @param options `columns`: greater than every index. `most`: number of neighbours. `common`: features of more vectors
 * than this are ignored; they cost most of the time and tell the vectors apart least
 */
export function nearestVectors(
  vectors: readonly SparseVector[],
  { columns, most, common }: { readonly columns: number; readonly most: number; readonly common: number },
): Nearest {
  const postings = postingsOf(vectors, columns, common);
  const ids = new Int32Array(vectors.length * most);
  const weights = new Float32Array(vectors.length * most);
  const products = new Float64Array(vectors.length);
  const nearest = { most, ids, weights };
  vectors.forEach((vector, i) => {
    // The products with earlier vectors are in their lists already.
    addProducts(vector, postings, products);
    for (let row = i + 1; row < vectors.length; row++) {
      const product = Math.fround(products[row]!);
      products[row] = 0;
      if (product > weights[most * i + most - 1]!) enter(nearest, i, row, product);
      if (product > weights[most * row + most - 1]!) enter(nearest, row, i, product);
    }
  });
  freeBytes(postings.starts, postings.ends, postings.rows, postings.values);
  return nearest;
}

/** Returns the weighted mean of a value over the neighbours of row `i`; `undefined` if it has none. */
export function meanOfNearest(
  { most, ids, weights }: Nearest,
  i: number,
  values: ArrayLike<number>,
): number | undefined {
  let sum = 0;
  let total = 0;
  for (let at = i * most; at < (i + 1) * most; at++) {
    sum += weights[at]! * values[ids[at]!]!;
    total += weights[at]!;
  }
  return total === 0 ? undefined : sum / total;
}

/** Per feature, the vectors that have it, in their order: entries `starts[f] … ends[f] − 1`. */
interface Postings {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly rows: Int32Array;
  readonly values: Float32Array;
}

/** @param limit features of more vectors than this have no postings */
function postingsOf(vectors: readonly SparseVector[], columns: number, limit: number): Postings {
  const counts = new Int32Array(columns);
  for (const { indices } of vectors) for (let k = 0; k < indices.length; k++) counts[indices[k]!]!++;
  const starts = new Int32Array(columns);
  let size = 0;
  for (let f = 0; f < columns; f++) {
    starts[f] = size;
    if (counts[f]! > limit) counts[f] = 0;
    size += counts[f]!;
  }
  const ends = starts.slice();
  const rows = new Int32Array(size);
  const values = new Float32Array(size);
  vectors.forEach(({ indices, values: own }, i) => {
    for (let k = 0; k < indices.length; k++) {
      const f = indices[k]!;
      if (counts[f] === 0) continue;
      rows[ends[f]!] = i;
      values[ends[f]!++] = own[k]!;
    }
  });
  freeBytes(counts);
  return { starts, ends, rows, values };
}

/** Adds the inner products of a vector with all later ones. Reads each posting of it for the last time. */
function addProducts(
  { indices, values }: SparseVector,
  { starts, ends, rows, values: all }: Postings,
  products: Float64Array,
): void {
  for (let k = 0; k < indices.length; k++) {
    const f = indices[k]!;
    if (starts[f] === ends[f]) continue;
    // The first posting left is that of the vector itself.
    const first = ++starts[f]!;
    const value = values[k]!;
    for (let at = first, end = ends[f]!; at < end; at++) products[rows[at]!]! += value * all[at]!;
  }
}

/** Enters a neighbour into the list of a row in place of the last one; earlier ones precede equal ones. */
function enter({ most, ids, weights }: Nearest, row: number, neighbour: number, product: number): void {
  const first = row * most;
  let at = first + most - 1;
  for (; at > first && weights[at - 1]! < product; at--) {
    ids[at] = ids[at - 1]!;
    weights[at] = weights[at - 1]!;
  }
  ids[at] = neighbour;
  weights[at] = product;
}
