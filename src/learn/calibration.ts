import type { FeatureSpace } from '../core/index.ts';

/** A straight line from a classifier's own scale to the calibrated one. */
export interface Calibration {
  /** Score that becomes 0: the mean of held-out negatives. */
  readonly zero: number;
  /** Score distance that becomes 1: from there to the mean of positives not trained on. > 0 */
  readonly scale: number;
}

/** Scores of the training rows: by the model that saw them, and by models that did not. */
export interface CalibrationInput {
  readonly y: Int8Array;
  /** By the full model. */
  readonly scores: ArrayLike<number>;
  /** By models trained without the row; NaN where there is none. */
  readonly heldOut: ArrayLike<number>;
  /** How much of the positives' training score new pages can be expected to reach: one curve a part of the space. */
  readonly curves: readonly LearningCurve[];
  /**
   * Positives that people gave, for each topic of the subtree that has some. Archetypes were picked for their high scores; a scale fitted
   * to them would ask too much of every other page. Default: all positives, as named of one topic.
   */
  readonly given?: readonly GivenRows[];
  /** Score of a page of which no word is known: the bias of an SVM. Default: nothing is known of such pages. */
  readonly unknown?: number;
}

/** Positives of one topic that people gave. */
export interface GivenRows {
  /** Those that somebody named: they stand for the topic at large. */
  readonly named: readonly number[];
  /** Those that the crawl had found and somebody marked: like archetypes they were seen because classifiers were sure of them. */
  readonly marked: readonly number[];
}

/**
 * Share of the distance between training positives and held-out negatives that fresh positives keep, as a function of
 * the number n of positives: `first · n^growth`, at most 1. With few examples each example explains itself, and a
 * fresh page shares little with any of them.
 */
export interface LearningCurve {
  readonly first: number;
  readonly growth: number;
}

/**
 * Measured on three webs with 1, 2 and 3 examples; of terms also with 5 and 10: .06, .10, .15, .20, .34 of the distance.
 * A joined space keeps about the mean of its parts.
 */
export const SVM_CURVES: Readonly<Record<FeatureSpace, LearningCurve>> = Object.freeze({
  terms: { first: 0.065, growth: 0.72 },
  pairs: { first: 0.011, growth: 1.1 },
  anchors: { first: 0.013, growth: 1 },
  neighbours: { first: 0.106, growth: 0.72 },
});
/** The same for the length-normalised naive Bayes score: .11, .15, .21, .24, .32. */
export const BAYES_CURVE: LearningCurve = Object.freeze({ first: 0.11, growth: 0.47 });

/** As many other examples as a marked page widens the model by: it is like what the model knows already. By measurement (docs/quality.md, "What marks are worth"). */
const MARKED_WIDENS = 0.5;
/** Positives at which held-out scores and the learning curve count the same. */
const TRUST = 5;
/** A mean near or below that of the negatives is bad luck, not a scale: nothing is taken for less than this part of what was to be expected. */
const LEAST_PART = 1 / 8;
/**
 * Examples that an SVM knows again by more than so many times what was to be expected are much alike: that says nothing of the topic's
 * other pages. Three examples drawn by chance reach 2.7 at most, two that are much alike 3.1 to 9 (docs/quality.md, "A few OTHERS").
 */
const MOST_PARTS = 3;
/** Beside such examples, what a page of which no word is known has at most: what is accepted must have words of the topic. */
const MOST_UNKNOWN = 0.5;

/**
 * Fits the calibrated scale. 0 is the mean of held-out negatives. 1 is the mean score expected of positives that were
 * not trained on, see {@link measure}. Of a topic with subtopics each of these counts the same (a geometric mean): ten examples
 * of one that are much alike would ask of the pages of all others to be as much like them.
 */
export function calibrate(input: CalibrationInput): Calibration {
  const { y, scores, heldOut, unknown = Number.NEGATIVE_INFINITY } = input;
  const positives = rowsOf(y, 1);
  const negatives = rowsOf(y, -1);
  const zero = meanKnown(negatives, heldOut) ?? meanKnown(negatives, scores) ?? 0;
  const known = (input.given ?? []).filter(({ named, marked }) => named.length + marked.length > 0);
  const given = (known.length > 0 ? known : [{ named: positives, marked: [] }]).map(typicalOf);
  // A subtopic whose examples the model does not know again would open the topic to everything.
  const all = { rows: given.flatMap(({ rows }) => rows), others: given.reduce((sum, { others }) => sum + others, 0) };
  const least = LEAST_PART * measure(all, zero, input).scale;
  const measures = given.map((one) => measure(one, zero, input));
  // The root of each one: the product of the scales of hundreds of topics would be 0.
  const scale = measures.reduce((product, one) => product * Math.max(one.scale, least) ** (1 / given.length), 1);
  const isShort = measures.some(({ areAlike }) => areAlike);
  return { zero: isShort ? Math.max(zero, unknown - MOST_UNKNOWN * scale) : zero, scale };
}

/** Rows that stand for a topic, and how many examples the others that people gave count for. */
interface Typical {
  readonly rows: readonly number[];
  readonly others: number;
}

function typicalOf({ named, marked }: GivenRows): Typical {
  return named.length > 0 ? { rows: named, others: MARKED_WIDENS * marked.length } : { rows: marked, others: 0 };
}

/**
 * Score distance that is expected of fresh pages like some positives: from held-out positives when there are many, from the
 * learning curve when there is one, and in between from both (a geometric mean, because two or three held-out scores may be
 * off by a factor of three). From the curve alone where they are much alike, see {@link MOST_PARTS}.
 */
function measure(
  { rows, others }: Typical,
  zero: number,
  { y, scores, heldOut, curves, unknown }: CalibrationInput,
): { readonly scale: number; readonly areAlike: boolean } {
  const training = Math.max((meanKnown(rows, scores) ?? 1) - zero, 1e-6);
  // Archetypes are like what the model knows already: they do not widen it as other examples would.
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
 * What the full model gains over one that lacks one of n positives (2 or more): a fresh page meets n examples, a
 * held-out one only n − 1, and scores grow about in proportion. Made for leave-one-out; low for folds, which miss a fifth of the n.
 */
export function heldOutShortfall(n: number): number {
  return n > 1 ? n / (n - 1) : 1;
}

/** A score on the calibrated scale. */
export function calibrated(score: number, { zero, scale }: Calibration): number {
  return (score - zero) / scale;
}

/**
 * A calibrated score as relevance in [0,1]: the score itself from 0 to .75, then ever closer to 1 without reaching it
 * (.91 at 1), so that the order of good pages is kept. Cutting at 1 instead costs .09 of average precision.
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
