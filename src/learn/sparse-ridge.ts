import { addVector, dot, type SparseVector } from './sparse.ts';

/** A linear function fitted to graded rows: `w·x + mean`. */
export interface SparseRidge {
  /** Length = `columns`. */
  readonly w: Float64Array;
  /** Mean of the targets; the value of a row without known features. */
  readonly mean: number;
}

/**
 * Ridge regression on sparse rows: minimise Σ (y − mean − w·x)² + λ‖w‖², by dual coordinate ascent. A pass reads each
 * entry once. It visits the rows in their order, so it needs no random numbers.
 * @param y one target per row
 * @param options `columns`: greater than every index; `strength` λ > 0; `passes` >= 1
 */
export function sparseRidge(
  rows: readonly SparseVector[],
  y: ArrayLike<number>,
  { columns, strength, passes }: { readonly columns: number; readonly strength: number; readonly passes: number },
): SparseRidge {
  let mean = 0;
  for (let i = 0; i < rows.length; i++) mean += y[i]! / rows.length;
  const w = new Float64Array(columns);
  const duals = new Float64Array(rows.length);
  const squares = Float64Array.from(rows, ({ values }) => values.reduce((sum, value) => sum + value ** 2, 0));
  for (let pass = 0; pass < passes; pass++)
    for (let i = 0; i < rows.length; i++) {
      const residual = y[i]! - mean - dot(rows[i]!, w);
      const step = (residual - strength * duals[i]!) / (squares[i]! + strength);
      if (Math.abs(step) < STILL) continue;
      duals[i]! += step;
      addVector(rows[i]!, step, w);
    }
  return { w, mean };
}

/** A dual variable that would move by less does not move. Targets are of the order of 1. */
const STILL = 1e-6;
