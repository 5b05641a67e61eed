import type { FeatureSpace } from '../core/index.ts';

/** A linear map from a classifier's own scale to the calibrated one. */
export interface Calibration {
  /** Score that maps to 0: the mean of held-out negatives. */
  readonly zero: number;
  /** Score distance that maps to 1: from `zero` to the expected mean of positives outside the training set. > 0 */
  readonly scale: number;
}

/** Scores of the training rows, by the model trained on them and by models trained without them. */
export interface CalibrationInput {
  readonly y: Int8Array;
  /** By the full model. */
  readonly scores: ArrayLike<number>;
  /** By models trained without the row; NaN if there is no such model. */
  readonly heldOut: ArrayLike<number>;
  /** Share of the positives' training score that new pages are expected to reach: one curve per part of the space. */
  readonly curves: readonly LearningCurve[];
  /**
   * Positives that the user gave, for each topic of the subtree that has some. Archetypes were picked for their high
   * scores; a scale fitted to them would ask too much of every other page. Default: all positives, as named examples
   * of one topic.
   */
  readonly given?: readonly GivenRows[];
  /** Score of a page without known words: the bias of an SVM. Default: unknown. */
  readonly unknown?: number;
}

/** Positives of one topic that the user gave. */
export interface GivenRows {
  /** Named by the user. They represent the whole topic. */
  readonly named: readonly number[];
  /**
   * Found by the crawl and marked by the user. Like archetypes, the crawl fetched them because classifiers were sure
   * of them.
   */
  readonly marked: readonly number[];
}

/**
 * Share of the distance between training positives and held-out negatives that new positives keep, as a function of
 * the number n of positives: `first · n^growth`, at most 1. With few examples each example explains itself, and a new
 * page shares little with any of them.
 */
export interface LearningCurve {
  readonly first: number;
  readonly growth: number;
}

/**
 * Measured on three webs with 1, 2 and 3 examples; for terms also with 5 and 10: .06, .10, .15, .20, .34 of the
 * distance. A combined space keeps about the mean of its parts.
 */
export const SVM_CURVES: Readonly<Record<FeatureSpace, LearningCurve>> = Object.freeze({
  terms: { first: 0.065, growth: 0.72 },
  pairs: { first: 0.011, growth: 1.1 },
  anchors: { first: 0.013, growth: 1 },
  neighbours: { first: 0.106, growth: 0.72 },
  lead: { first: 0.08, growth: 0.72 },
  // Not measured: as for terms.
  form: { first: 0.065, growth: 0.72 },
  meaning: { first: 0.065, growth: 0.72 },
});
/** The same for the length-normalised naive Bayes score: .11, .15, .21, .24, .32. */
export const BAYES_CURVE: LearningCurve = Object.freeze({ first: 0.11, growth: 0.47 });

/**
 * A marked page counts as this many other examples: it resembles what the model knows already. Measured
 * (docs/quality.md, "What marks are worth").
 */
const MARKED_WIDENS = 0.5;
/** Number of positives at which held-out scores and the learning curve count the same. */
const TRUST = 5;
/**
 * A mean near or below that of the negatives is bad luck and no basis for a scale. The scale is at least this part of
 * the expected one.
 */
const LEAST_PART = 1 / 8;
/**
 * Examples that an SVM recognizes by more than this multiple of the expected score are near duplicates. Their scores
 * do not predict the topic's other pages. Three examples drawn by chance reach 2.7 at most, two near duplicates 3.1
 * to 9 (docs/quality.md, "A few OTHERS").
 */
const MOST_PARTS = 3;
/** Upper bound, beside such examples, for a page without known words: an accepted page must have words of the topic. */
const MOST_UNKNOWN = 0.5;

/**
 * Fits the calibrated scale. 0 is the mean of held-out negatives. 1 is the expected mean score of positives outside
 * the training set, see {@link measure}. For a topic with subtopics each subtopic counts the same (a geometric mean).
 * Otherwise a subtopic with ten similar examples would require the pages of all others to resemble them.
 */
