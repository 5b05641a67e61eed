import { freeBytes } from '../kit/index.ts';
import {
  type Calibration,
  calibrated,
  dot,
  FETCHED_DOUBT,
  FETCHED_POWER,
  FETCHED_STRENGTH,
  meanOfNearest,
  type Nearest,
  type SparseVector,
  sparseRidge,
} from '../learn/index.ts';

/** A hyperplane over all features. */
export interface Hyperplane {
  readonly w: Float64Array;
  readonly b: number;
}

/** Fetched pages, and the nearest neighbours of each among them. */
export interface FetchedRows {
  readonly vectors: readonly SparseVector[];
  readonly nearest: Nearest;
}

/** Input of the correction of an SVM. */
export interface SelfTrainingInput {
  /** Fetched pages that the user did not judge. */
  readonly fetched: FetchedRows;
  /** The SVM to correct. */
  readonly svm: Hyperplane;
  /** The SVM of the user's examples alone. The correction is learned from it. */
  readonly teacher: Hyperplane & { readonly calibration: Calibration };
  /** Number of examples that the user gave for the topic. */
  readonly examples: number;
  /** Maximum number of features added to those of the SVM. */
  readonly features: number;
}

/** A correction of an SVM: decision value = `keep` · SVM + w·x + `shift`. */
export interface Correction {
  readonly keep: number;
  /** Length = that of the SVM's `w`. */
  readonly w: Float64Array;
  readonly shift: number;
}

/** With fewer fetched pages than this, nothing is learned from them. */
const LEAST_FETCHED = 30;
/** With more examples than this, fetched pages count less. */
const FEW_EXAMPLES = 3;
/** Targets are clipped here: a copy of an example counts no more than its best likeness. */
const MOST = 1.5;
const PASSES = 10;
/** Share of the neighbours' targets in a page's own target; measured (docs/quality.md#neighbours). */
const NEIGHBOURS_SHARE = 0.7;
/** Number of times that targets pass to neighbours. */
const STEPS = 2;

/**
 * Learns from fetched pages what the examples lack. The classifier of the user's examples alone is the teacher: its
 * scores, raised to a power so that the surest count, are the targets of a ridge regression over the fetched pages.
 * With few examples, SVM and regression count the same. Words that separate the surest pages from their surroundings
 * belong to the topic, even if no example has them. The teacher knows no archetype, so no round amplifies the
 * mistakes of the one before.
 *
 * Mean and spread of the scores over the fetched pages are kept, so the calibrated scale stays valid.
 * @returns `undefined` if there are too few fetched pages
 */
export function selfTrained(input: SelfTrainingInput): Correction | undefined {
  const { svm, examples, features } = input;
  const fetched = input.fetched.vectors;
  if (fetched.length < LEAST_FETCHED) return undefined;
  const targets = targetsOf(input);
  const columns = svm.w.length;
  const { w: all } = sparseRidge(fetched, targets, { columns, strength: FETCHED_STRENGTH, passes: PASSES });
  const w = strongest(all, svm.w, features);
  freeBytes(all);
  const scores = valuesOf(fetched, svm);
  const learned = valuesOf(fetched, { w, b: 0 });
  const own = spreadOf(scores);
  const other = spreadOf(learned);
  if (own.deviation === 0 || other.deviation === 0) return undefined;
  const trust = (fetched.length / (fetched.length + FETCHED_DOUBT)) * (FEW_EXAMPLES / Math.max(FEW_EXAMPLES, examples));
  const gain = (trust * own.deviation) / other.deviation;
  const sum = spreadOf(scores.map((score, i) => score + gain * learned[i]!));
  const keep = own.deviation / sum.deviation;
  const correction = { keep, w: w.map((weight) => keep * gain * weight), shift: own.mean - keep * sum.mean };
  freeBytes(w);
  return correction;
}

/**
 * What the regression learns. The teacher knows the words of a few examples. A page without them that is near pages
 * with them belongs to the topic, too; a page that has them by chance is among others.
 */
function targetsOf({ fetched: { vectors, nearest }, teacher }: SelfTrainingInput): Float64Array {
  const own = valuesOf(vectors, teacher).map(
    (value) => Math.min(MOST, Math.max(0, calibrated(value, teacher.calibration))) ** FETCHED_POWER,
  );
  let targets = own;
  for (let step = 0; step < STEPS; step++)
    targets = targets.map((target, i) => {
      const around = meanOfNearest(nearest, i, targets) ?? target;
      return (1 - NEIGHBOURS_SHARE) * target + NEIGHBOURS_SHARE * around;
    });
  return targets;
}

/** Decision values of all pages. */
function valuesOf(fetched: readonly SparseVector[], { w, b }: Hyperplane): Float64Array {
  return Float64Array.from(fetched, (page) => dot(page, w) + b);
}

/** The weights of the SVM's own features, plus the `most` greatest of the others: a model's size is bounded. */
function strongest(w: Float64Array, own: Float64Array, most: number): Float64Array {
  const others: number[] = [];
  for (let id = 0; id < w.length; id++) if (w[id] !== 0 && own[id] === 0) others.push(Math.abs(w[id]!));
  const least = others.length <= most ? 0 : Float64Array.from(others).sort()[others.length - most]!;
  return w.map((weight, id) => (own[id] !== 0 || Math.abs(weight) >= least ? weight : 0));
}

function spreadOf(values: Float64Array): { readonly mean: number; readonly deviation: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, deviation: Math.sqrt(square) };
}
