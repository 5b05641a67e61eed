import type { SvmSolution } from './svm.ts';

/** Estimated quality of a classifier without a second training; NaN if undefined. */
export interface XiAlpha {
  /** (n₊−d₊)/(n₊−d₊+d₋), in [0,1]; NaN if no row is left to count. */
  readonly precision: number;
  /** (n₊−d₊)/n₊, in [0,1]; NaN without positives. */
  readonly recall: number;
}

/**
 * The xi-alpha estimate (Joachims 2000): a row counts as a possible leave-one-out error if ρ·αᵢ·R² + ξᵢ >= 1. With ρ
 * = 2 the estimate misses no error, for vectors of length 1 at most: an error has αᵢ·Kᵢᵢ + ξᵢ >= 1 (Jaakkola and
 * Haussler 1999), and Kᵢᵢ = ‖xᵢ‖² + 1 with the constant feature. It is far too pessimistic on noisy text, so it is
 * reported but decides nothing.
 * @param rSquare R² = the greatest ‖x‖² (1 for normalised vectors)
 */
export function xiAlpha(
  solution: Pick<SvmSolution, 'alphas' | 'slacks'>,
  y: Int8Array,
  options: { readonly rho: number; readonly rSquare: number; readonly C?: Float64Array },
): XiAlpha {
  let positives = 0;
  let missed = 0;
  let intruders = 0;
  for (let i = 0; i < y.length; i++) {
    if (options.C !== undefined && options.C[i] === 0) continue;
    const doubtful = options.rho * solution.alphas[i]! * options.rSquare + solution.slacks[i]! >= 1;
    if (y[i]! > 0) {
      positives++;
      if (doubtful) missed++;
    } else if (doubtful) intruders++;
  }
  const found = positives - missed;
  return {
    precision: found + intruders === 0 ? Number.NaN : found / (found + intruders),
    recall: positives === 0 ? Number.NaN : found / positives,
  };
}
