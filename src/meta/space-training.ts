import type { Config } from '../core/index.ts';
import { freeBytes, type Random } from '../kit/index.ts';
import {
  ARCHETYPE_TRUST,
  type Calibration,
  type CurvedKernel,
  calibrate,
  calibrated,
  freeMatrix,
  GIVEN_SHARE,
  type HeldOutMethod,
  heldOutScores,
  heldOutShortfall,
  type KernelSvm,
  LEAVE_ONE_OUT_ROWS,
  rankAbove,
  rowDot,
  type SparseMatrix,
  SVM_CURVES,
  type SvmProblem,
  selectBothSides,
  trainSvm,
  type XiAlpha,
  xiAlpha,
} from '../learn/index.ts';
import { allGiven, type Decision, givenPart } from './decisions.ts';
import {
  type FetchedPages,
  type JoinedSpace,
  matrixOf,
  type PartWeights,
  productsOf,
  splitWeights,
  spread,
} from './joined-space.ts';
import { type Hyperplane, selfTrained } from './self-training.ts';

/** The result of training one decision in one space. */
export interface TrainedSpace {
  /** Parts joined by `+`. */
  readonly space: string;
  readonly parts: readonly PartWeights[];
  readonly bias: number;
  readonly calibration: Calibration;
  readonly xiAlpha: XiAlpha;
  readonly method: HeldOutMethod;
  /**
   * Held-out decision values of positives, then negatives; NaN if unknown. For the calibrated scale see {@link
   * heldOutCalibrated}.
   */
  readonly heldOut: Float64Array;
  /**
   * Scores of the archetypes by the classifier of the user's examples alone, on its calibrated scale, in the
   * decision's order. `undefined` if there is no such classifier.
   */
  readonly likeness: Float64Array | undefined;
  /** The kernel SVM that `calibration`, `heldOut` and the estimates belong to; absent if the linear one decides. */
  readonly kernel?: TrainedKernel;
}

/** A kernel SVM that decides in place of the linear one beside it. */
export interface TrainedKernel extends KernelSvm {
  readonly kernel: CurvedKernel;
  /** Positions of the documents of `coefficients`. */
  readonly documents: readonly number[];
  /** Scale of the linear SVM, whose weights still explain verdicts and rate links. */
  readonly linear: Calibration;
}

interface TrainingOptions {
  readonly config: Config['learn'];
  readonly random: Random;
  /** Fetched pages that the user did not judge, with all their features in these parts. */
  readonly fetched: FetchedPages;
}

/** Numbers of features that `auto` tries; the first of equally good ones wins. */
const AUTO_FEATURES = [2_000, 1_000, 500, 200] as const;

/**
 * Trains one topic's SVM in one space, with its estimates and its calibrated scale. `auto` trains once per number of
 * features and keeps the one that ranks held-out pages best.
 */
export function trainSpace(decision: Decision, space: JoinedSpace, options: TrainingOptions): TrainedSpace {
  const { features } = options.config;
  if (features !== 'auto') return trainWith(features, decision, space, options);
  const [first, ...others] = AUTO_FEATURES.map((count) => trainWith(count, decision, space, options));
  const rank = (trained: TrainedSpace): number => heldOutRank(trained, decision.positives.length);
  return others.reduce((best, trained) => (rank(trained) > rank(best) ? trained : best), first!);
}

/** Share of held-out pairs in the right order; the xi-alpha estimate if there are no pairs. In [0,1] */
function heldOutRank({ heldOut, xiAlpha }: TrainedSpace, positives: number): number {
  const known = (score: number): boolean => !Number.isNaN(score);
  const good = [...heldOut.subarray(0, positives)].filter(known);
  const bad = [...heldOut.subarray(positives)].filter(known);
  if (good.length > 0 && bad.length > 0) return rankAbove(good, bad);
  return Number.isNaN(xiAlpha.precision) ? 0 : xiAlpha.precision;
}

