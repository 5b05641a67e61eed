import { freeBytes } from '../core/index.ts';
import {
  type Calibration,
  calibrated,
  dot,
  FETCHED_DOUBT,
  FETCHED_POWER,
  FETCHED_STRENGTH,
  type SparseVector,
  sparseRidge,
} from '../learn/index.ts';

/** A hyperplane over all features. */
export interface Hyperplane {
  readonly w: Float64Array;
  readonly b: number;
}

/** What an SVM is corrected by. */
export interface SelfTrainingInput {
  /** Fetched pages that no person judged. */
  readonly fetched: readonly SparseVector[];
  /** The SVM that is corrected. */
  readonly svm: Hyperplane;
  /** The SVM of a person's examples alone, which the correction is learned from. */
  readonly teacher: Hyperplane & { readonly calibration: Calibration };
  /** Examples that people gave of the topic. */
  readonly examples: number;
  /** Features that are added to those of the SVM at the most. */
  readonly features: number;
}

/** To be added to an SVM: decision value = `keep` · SVM + w·x + `shift`. */
export interface Correction {
  readonly keep: number;
  /** As long as the SVM's. */
  readonly w: Float64Array;
  readonly shift: number;
}

/** Fetched pages below which nothing is learned from them. */
const LEAST_FETCHED = 30;
/** With more examples than these, which say more themselves, fetched pages count for less. */
const FEW_EXAMPLES = 3;
/** Targets are clipped here: copies of an example say no more than its best likenesses. */
const MOST = 1.5;
const PASSES = 10;

/**
 * Learns from the pages that were fetched what the examples do not say. The classifier of a person's examples alone is the
 * teacher: its scores, raised to a power so that the surest count, are the targets of a ridge regression over the fetched pages; SVM
 * and regression then count the same, where examples are few. Words that tell the surest pages from the others around them are the topic's, whether an
 * example has them or not. The teacher knows no archetype, so that no round builds on the mistakes of the one before.
 *
 * Mean and spread of the scores over the fetched pages stay what they were: the calibrated scale stays in force.
 * @returns `undefined` when there is too little to learn from
 */
export function selfTrained({ fetched, svm, teacher, examples, features }: SelfTrainingInput): Correction | undefined {
  if (fetched.length < LEAST_FETCHED) return undefined;
  const targets = valuesOf(fetched, teacher).map(
    (value) => Math.min(MOST, Math.max(0, calibrated(value, teacher.calibration))) ** FETCHED_POWER,
  );
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

/** Decision values of all pages. */
function valuesOf(fetched: readonly SparseVector[], { w, b }: Hyperplane): Float64Array {
  return Float64Array.from(fetched, (page) => dot(page, w) + b);
}

/** The weights of the SVM's own features, and of the others the `most` greatest: a model's size is bounded. */
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
