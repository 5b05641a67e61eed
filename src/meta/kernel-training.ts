import type { Config } from '../core/index.ts';
import { freeBytes, type Random } from '../kit/index.ts';
import {
  type Calibration,
  type CurvedKernel,
  calibrate,
  GIVEN_SHARE,
  KERNEL_ROWS,
  type KernelProblem,
  type KernelSvm,
  kernelDecision,
  kernelHeldOut,
  kernelMatrix,
  kernelValue,
  LEAVE_ONE_OUT_ROWS,
  type LearningCurve,
  SVM_CURVES,
  squareOf,
  trainKernelSvm,
  xiAlpha,
} from '../learn/index.ts';
import { type Decision, type GivenDecision, givenPart } from './decisions.ts';
import { type JoinedSpace, sizeOf } from './joined-space.ts';
import type { TrainedSpace } from './space-training.ts';

/** Rows of the whole decision that one model is trained on. */
type Rows = Pick<GivenDecision, 'rows' | 'given'>;

interface KernelFit extends KernelSvm {
  /** One per row of the whole decision; NaN if the model was not trained on it. */
  readonly heldOut: Float64Array;
  readonly calibration: Calibration;
}

/** What all models of one decision share. */
interface KernelSpace {
  readonly kernel: CurvedKernel;
  readonly problem: KernelProblem;
  readonly squares: readonly number[];
  readonly curves: readonly LearningCurve[];
  readonly random: Random;
}

/**
 * Trains a kernel SVM beside the linear one, over all features. It replaces the decision values, the scale and the
 * estimates. The linear one stays alone in four cases: it was asked for; there are more than {@link KERNEL_ROWS}
 * pages; nothing is known that the topic is not; only a query is known of it.
 */
export function withKernel(
  plane: TrainedSpace,
  decision: Decision,
  { space, config, random }: { readonly space: JoinedSpace; readonly config: Config['learn']; readonly random: Random },
): TrainedSpace {
  const { kernel } = config;
  const { positives, negatives, queries, found } = decision;
  const documents = [...positives, ...negatives];
  const isKnown = negatives.length > 0 && positives.length > queries.length;
  if (kernel === 'linear' || !isKnown || documents.length > KERNEL_ROWS) return plane;
  const vectors = documents.map((document) => space.vectors[document]!);
  const y = new Int8Array(documents.length).fill(-1).fill(1, 0, positives.length);
  const problem = { matrix: kernelMatrix(kernel, vectors, sizeOf(space.parts)), y, C: config.C };
  const curves = space.parts.map((part) => SVM_CURVES[part.space]);
  const shared = { kernel, problem, squares: vectors.map(squareOf), curves, random };
  const all = fitted({ ...decision, rows: [...documents.keys()] }, shared);
  const given = givenPart(decision);
  const isTeacher = config.calibrated && found.length > 0 && given.positives.length > 0 && given.negatives.length > 0;
  const fit = isTeacher ? between(all, fitted(given, shared)) : all;
  const alphas = all.coefficients.map(Math.abs);
  const slacks = alphas.map((_, row) => Math.max(0, 1 - y[row]! * kernelDecision(problem, all, row)));
  freeBytes(problem.matrix);
  return {
    ...plane,
    kernel: { kernel, documents, coefficients: fit.coefficients, bias: fit.bias, linear: plane.calibration },
    calibration: fit.calibration,
    xiAlpha: xiAlpha({ alphas, slacks }, y, { rho: config.rho, rSquare: 1 }),
    method: all.method,
    heldOut: fit.heldOut,
  };
}

function fitted(
  { rows, given }: Rows,
  { kernel, problem, squares, curves, random }: KernelSpace,
): KernelFit & { readonly method: TrainedSpace['method'] } {
  const own = partOf(problem, rows);
  const svm = trainKernelSvm(own);
  const { method, scores } = kernelHeldOut(own, svm, { limit: LEAVE_ONE_OUT_ROWS, random });
  const ofEmptyPage = rows.reduce(
    (sum, row, i) => sum + svm.coefficients[i]! * kernelValue(kernel, 0, squares[row]!),
    svm.bias,
  );
  const calibration = calibrate({
    y: own.y,
    scores: rows.map((_, i) => kernelDecision(own, svm, i)),
    heldOut: scores,
    curves,
    given,
    unknown: ofEmptyPage,
  });
  freeBytes(own.matrix);
  return {
    coefficients: spreadOver(svm.coefficients, rows, new Float64Array(problem.y.length)),
    bias: svm.bias,
    heldOut: spreadOver(scores, rows, new Float64Array(problem.y.length).fill(Number.NaN)),
    calibration,
    method,
  };
}

/** The problem of some rows alone. */
function partOf({ matrix, y, C }: KernelProblem, rows: readonly number[]): KernelProblem {
  const n = rows.length;
  const part = new Float64Array(n * n);
  rows.forEach((row, i) => {
    rows.forEach((other, j) => {
      part[i * n + j] = matrix[row * y.length + other]!;
    });
  });
  return { matrix: part, y: Int8Array.from(rows, (row) => y[row]!), C };
}

/** Writes the values of some rows into an array over all rows. */
function spreadOver(values: Float64Array, rows: readonly number[], all: Float64Array): Float64Array {
  rows.forEach((row, i) => {
    all[row] = values[i]!;
  });
  return all;
}

/** Interpolates two models, nearer to the one of the user's pages alone by {@link GIVEN_SHARE}. */
function between(all: KernelFit, given: KernelFit): KernelFit {
  const mixed = (first: number, second: number): number => (1 - GIVEN_SHARE) * first + GIVEN_SHARE * second;
  return {
    coefficients: all.coefficients.map((coefficient, i) => mixed(coefficient, given.coefficients[i]!)),
    bias: mixed(all.bias, given.bias),
    heldOut: all.heldOut.map((score, i) => (Number.isNaN(given.heldOut[i]!) ? score : mixed(score, given.heldOut[i]!))),
    calibration: {
      zero: mixed(all.calibration.zero, given.calibration.zero),
      scale: mixed(all.calibration.scale, given.calibration.scale),
    },
  };
}
