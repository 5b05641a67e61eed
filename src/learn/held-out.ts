import { freeBytes, type Random } from '../kit/index.ts';
import { addRow, rowDot, type SparseMatrix } from './sparse.ts';
import { diagonalOf, hyperplaneOf, MAX_ITERATIONS, type SvmProblem, type SvmSolution, TOLERANCE } from './svm.ts';

/** How held-out scores were computed; `none` if a class has too few rows to leave one out. */
export type HeldOutMethod = 'leave-one-out' | '5-fold' | 'none';

/** Decision values of rows by classifiers that did not see them. */
export interface HeldOut {
  readonly method: HeldOutMethod;
  /**
   * Length = rows. NaN if no classifier could be trained without the row (it is the only one of its class), or if its
   * cost is 0.
   */
  readonly scores: Float64Array;
}

/** Number of folds of cross-validation. */
export const FOLDS = 5;

/**
 * Exact leave-one-out up to `limit` rows, 5-fold cross-validation beyond. Features and idf are those of the full
 * training set. The optimizer starts from `full`, but a row's own alpha leaves no trace.
 * @param full the solution on all rows of `problem`
 */
export function heldOutScores(problem: SvmProblem, full: SvmSolution, limit: number): HeldOut {
  const counts = { positive: classSize(problem, 1), negative: classSize(problem, -1) };
  if (counts.positive + counts.negative <= limit) return leaveOneOut(problem, full, counts);
  return crossValidation(problem, full, counts);
}

interface ClassCounts {
  readonly positive: number;
  readonly negative: number;
}

function classSize({ y, C }: SvmProblem, sign: number): number {
  let n = 0;
  for (let i = 0; i < y.length; i++) if (y[i] === sign && C[i]! > 0) n++;
  return n;
}

/**
 * Retrains without each row in turn, on inner products. They fit a small matrix for a few hundred rows, and only a
 * few alphas differ from the full solution. Each change costs one column.
 */
function leaveOneOut(problem: SvmProblem, full: SvmSolution, counts: ClassCounts): HeldOut {
  const { x, y, C } = problem;
  const values = Float64Array.from({ length: x.rows }, (_, i) => decide(problem, full, i));
  // Reused for all rows: new copies for each row would be many megabytes of garbage.
  const copies = { alphas: new Float64Array(x.rows), values: new Float64Array(x.rows) };
  const start = { alphas: full.alphas, values, gram: gramMatrix(x), copies };
  const scores = new Float64Array(x.rows).fill(Number.NaN);
  for (let i = 0; i < x.rows; i++) {
    const left = (y[i]! > 0 ? counts.positive : counts.negative) - 1;
    if (C[i] === 0 || left < 1) continue;
    // A row with alpha 0 is no support vector: the optimum without it is the same.
    scores[i] = full.alphas[i] === 0 ? values[i]! : retrainWithout(problem, start, i);
  }
  freeBytes(start.gram);
  const known = scores.some((score) => !Number.isNaN(score));
  return { method: known ? 'leave-one-out' : 'none', scores };
}

interface FullSolution {
  readonly alphas: Float64Array;
  /** Decision value of each row. */
  readonly values: Float64Array;
  readonly gram: Float64Array;
  /** Buffers for changing alphas and values. */
  readonly copies: { readonly alphas: Float64Array; readonly values: Float64Array };
}

/** xᵢ·xⱼ + 1 for all pairs of rows, the constant feature included; row-major, length = rows². */
function gramMatrix(x: SparseMatrix): Float64Array {
  const gram = new Float64Array(x.rows * x.rows);
  const dense = new Float64Array(x.columns);
  for (let i = 0; i < x.rows; i++) {
    addRow(x, i, 1, dense);
    for (let j = 0; j <= i; j++) {
      const product = rowDot(x, j, dense) + 1;
      gram[i * x.rows + j] = product;
      gram[j * x.rows + i] = product;
    }
    for (let k = x.starts[i]!; k < x.starts[i + 1]!; k++) dense[x.indices[k]!] = 0;
  }
  return gram;
}

/**
 * Coordinate descent on the Gram matrix, from the full solution without one row. Returns that row's decision value.
 * It always moves the alpha with the largest gain, so that few alphas move.
 */
function retrainWithout(
  { y, C, tolerance = TOLERANCE, maxIterations = MAX_ITERATIONS }: SvmProblem,
  full: FullSolution,
  row: number,
): number {
  const n = y.length;
  const { gram, copies } = full;
  const { alphas, values } = copies;
  alphas.set(full.alphas);
  values.set(full.values);
  const change = (i: number, alpha: number): void => {
    const step = (alpha - alphas[i]!) * y[i]!;
    for (let j = 0, at = i * n; j < n; j++, at++) values[j]! += step * gram[at]!;
    alphas[i] = alpha;
  };
  change(row, 0);
  for (let steps = maxIterations * n; steps > 0; steps--) {
    let best = -1;
    let bestAlpha = 0;
    let bestGain = 0;
    for (let i = 0; i < n; i++) {
      if (i === row || C[i] === 0) continue;
      const gradient = y[i]! * values[i]! - 1;
      if (Math.abs(gradient) <= tolerance / 2) continue;
      const alpha = Math.min(C[i]!, Math.max(0, alphas[i]! - gradient / gram[i * n + i]!));
      const gain = Math.abs((alpha - alphas[i]!) * gradient);
      if (gain <= bestGain) continue;
      best = i;
      bestAlpha = alpha;
      bestGain = gain;
    }
    if (best < 0) break;
    change(best, bestAlpha);
  }
  return values[row]!;
}

function crossValidation(problem: SvmProblem, full: SvmSolution, counts: ClassCounts): HeldOut {
  const scores = new Float64Array(problem.x.rows).fill(Number.NaN);
  if (counts.positive === 0 || counts.negative === 0) return { method: 'none', scores };
  const diagonal = diagonalOf(problem.x);
  for (const fold of stratifiedFolds(problem, FOLDS, problem.random)) {
    const C = problem.C.slice();
    for (const i of fold) C[i] = 0;
    const hyperplane = hyperplaneOf({ ...problem, C, start: full.alphas }, diagonal);
    for (const i of fold) scores[i] = decide(problem, hyperplane, i);
    freeBytes(C, hyperplane.w);
  }
  freeBytes(diagonal);
  return { method: '5-fold', scores };
}

/**
 * Deals the rows of each class, in random order, into `folds` folds of nearly equal size. The only row of a class is
 * in no fold: a classifier without it could not score the other rows of that fold.
 */
export function stratifiedFolds(
  { y, C }: Pick<SvmProblem, 'y' | 'C'>,
  folds: number,
  random: Random,
): readonly (readonly number[])[] {
  const hands: number[][] = Array.from({ length: folds }, () => []);
  let next = 0;
  for (const sign of [1, -1]) {
    const rows = [...y.keys()].filter((i) => y[i] === sign && C[i]! > 0);
    if (rows.length === 1) continue;
    for (let k = rows.length - 1; k >= 0; k--) {
      const [row] = rows.splice(Math.floor(random() * (k + 1)), 1);
      hands[next++ % folds]!.push(row!);
    }
  }
  return hands.filter((hand) => hand.length > 0);
}

function decide({ x }: SvmProblem, { w, b }: Pick<SvmSolution, 'w' | 'b'>, i: number): number {
  return rowDot(x, i, w) + b;
}