function trainWith(features: number, decision: Decision, space: JoinedSpace, options: TrainingOptions): TrainedSpace {
  const { config, fetched } = options;
  const { parts } = space;
  const svm = fitted(features, decision, space, options);
  const teacher = config.calibrated ? givenAlone(features, decision, space, { ...options, svm }) : undefined;
  const { w, b, heldOut, calibration } =
    teacher === undefined ? svm : withFetched(svm, teacher, { decision, space, fetched, features });
  const trained = {
    space: parts.map(({ space }) => space).join('+'),
    parts: splitWeights(parts, svm.selected, w),
    bias: b,
    calibration,
    xiAlpha: svm.xiAlpha,
    method: svm.method,
    heldOut,
    likeness: teacher && likenessBy(teacher, decision, space),
  };
  // Weights of all known features: about half a megabyte each.
  for (const all of new Set([svm.w, teacher?.w ?? w, w])) freeBytes(all);
  return trained;
}

/** A hyperplane with its scale and its held-out decision values. */
interface Fit extends Hyperplane {
  readonly heldOut: Float64Array;
  readonly calibration: Calibration;
}

/** An SVM over its own selection of features. */
interface FittedSvm extends Fit {
  readonly selected: readonly Int32Array[];
  readonly xiAlpha: XiAlpha;
  readonly method: HeldOutMethod;
}

function fitted(
  features: number,
  decision: Decision,
  space: JoinedSpace,
  { config, random }: Pick<TrainingOptions, 'config' | 'random'>,
): FittedSvm {
  const { candidates, C, rho } = config;
  const { parts } = space;
  const selected = parts.map(({ corpus }) => selectBothSides({ corpus, ...decision, candidates, features }));
  const isQuery = decision.queries.length === decision.positives.length && decision.negatives.length > 0;
  if (isQuery) return byQuery(decision, space, selected, { config, random });
  const problem = problemOf(decision, matrixOf(rowsOf(decision), space, selected), { C, random });
  const solution = trainSvm(problem);
  const { w, b } = solution;
  const { method, scores: heldOut } = heldOutScores(problem, solution, LEAVE_ONE_OUT_ROWS);
  const scores = Float64Array.from({ length: problem.x.rows }, (_, i) => rowDot(problem.x, i, w) + b);
  freeMatrix(problem.x);
  const curves = parts.map(({ space }) => SVM_CURVES[space]);
  const fit = {
    w: spread(w, parts, selected),
    b,
    heldOut,
    calibration: calibrate({ y: problem.y, scores, heldOut, curves, given: decision.given, unknown: b }),
    selected,
    xiAlpha: xiAlpha(solution, problem.y, { rho, rSquare: 1 }),
    method,
  };
  freeBytes(w, solution.alphas, solution.slacks, problem.C, scores);
  return fit;
}

/**
 * Builds the classifier of a topic that is known only by the words of a query: they are the hyperplane's normal, and
 * pages of other subjects only fix its offset. Negatives remove the words that positives share with every page, and a
 * query has none of these. Trained against OTHERS, the classifier accepted pages without any of the query's words
 * because they were unlike OTHERS.
 */
function byQuery(
  decision: Decision,
  space: JoinedSpace,
  selected: readonly Int32Array[],
  { config, random }: Pick<TrainingOptions, 'config' | 'random'>,
): FittedSvm {
  const { parts } = space;
  const { positives, given } = decision;
  const words = { ...decision, negatives: [] };
  const problem = problemOf(words, matrixOf(positives, space, selected), { C: config.C, random });
  const solution = trainSvm(problem);
  const { method, scores: heldOutWords } = heldOutScores(problem, solution, LEAVE_ONE_OUT_ROWS);
  freeMatrix(problem.x);
  const w = spread(solution.w, parts, selected);
  const scores = productsOf(rowsOf(decision), space, w).map((product) => product + solution.b);
  const heldOut = scores.map((score, row) => (row < positives.length ? heldOutWords[row]! : score));
  const y = new Int8Array(scores.length).fill(-1).fill(1, 0, positives.length);
  const curves = parts.map(({ space }) => SVM_CURVES[space]);
  return {
    w,
    b: solution.b,
    heldOut,
    calibration: calibrate({ y, scores, heldOut, curves, given }),
    selected,
    xiAlpha: xiAlpha(solution, problem.y, { rho: config.rho, rSquare: 1 }),
    method,
  };
}

interface FetchedInput {
  readonly decision: Decision;
  readonly space: JoinedSpace;
  readonly fetched: FetchedPages;
  readonly features: number;
}

/**
 * What a crawl found can mislead a classifier. So the SVM of the user's pages alone has the share {@link
 * GIVEN_SHARE}, and the correction by fetched pages is learned from it, see {@link selfTrained}.
 * @param teacher the SVM of the user's pages alone; the same one if there are no others
 */
