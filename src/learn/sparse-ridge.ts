import { addRow, rowDot, rowSquare, type SparseMatrix } from './sparse.ts';

/** A line through graded rows: `w·x + mean`. */
export interface SparseRidge {
  /** Length = `x.columns`. */
  readonly w: Float64Array;
  /** Mean of the targets, which a row without known features gets. */
  readonly mean: number;
}

/**
 * Ridge regression on sparse rows: minimise Σ (y − mean − w·x)² + λ‖w‖², by dual coordinate ascent. A pass costs one look at each
 * entry; rows are visited in their order, so that no chance is needed.
 * @param y one target a row
 * @param options `strength` λ > 0; `passes` >= 1
 */
export function sparseRidge(
  x: SparseMatrix,
  y: ArrayLike<number>,
  { strength, passes }: { readonly strength: number; readonly passes: number },
): SparseRidge {
  let mean = 0;
  for (let i = 0; i < x.rows; i++) mean += y[i]! / x.rows;
  const w = new Float64Array(x.columns);
  const duals = new Float64Array(x.rows);
  const squares = Float64Array.from({ length: x.rows }, (_, i) => rowSquare(x, i));
  for (let pass = 0; pass < passes; pass++)
    for (let i = 0; i < x.rows; i++) {
      const residual = y[i]! - mean - rowDot(x, i, w);
      const step = (residual - strength * duals[i]!) / (squares[i]! + strength);
      if (Math.abs(step) < STILL) continue;
      duals[i]! += step;
      addRow(x, i, step, w);
    }
  return { w, mean };
}

/** A dual that would move by less stays; targets are of the order of 1. */
const STILL = 1e-6;
