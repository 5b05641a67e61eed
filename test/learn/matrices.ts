import type { Random } from '../../src/kit/index.ts';
import { type SparseMatrix, type SparseVector, type SvmProblem, sparseMatrix } from '../../src/learn/index.ts';

/** Builds a sparse matrix from dense rows; omits zeros. */
export function matrixOf(rows: readonly (readonly number[])[]): SparseMatrix {
  return sparseMatrix(vectorsOf(rows), rows[0]?.length ?? 0);
}

/** Builds the same rows as separate sparse vectors. */
export function vectorsOf(rows: readonly (readonly number[])[]): SparseVector[] {
  return rows.map((row) => {
    const indices = [...row.keys()].filter((j) => row[j] !== 0);
    return { indices: Int32Array.from(indices), values: Float32Array.from(indices, (j) => row[j]!) };
  });
}

/** Draws rows from [−1, 1). The first half is positive and shifted, so that the classes overlap a little. */
export function randomRows(size: number, columns: number, random: Random): number[][] {
  return Array.from({ length: size }, (_, i) =>
    Array.from({ length: columns }, (_, j) =>
      Math.fround(random() * 2 - 1 + (j === 0 ? (i < size / 2 ? 0.6 : -0.6) : 0)),
    ),
  );
}

export function problemOf(
  rows: readonly (readonly number[])[],
  y: readonly number[],
  options: { readonly C: number; readonly random: Random; readonly tolerance?: number },
): SvmProblem {
  const { C, random, tolerance = 1e-6 } = options;
  return { x: matrixOf(rows), y: Int8Array.from(y), C: new Float64Array(y.length).fill(C), random, tolerance };
}

/** Returns +1 for the first half and −1 for the rest. */
export function halves(size: number): number[] {
  return Array.from({ length: size }, (_, i) => (i < size / 2 ? 1 : -1));
}
