import { freeBytes, type Random } from '../kit/index.ts';
import { addRow, rowDot, rowSquare, type SparseMatrix } from './sparse.ts';

export const TOLERANCE = 1e-3;
export const MAX_ITERATIONS = 1000;

/** A binary linear C-SVC: minimise ½‖(w,b)‖² + Σ Cᵢ·max(0, 1 − yᵢ(w·xᵢ + b)). */
export interface SvmProblem {
  readonly x: SparseMatrix;
  /** +1 or −1, one per row. */
  readonly y: Int8Array;
  /** Cost of an error at each row, >= 0. Rows with cost 0 are ignored. Length = `x.rows`. */
  readonly C: Float64Array;
  /** Greatest violation of optimality that is accepted; > 0. Default {@link TOLERANCE}. */
  readonly tolerance?: number;
  /** Maximum number of passes over the data; default {@link MAX_ITERATIONS}. */
  readonly maxIterations?: number;
  /** Alphas of an earlier solution to start from; clipped to the box. Length = `x.rows`. */
  readonly start?: Float64Array;
  readonly random: Random;
}

/** The result of training. At the optimum `primal` equals `dual`. */
export interface SvmSolution {
  /** Normal of the hyperplane, length = `x.columns`. */
  readonly w: Float64Array;
  /** Offset of the hyperplane: a row is positive if w·x + b > 0. */
  readonly b: number;
  /** Dual variables, 0 <= alpha <= C. Length = `x.rows`. */
  readonly alphas: Float64Array;
  /** xi: max(0, 1 − y(w·x + b)), for rows of cost 0 too. Length = `x.rows`. */
  readonly slacks: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
  readonly primal: number;
  readonly dual: number;
}

/**
 * Trains by dual coordinate descent with shrinking (Hsieh et al. 2008, algorithm 3, L1 loss). The bias is the weight
 * of a constant feature 1, so it is regularised with the rest; rows are visited in random order.
 */
export function trainSvm(problem: SvmProblem): SvmSolution {
  const state = initialState(problem, diagonalOf(problem.x));
  const { iterations, converged } = descend(problem, state);
  return { ...solution(problem, state), iterations, converged };
}

/**
 * Returns only the hyperplane of {@link trainSvm}.
 * @param diagonal {@link diagonalOf} the rows, computed once for problems with different costs
 */
export function hyperplaneOf(problem: SvmProblem, diagonal: Float64Array): Pick<SvmSolution, 'w' | 'b'> {
  const state = initialState(problem, diagonal);
  descend(problem, state);
  const { w, b, alphas } = state;
  freeBytes(alphas);
  return { w, b };
}

/** Qᵢᵢ = ‖xᵢ‖² + 1, the curvature along one alpha. */
export function diagonalOf(x: SparseMatrix): Float64Array {
  return Float64Array.from({ length: x.rows }, (_, i) => rowSquare(x, i) + 1);
}

interface DualState {
  readonly w: Float64Array;
  b: number;
  readonly alphas: Float64Array;
  /** See {@link diagonalOf}. */
  readonly diagonal: Float64Array;
}

function initialState({ x, y, C, start }: SvmProblem, diagonal: Float64Array): DualState {
  const state: DualState = { w: new Float64Array(x.columns), b: 0, alphas: new Float64Array(x.rows), diagonal };
  if (start === undefined) return state;
  for (let i = 0; i < x.rows; i++) {
    const alpha = Math.min(C[i]!, Math.max(0, start[i]!));
    if (alpha > 0) move(x, y, state, i, alpha);
  }
  return state;
}

/** Changes one alpha and updates w and b. */
function move(x: SparseMatrix, y: Int8Array, state: DualState, i: number, by: number): void {
  state.alphas[i]! += by;
  addRow(x, i, by * y[i]!, state.w);
  state.b += by * y[i]!;
}

/**
 * Passes over the active rows. A row becomes inactive if its alpha is on a bound and its gradient points beyond the
 * worst violation of the last pass. When the active rows are optimal, all rows become active again. Only a full pass
 * without a violation ends the descent.
 */
function descend(problem: SvmProblem, state: DualState): { readonly iterations: number; readonly converged: boolean } {
  const { x, y, C, random, tolerance = TOLERANCE, maxIterations = MAX_ITERATIONS } = problem;
  // Rows of cost 0 have an empty box: with them the descent would not terminate.
  const rows = Int32Array.from({ length: x.rows }, (_, i) => i).filter((i) => C[i]! > 0);
  let active = rows.length;
  let upper = Number.POSITIVE_INFINITY;
  let lower = Number.NEGATIVE_INFINITY;
  for (let iteration = 1; iteration <= maxIterations; iteration++) {
    let greatest = Number.NEGATIVE_INFINITY;
    let least = Number.POSITIVE_INFINITY;
    shuffle(rows, active, random);
    for (let at = 0; at < active; at++) {
      const i = rows[at]!;
      const alpha = state.alphas[i]!;
      const gradient = y[i]! * (rowDot(x, i, state.w) + state.b) - 1;
      const atZero = alpha <= 0;
      const atCost = alpha >= C[i]!;
      if ((atZero && gradient > upper) || (atCost && gradient < lower)) {
        active--;
        rows[at] = rows[active]!;
        rows[active] = i;
        at--;
        continue;
      }
      const projected = atZero ? Math.min(0, gradient) : atCost ? Math.max(0, gradient) : gradient;
      if (projected > greatest) greatest = projected;
      if (projected < least) least = projected;
      if (Math.abs(projected) > 1e-12) {
        const next = Math.min(C[i]!, Math.max(0, alpha - gradient / state.diagonal[i]!));
        if (next !== alpha) move(x, y, state, i, next - alpha);
      }
    }
    if (active === 0 || greatest - least <= tolerance) {
      if (active === rows.length) return { iterations: iteration, converged: true };
      active = rows.length;
      upper = Number.POSITIVE_INFINITY;
      lower = Number.NEGATIVE_INFINITY;
    } else {
      upper = greatest > 0 ? greatest : Number.POSITIVE_INFINITY;
      lower = least < 0 ? least : Number.NEGATIVE_INFINITY;
    }
  }
  return { iterations: maxIterations, converged: rows.length === 0 };
}

/** Fisher–Yates shuffle of the first `length` items. */
function shuffle(items: Int32Array, length: number, random: Random): void {
  for (let i = length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    const item = items[i]!;
    items[i] = items[j]!;
    items[j] = item;
  }
}

function solution({ x, y, C }: SvmProblem, state: DualState): Omit<SvmSolution, 'iterations' | 'converged'> {
  const { w, b, alphas } = state;
  const slacks = new Float64Array(x.rows);
  let square = b * b;
  for (let j = 0; j < w.length; j++) square += w[j]! ** 2;
  let loss = 0;
  let alphaSum = 0;
  for (let i = 0; i < x.rows; i++) {
    slacks[i] = Math.max(0, 1 - y[i]! * (rowDot(x, i, w) + b));
    loss += C[i]! * slacks[i]!;
    alphaSum += alphas[i]!;
  }
  return { w, b, alphas, slacks, primal: square / 2 + loss, dual: alphaSum - square / 2 };
}
