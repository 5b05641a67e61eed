import type { Config, FeatureSpace, Random } from '../core/index.ts';
import {
  type Calibration,
  type Corpus,
  calibrate,
  calibrated,
  columnsOf,
  type HeldOutMethod,
  heldOutScores,
  heldOutShortfall,
  LEAVE_ONE_OUT_ROWS,
  type Rarity,
  rankAbove,
  rowDot,
  type SparseMatrix,
  type SparseVector,
  SVM_CURVES,
  type SvmProblem,
  type SvmSolution,
  selectBothSides,
  sparseMatrix,
  trainSvm,
  vectorize,
  type XiAlpha,
  xiAlpha,
} from '../learn/index.ts';
import type { Decision } from './decisions.ts';

/** All documents in one feature space. */
export interface SpaceData {
  readonly space: FeatureSpace;
  readonly corpus: Corpus;
  readonly rarity: Rarity;
}

/** Weights of one part of a space, by feature number in the part's corpus. */
export interface PartWeights {
  readonly space: FeatureSpace;
  /** All selected features, those of weight 0 too. */
  readonly selected: Int32Array;
  readonly weights: Float64Array;
}

/** What training one decision in one space came to. */
export interface TrainedSpace {
  /** Parts joined by `+`. */
  readonly space: string;
  readonly parts: readonly PartWeights[];
  readonly bias: number;
  readonly calibration: Calibration;
  readonly xiAlpha: XiAlpha;
  readonly method: HeldOutMethod;
  /** Held-out scores of positives, then negatives, on the calibrated scale; NaN when unknown. */
  readonly heldOut: Float64Array;
  /** Held-out decision values, as they are. */
  readonly heldOutRaw: Float64Array;
}

interface TrainingOptions {
  readonly config: Config['learn'];
  readonly random: Random;
}

/** Numbers of features that `auto` tries; of equally good ones the first wins. */
const AUTO_FEATURES = [2_000, 1_000, 500, 200] as const;

/**
 * Trains one topic's SVM in one space, with its estimates and its calibrated scale. With `auto` once for each number of
 * features, and the one is kept that ranks held-out pages best.
 */
export function trainSpace(decision: Decision, parts: readonly SpaceData[], options: TrainingOptions): TrainedSpace {
  const { features } = options.config;
  if (features !== 'auto') return trainWith(features, decision, parts, options);
  const [first, ...others] = AUTO_FEATURES.map((count) => trainWith(count, decision, parts, options));
  const rank = (trained: TrainedSpace): number => heldOutRank(trained, decision.positives.length);
  return others.reduce((best, trained) => (rank(trained) > rank(best) ? trained : best), first!);
}

/** Share of held-out pairs in the right order; where there are none, what xi-alpha says. In [0,1] */
function heldOutRank({ heldOutRaw, xiAlpha }: TrainedSpace, positives: number): number {
  const known = (score: number): boolean => !Number.isNaN(score);
  const good = [...heldOutRaw.subarray(0, positives)].filter(known);
  const bad = [...heldOutRaw.subarray(positives)].filter(known);
  if (good.length > 0 && bad.length > 0) return rankAbove(good, bad);
  return Number.isNaN(xiAlpha.precision) ? 0 : xiAlpha.precision;
}

function trainWith(
  features: number,
  decision: Decision,
  parts: readonly SpaceData[],
  { config, random }: TrainingOptions,
): TrainedSpace {
  const { candidates } = config;
  const selected = parts.map(({ corpus }) => selectBothSides({ corpus, ...decision, candidates, features }));
  const problem = problemOf(decision, matrixOf(decision, parts, selected), { C: config.C, random });
  const solution = trainSvm(problem);
  const { method, scores: heldOutRaw } = heldOutScores(problem, solution, LEAVE_ONE_OUT_ROWS);
  const scores = Float64Array.from({ length: problem.x.rows }, (_, i) => rowDot(problem.x, i, solution.w) + solution.b);
  const calibration = calibrate({
    y: problem.y,
    scores,
    heldOut: heldOutRaw,
    curves: parts.map(({ space }) => SVM_CURVES[space]),
    typical: decision.typical,
  });
  return {
    space: parts.map(({ space }) => space).join('+'),
    parts: splitWeights(parts, selected, solution),
    bias: solution.b,
    calibration,
    xiAlpha: xiAlpha(solution, problem.y, { rho: config.rho, rSquare: 1 }),
    method,
    heldOut: heldOutCalibrated(heldOutRaw, decision.positives.length, calibration),
    heldOutRaw,
  };
}

/** Held-out scores as the full model would give them to fresh pages; see {@link heldOutShortfall}. */
export function heldOutCalibrated(raw: Float64Array, positives: number, calibration: Calibration): Float64Array {
  const gain = heldOutShortfall(positives);
  return raw.map((score, i) => calibrated(score, calibration) * (i < positives ? gain : 1));
}

/** Rows: positives, then negatives. Without any negative the origin, a page of unknown words alone, stands for them. */
function problemOf(
  { positives, negatives, trust }: Decision,
  x: SparseMatrix,
  { C, random }: { readonly C: number; readonly random: Random },
): SvmProblem {
  const y = new Int8Array(x.rows).fill(-1).fill(1, 0, positives.length);
  const costs = Float64Array.from({ length: x.rows }, (_, row) => C * (trust[row] ?? 1));
  return { x, y, C: costs, random, ...(negatives.length === 0 ? { tolerance: 1e-4 } : {}) };
}

function matrixOf(
  { positives, negatives }: Decision,
  parts: readonly SpaceData[],
  selected: readonly Int32Array[],
): SparseMatrix {
  const documents = [...positives, ...negatives];
  const width = selected.reduce((sum, ids) => sum + ids.length, 0);
  const rows: SparseVector[] = documents.map(() => ({ indices: new Int32Array(0), values: new Float32Array(0) }));
  let offset = 0;
  parts.forEach(({ corpus, rarity }, part) => {
    const columns = columnsOf(selected[part]!, corpus.names.length);
    documents.forEach((document, row) => {
      const vector = vectorize(corpus.bags[document]!, rarity, columns);
      rows[row] = joined(rows[row]!, vector, { offset, scale: 1 / Math.sqrt(parts.length) });
    });
    offset += selected[part]!.length;
  });
  if (negatives.length === 0) rows.push({ indices: new Int32Array(0), values: new Float32Array(0) });
  return sparseMatrix(rows, width);
}

function joined(a: SparseVector, b: SparseVector, { offset, scale }: { offset: number; scale: number }): SparseVector {
  if (a.indices.length === 0 && offset === 0 && scale === 1) return b;
  return {
    indices: Int32Array.from([...a.indices, ...b.indices.map((index) => index + offset)]),
    values: Float32Array.from([...a.values, ...b.values.map((value) => value * scale)]),
  };
}

function splitWeights(
  parts: readonly SpaceData[],
  selected: readonly Int32Array[],
  { w }: SvmSolution,
): readonly PartWeights[] {
  let offset = 0;
  return parts.map(({ space }, part) => {
    const ids = selected[part]!;
    const weights = w.slice(offset, offset + ids.length);
    offset += ids.length;
    return { space, selected: ids, weights };
  });
}
