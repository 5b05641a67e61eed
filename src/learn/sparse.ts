import { freeBytes } from '../kit/index.ts';

/**
 * Sparse rows in CSR form. Row `i` has the entries `starts[i] … starts[i+1] − 1` of `indices` and `values`. Each
 * index occurs once per row and is in `0 … columns − 1`.
 */
export interface SparseMatrix {
  readonly rows: number;
  readonly columns: number;
  /** Length = `rows + 1`. */
  readonly starts: Int32Array;
  readonly indices: Int32Array;
  readonly values: Float32Array;
}

/** Frees the memory of a matrix that is no longer read, see {@link freeBytes}. The matrix is empty afterwards. */
export function freeMatrix({ starts, indices, values }: SparseMatrix): void {
  freeBytes(starts, indices, values);
}

/** One sparse vector: `values[k]` is the entry at `indices[k]`. */
export interface SparseVector {
  readonly indices: Int32Array | Uint16Array;
  readonly values: Float32Array;
}

/** Stacks vectors into a matrix. */
export function sparseMatrix(vectors: readonly SparseVector[], columns: number): SparseMatrix {
  const starts = new Int32Array(vectors.length + 1);
  vectors.forEach((vector, i) => {
    starts[i + 1] = starts[i]! + vector.indices.length;
  });
  const indices = new Int32Array(starts[vectors.length]!);
  const values = new Float32Array(starts[vectors.length]!);
  vectors.forEach((vector, i) => {
    indices.set(vector.indices, starts[i]!);
    values.set(vector.values, starts[i]!);
  });
  return { rows: vectors.length, columns, starts, indices, values };
}

/** Inner product of a vector with a dense one that covers all its indices. */
export function dot({ indices, values }: SparseVector, dense: Float64Array): number {
  let sum = 0;
  for (let k = 0; k < indices.length; k++) sum += values[k]! * dense[indices[k]!]!;
  return sum;
}

/** Adds `factor` times a vector to a dense one. */
export function addVector({ indices, values }: SparseVector, factor: number, dense: Float64Array): void {
  for (let k = 0; k < indices.length; k++) dense[indices[k]!]! += factor * values[k]!;
}

/** Inner product of row `i` with a dense vector of length >= `columns`. */
export function rowDot(x: SparseMatrix, i: number, dense: Float64Array | Float32Array): number {
  const { indices, values } = x;
  let sum = 0;
  for (let k = x.starts[i]!, end = x.starts[i + 1]!; k < end; k++) sum += values[k]! * dense[indices[k]!]!;
  return sum;
}

/** Adds `factor` times row `i` to a dense vector. */
export function addRow(x: SparseMatrix, i: number, factor: number, dense: Float64Array): void {
  const { indices, values } = x;
  for (let k = x.starts[i]!, end = x.starts[i + 1]!; k < end; k++) dense[indices[k]!]! += factor * values[k]!;
}

/** Squared Euclidean length of row `i`. */
export function rowSquare(x: SparseMatrix, i: number): number {
  let sum = 0;
  for (let k = x.starts[i]!, end = x.starts[i + 1]!; k < end; k++) sum += x.values[k]! ** 2;
  return sum;
}