export function calibrate(input: CalibrationInput): Calibration {
  const { y, scores, heldOut, unknown = Number.NEGATIVE_INFINITY } = input;
  const positives = rowsOf(y, 1);
  const negatives = rowsOf(y, -1);
  const zero = meanKnown(negatives, heldOut) ?? meanKnown(negatives, scores) ?? 0;
  const known = (input.given ?? []).filter(({ named, marked }) => named.length + marked.length > 0);
  const given = (known.length > 0 ? known : [{ named: positives, marked: [] }]).map(typicalOf);
  // A subtopic whose examples the model does not recognize would open the topic to everything.
  const all = { rows: given.flatMap(({ rows }) => rows), others: given.reduce((sum, { others }) => sum + others, 0) };
  const least = LEAST_PART * measure(all, zero, input).scale;
  const measures = given.map((one) => measure(one, zero, input));
  // The root of each factor first: the product of the scales of hundreds of topics would underflow to 0.
  const scale = measures.reduce((product, one) => product * Math.max(one.scale, least) ** (1 / given.length), 1);
  const isShort = measures.some(({ areAlike }) => areAlike);
  return { zero: isShort ? Math.max(zero, unknown - MOST_UNKNOWN * scale) : zero, scale };
}

/** Rows that represent a topic, and the number of examples that the user's other rows count for. */
interface Typical {
  readonly rows: readonly number[];
  readonly others: number;
}

function typicalOf({ named, marked }: GivenRows): Typical {
  return named.length > 0 ? { rows: named, others: MARKED_WIDENS * marked.length } : { rows: marked, others: 0 };
}

/**
 * Expected score distance of new pages like these positives. With many positives it follows from held-out scores,
 * with one from the learning curve, in between from both (a geometric mean, because two or three held-out scores can
 * be wrong by a factor of three). For near duplicates it follows from the curve alone, see {@link MOST_PARTS}.
 */
function measure(
  { rows, others }: Typical,
  zero: number,
  { y, scores, heldOut, curves, unknown }: CalibrationInput,
): { readonly scale: number; readonly areAlike: boolean } {
  const training = Math.max((meanKnown(rows, scores) ?? 1) - zero, 1e-6);
  // Archetypes resemble what the model knows already, so they do not widen it as other examples would.
  const expected = training * expectedShare(curves, rows.length + others);
  const known = meanKnown(rows, heldOut);
  if (known === undefined) return { scale: expected, areAlike: false };
  const distance = (known - zero) * heldOutShortfall(rowsOf(y, 1).length);
  if (unknown !== undefined && distance > MOST_PARTS * expected) return { scale: expected, areAlike: true };
  const measured = Math.max(distance, expected * LEAST_PART);
  const trust = rows.length / (rows.length + TRUST);
  return { scale: Math.exp(trust * Math.log(measured) + (1 - trust) * Math.log(expected)), areAlike: false };
}

function expectedShare(curves: readonly LearningCurve[], examples: number): number {
  const shares = curves.map(({ first, growth }) => Math.min(1, first * examples ** growth));
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/**
 * Returns the gain of the full model over one that lacks one of n positives (n >= 2). A new page meets n examples, a
 * held-out one only n − 1, and scores grow about in proportion. Exact for leave-one-out; too low for folds, which
 * lack a fifth of the n.
 */
export function heldOutShortfall(n: number): number {
  return n > 1 ? n / (n - 1) : 1;
}

/** Maps a score to the calibrated scale. */
export function calibrated(score: number, { zero, scale }: Calibration): number {
  return (score - zero) / scale;
}

/**
 * Maps a calibrated score to relevance in [0,1]. The score is kept from 0 to .75; beyond, it approaches 1 without
 * reaching it (.91 at 1), so that the order of good pages is kept. Clipping at 1 instead costs .09 of average
 * precision.
 */
export function relevanceOf(score: number): number {
  if (!(score > 0)) return 0;
  return score <= SHOULDER ? score : 1 - (1 - SHOULDER) * Math.exp((SHOULDER - score) / (1 - SHOULDER));
}

const SHOULDER = 0.75;

function rowsOf(y: Int8Array, sign: number): number[] {
  const rows: number[] = [];
  for (let i = 0; i < y.length; i++) if (y[i] === sign) rows.push(i);
  return rows;
}

function meanKnown(rows: readonly number[], values: ArrayLike<number>): number | undefined {
  let sum = 0;
  let n = 0;
  for (const i of rows) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    sum += value;
    n++;
  }
  return n === 0 ? undefined : sum / n;
}
