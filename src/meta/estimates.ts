import type { ConfidenceRange, Config, TopicEstimate, TopicId } from '../core/index.ts';
import { rankAbove, wilsonInterval } from '../learn/index.ts';
import { allGiven, type Decision } from './decisions.ts';
import { heldOutCalibrated, type TrainedSpace } from './space-training.ts';

/** Held-out quality of one set of scores against a threshold. */
export interface HeldOutQuality {
  readonly precision: number;
  readonly recall: number;
  /** Their 95 % confidence interval. */
  readonly precisionRange: ConfidenceRange;
  readonly recallRange: ConfidenceRange;
  /** Area under the ROC curve. */
  readonly auc: number;
}

/** @param scores positives, then negatives; NaN rows are left out */
function heldOutQuality(scores: Float64Array, positives: number, threshold: number): HeldOutQuality {
  const good = scores.subarray(0, positives).filter(isKnown);
  const bad = scores.subarray(positives).filter(isKnown);
  const hits = good.filter((score) => score > threshold).length;
  const intruders = bad.filter((score) => score > threshold).length;
  return {
    precision: hits + intruders === 0 ? Number.NaN : hits / (hits + intruders),
    recall: good.length === 0 ? Number.NaN : hits / good.length,
    precisionRange: wilsonInterval(hits, hits + intruders),
    recallRange: wilsonInterval(hits, good.length),
    auc: rankAbove(good, bad),
  };
}

/** Share of positives among the rows that score above a threshold; NaN if none does. NaN rows are left out. */
export function precisionAt(threshold: number, scores: Float64Array, positives: number): number {
  return heldOutQuality(scores, positives, threshold).precision;
}

/** Held-out quality of one classifier, at the point where it would decide. */
export function spaceQuality(
  trained: HeldOutScale,
  positives: number,
  { calibrated, acceptThreshold }: Pick<Config['learn'], 'calibrated' | 'acceptThreshold'>,
): HeldOutQuality {
  const { heldOut, calibration } = trained;
  return calibrated
    ? heldOutQuality(heldOutCalibrated(heldOut, positives, calibration), positives, acceptThreshold)
    : heldOutQuality(heldOut, positives, 0);
}

/** The classifiers of one decision. */
export interface DecisionClassifiers {
  readonly decision: Decision;
  /** One per feature space. */
  readonly spaces: readonly TrainedSpace[];
  /** Naive Bayes, if it decides in place of the SVMs. */
  readonly judge?: HeldOutScale | undefined;
  /** Page classifiers of the user: their scores per row; NaN rows do not count. */
  readonly voters: readonly HeardScores[];
}

/** Held-out scores of one classifier, positives first, with its scale; NaN if unknown. */
export type HeldOutScale = Pick<TrainedSpace, 'heldOut' | 'calibration'>;

/** Scores of one page classifier: positives, then negatives; NaN without a vote. */
export interface HeardScores {
  /** In [-1,1]. */
  readonly confidences: Float64Array;
  readonly calibrated: Float64Array;
}

/** Mean held-out score of each row over the classifiers of a decision. */
export function meanHeldOut(
  { decision: { positives }, spaces, judge, voters }: DecisionClassifiers,
  calibrated: boolean,
): Float64Array {
  const scores = (judge === undefined ? spaces : [judge]).map(({ heldOut, calibration }) =>
    calibrated ? heldOutCalibrated(heldOut, positives.length, calibration) : heldOut,
  );
  const votes = voters.map((voter) => (calibrated ? voter.calibrated : voter.confidences));
  return scores[0]!.map((_, row) => {
    const heard = votes.filter((values) => isKnown(values[row]!));
    return [...scores, ...heard].reduce((sum, values) => sum + values[row]!, 0) / (scores.length + heard.length);
  });
}

/**
 * The estimate of a topic: xi-alpha of its best classifier, held-out figures of all classifiers together. Naive Bayes
 * has no xi-alpha.
 */
export function estimateOf(
  trained: DecisionClassifiers,
  context: {
    readonly config: Config['learn'];
    /** Calibrated scores of off-topic pages outside the topic's training set. */
    readonly background: readonly number[];
  },
): TopicEstimate {
  const { decision, spaces, judge } = trained;
  const { positives, negatives } = decision;
  const { calibrated, acceptThreshold } = context.config;
  const scores = meanHeldOut(trained, calibrated);
  const quality = heldOutQuality(scores, positives.length, calibrated ? acceptThreshold : 0);
  const xiAlpha = judge === undefined ? bestByXiAlpha(spaces).xiAlpha : { precision: Number.NaN, recall: Number.NaN };
  return {
    topic: decision.topic,
    positives: positives.length,
    negatives: negatives.length,
    xiAlphaPrecision: xiAlpha.precision,
    xiAlphaRecall: xiAlpha.recall,
    heldOutPrecision: quality.precision,
    heldOutRecall: quality.recall,
    heldOutMethod: judge === undefined ? spaces[0]!.method : 'leave-one-out',
    heldOutPrecisionRange: quality.precisionRange,
    heldOutRecallRange: quality.recallRange,
    heldOutAuc: quality.auc,
    exampleRank: exampleRank(decision, meanHeldOut(trained, true), context.background),
    features: spaces.reduce((sum, { parts }) => sum + parts.reduce((n, { selected }) => n + selected.length, 0), 0),
  };
}

/** The estimate of a topic without examples. */
export function emptyEstimate(topic: TopicId): TopicEstimate {
  const none = Number.NaN;
  return {
    topic,
    positives: 0,
    negatives: 0,
    xiAlphaPrecision: none,
    xiAlphaRecall: none,
    heldOutPrecision: none,
    heldOutRecall: none,
    heldOutMethod: 'none',
    heldOutPrecisionRange: wilsonInterval(0, 0),
    heldOutRecallRange: wilsonInterval(0, 0),
    heldOutAuc: none,
    exampleRank: none,
    features: 0,
  };
}

/** Rank of the user's own held-out examples among held-out negatives and the background; NaN if unknown. */
function exampleRank({ positives, given }: Decision, scores: Float64Array, background: readonly number[]): number {
  const examples = allGiven(given).map((row) => scores[row]!);
  const offTopic = [...scores.subarray(positives.length), ...background];
  return rankAbove(examples.filter(isKnown), offTopic.filter(isKnown));
}

function isKnown(score: number): boolean {
  return !Number.isNaN(score);
}

function bestByXiAlpha(spaces: readonly TrainedSpace[]): TrainedSpace {
  const precision = ({ xiAlpha }: TrainedSpace): number => (Number.isNaN(xiAlpha.precision) ? -1 : xiAlpha.precision);
  return spaces.reduce((best, trained) => (precision(trained) > precision(best) ? trained : best));
}