function withFetched(svm: Fit, teacher: Fit, { decision, space, fetched, features }: FetchedInput): Fit {
  if (fetched.vectors.length === 0) return svm;
  const both = teacher === svm ? svm : between(svm, teacher, GIVEN_SHARE);
  const examples = allGiven(decision.given).length;
  const correction = selfTrained({ fetched, svm: both, teacher, examples, features });
  if (correction === undefined) return both;
  const { keep, w, shift } = correction;
  const learned = productsOf(rowsOf(decision), space, w);
  const corrected = {
    w: both.w.map((weight, id) => keep * weight + w[id]!),
    b: keep * both.b + shift,
    heldOut: both.heldOut.map((score, row) => keep * score + (learned[row] ?? 0) + shift),
    calibration: both.calibration,
  };
  freeBytes(w);
  if (both !== svm) freeBytes(both.w);
  return corrected;
}

/**
 * The SVM of the user's pages alone. Pages that the crawl found have no held-out score in it. `undefined` if the user
 * gave no example.
 */
function givenAlone(
  features: number,
  decision: Decision,
  space: JoinedSpace,
  { svm, ...options }: Pick<TrainingOptions, 'config' | 'random'> & { readonly svm: Fit },
): Fit | undefined {
  if (decision.given.length === 0) return undefined;
  if (decision.found.length === 0) return svm;
  const given = givenPart(decision);
  // Without negatives of the user, only rejected pages say what the topic is not.
  if (given.negatives.length === 0 && decision.negatives.length > 0) return svm;
  const fit = fitted(features, given, space, options);
  const heldOut = new Float64Array(svm.heldOut.length).fill(Number.NaN);
  given.rows.forEach((row, i) => {
    heldOut[row] = fit.heldOut[i]!;
  });
  return { ...fit, heldOut };
}

/** See {@link TrainedSpace.likeness}. */
function likenessBy({ w, b, calibration }: Fit, { positives, archetypes }: Decision, space: JoinedSpace): Float64Array {
  const documents = archetypes.map((row) => positives[row]!);
  return productsOf(documents, space, w).map((product) => calibrated(product + b, calibration));
}

/**
 * Interpolates two hyperplanes, nearer to the second by `share`. Rows that this one leaves out keep the held-out
 * score of the first.
 */
function between(a: Fit, b: Fit, share: number): Fit {
  const mixed = (first: number, second: number): number => (1 - share) * first + share * second;
  return {
    w: a.w.map((weight, id) => mixed(weight, b.w[id]!)),
    b: mixed(a.b, b.b),
    heldOut: a.heldOut.map((score, row) => (Number.isNaN(b.heldOut[row]!) ? score : mixed(score, b.heldOut[row]!))),
    calibration: {
      zero: mixed(a.calibration.zero, b.calibration.zero),
      scale: mixed(a.calibration.scale, b.calibration.scale),
    },
  };
}

/** Held-out scores as the full model would give them to new pages; see {@link heldOutShortfall}. */
export function heldOutCalibrated(raw: Float64Array, positives: number, calibration: Calibration): Float64Array {
  const gain = heldOutShortfall(positives);
  return raw.map((score, i) => calibrated(score, calibration) * (i < positives ? gain : 1));
}

/** Rows: positives, then negatives. Without negatives the origin, a page of only unknown words, represents them. */
function problemOf(
  { positives, negatives, doubted }: Decision,
  matrix: SparseMatrix,
  { C, random }: { readonly C: number; readonly random: Random },
): SvmProblem {
  const x = negatives.length === 0 ? withOrigin(matrix) : matrix;
  const y = new Int8Array(x.rows).fill(-1).fill(1, 0, positives.length);
  const costs = new Float64Array(x.rows).fill(C);
  for (const row of doubted) costs[row] = C * ARCHETYPE_TRUST;
  return { x, y, C: costs, random, ...(negatives.length === 0 ? { tolerance: 1e-4 } : {}) };
}

function withOrigin(x: SparseMatrix): SparseMatrix {
  return { ...x, rows: x.rows + 1, starts: Int32Array.from([...x.starts, x.starts.at(-1)!]) };
}

function rowsOf({ positives, negatives }: Decision): readonly number[] {
  return [...positives, ...negatives];
}
