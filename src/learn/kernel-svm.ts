import { createRequire } from 'node:module';
import type { Kernel } from '../core/index.ts';
import type { Random } from '../kit/index.ts';
import { FOLDS, type HeldOut, stratifiedFolds } from './held-out.ts';
import { dot, type SparseVector } from './sparse.ts';
import { TOLERANCE } from './svm.ts';

/** A kernel that libsvm trains; the linear one has a learner of its own. */
export type CurvedKernel = Exclude<Kernel, 'linear'>;

/**
 * Most training pages of a kernel SVM: it compares each of them with each other, and every new page with each of them.
 * Beyond it the linear SVM decides alone.
 */
export const KERNEL_ROWS = 300;

/** γ of the kernel `rbf`, for vectors of length 1: pages without a common word have K = e⁻². */
const RBF_GAMMA = 1;

/**
 * K(x, y) from inner products. Both kernels are 1 for two equal vectors of length 1, so that a cost means the same in
 * them: `rbf` is exp(−γ|x − y|²), `poly` is (x·y/2 + 1/2)².
 * @param squares |x|² + |y|²
 */
export function kernelValue(kernel: CurvedKernel, product: number, squares: number): number {
  return kernel === 'rbf' ? Math.exp(-RBF_GAMMA * Math.max(0, squares - 2 * product)) : ((product + 1) / 2) ** 2;
}

/** Kernel values of all pairs of rows; row-major, length = rows². */
export function kernelMatrix(kernel: CurvedKernel, rows: readonly SparseVector[], columns: number): Float64Array {
  const n = rows.length;
  const squares = rows.map(squareOf);
  const matrix = new Float64Array(n * n);
  const dense = new Float64Array(columns);
  rows.forEach(({ indices, values }, i) => {
    for (let k = 0; k < values.length; k++) dense[indices[k]!] = values[k]!;
    for (let j = 0; j <= i; j++) {
      const value = kernelValue(kernel, dot(rows[j]!, dense), squares[i]! + squares[j]!);
      matrix[i * n + j] = value;
      matrix[j * n + i] = value;
    }
    for (let k = 0; k < values.length; k++) dense[indices[k]!] = 0;
  });
  return matrix;
}

/** Squared length of a vector. */
export function squareOf({ values }: SparseVector): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

/** A C-SVC of libsvm over rows whose kernel values are known. */
export interface KernelProblem {
  /** See {@link kernelMatrix}. */
  readonly matrix: Float64Array;
  /** +1 or −1, one per row. */
  readonly y: Int8Array;
  /** Cost of an error. > 0 */
  readonly C: number;
}

/** Decision value of a page x: Σ `coefficients[i]` · K(xᵢ, x) + `bias`. */
export interface KernelSvm {
  /** yᵢαᵢ, one per row of the problem; 0 if the row is no support vector. */
  readonly coefficients: Float64Array;
  readonly bias: number;
}

/**
 * Trains on some rows by libsvm. It receives kernel values instead of features: its own rows are dense, and 300 pages
 * of 2,000 features come near the memory that its build allows.
 * @param rows with at least one of either class; default: all
 */
export function trainKernelSvm({ matrix, y, C }: KernelProblem, rows: readonly number[] = [...y.keys()]): KernelSvm {
  const n = y.length;
  const Libsvm = loadLibsvm();
  const svm = new Libsvm({ type: '0', kernel: '4', cost: C, tolerance: TOLERANCE, quiet: true });
  try {
    svm.train(
      rows.map((i, row) => [row + 1, ...rows.map((j) => matrix[i * n + j]!)]),
      rows.map((i) => y[i]!),
    );
    return readModel(svm.serializeModel(), rows, n);
  } finally {
    svm.free();
  }
}

/** Decision value of a row of the problem. */
export function kernelDecision({ matrix, y }: KernelProblem, { coefficients, bias }: KernelSvm, row: number): number {
  let sum = bias;
  for (let i = 0; i < y.length; i++) sum += coefficients[i]! * matrix[row * y.length + i]!;
  return sum;
}

/**
 * Decision values of rows by models trained without them, as {@link heldOutScores} has them for the linear SVM.
 * @param full the model of all rows
 * @param limit most rows of which each is left out in turn
 */
export function kernelHeldOut(
  problem: KernelProblem,
  full: KernelSvm,
  { limit, random }: { readonly limit: number; readonly random: Random },
): HeldOut {
  const { y } = problem;
  const rows = [...y.keys()];
  const scores = new Float64Array(y.length).fill(Number.NaN);
  const leaveOut = (left: readonly number[]): void => {
    const kept = rows.filter((row) => !left.includes(row));
    if (new Set(kept.map((row) => y[row])).size < 2) return;
    const svm = trainKernelSvm(problem, kept);
    for (const row of left) scores[row] = kernelDecision(problem, svm, row);
  };
  const isEach = y.length <= limit;
  const folds = stratifiedFolds({ y, C: new Float64Array(y.length).fill(1) }, FOLDS, random);
  for (const left of isEach ? rows.map((row) => [row]) : folds) {
    const row = left[0]!;
    // Without a row that is no support vector, the optimum is the same.
    if (isEach && full.coefficients[row] === 0) scores[row] = kernelDecision(problem, full, row);
    else leaveOut(left);
  }
  const known = scores.some((score) => !Number.isNaN(score));
  return { method: known ? (isEach ? 'leave-one-out' : '5-fold') : 'none', scores };
}

/** The parts of libsvm-js in use; the package has no types. */
interface Libsvm {
  train(rows: readonly (readonly number[])[], labels: readonly number[]): void;
  serializeModel(): string;
  free(): void;
}

/**
 * Loads the asm.js build: the one in WebAssembly damages its memory with large models. Its handler of unhandled
 * rejections would end the process; it is removed.
 */
function loadLibsvm(): new (options: Readonly<Record<string, unknown>>) => Libsvm {
  const before = process.listeners('unhandledRejection');
  const loaded = createRequire(import.meta.url)('libsvm-js/asm.js');
  for (const listener of process.listeners('unhandledRejection'))
    if (!before.includes(listener)) process.off('unhandledRejection', listener);
  return loaded;
}

/**
 * Reads libsvm's text form: a head with `rho` and `label`, then one line per support vector, `coefficient 0:row`. The
 * decision value is positive for the first label.
 */
function readModel(model: string, rows: readonly number[], size: number): KernelSvm {
  const [head = '', body = ''] = model.split('SV\n');
  const sign = /^label 1\b/m.test(head) ? 1 : -1;
  const coefficients = new Float64Array(size);
  for (const [, coefficient, row] of body.matchAll(/^(\S+) 0:(\d+)/gm))
    coefficients[rows[Number(row) - 1]!] = sign * Number(coefficient);
  return { coefficients, bias: -sign * Number(/^rho (\S+)/m.exec(head)?.[1]) };
}
