import type { ConfidenceRange, TopicEstimate, TopicGrade } from '../core/index.ts';
import { wilsonInterval } from '../learn/index.ts';

/** Minimum pages of a topic for a grade. The figures here are our choice. */
const FEWEST = 3;
/** Both held-out shares are at least this, with 95 % confidence: six of six pages, or 18 of 21. */
const SURELY_GOOD = 0.6;
/** A share below it is weak. */
const HALF = 0.5;
/** An interval that begins below and ends above these holds weak and good alike. */
const UNDECIDED = { low: 0.35, high: 0.8 };

type Graded = Pick<
  TopicEstimate,
  'positives' | 'heldOutMethod' | 'heldOutPrecision' | 'heldOutRecall' | 'heldOutPrecisionRange' | 'heldOutRecallRange'
>;

/**
 * Grades what a topic has learned by its held-out precision and recall, the worse of the two, with their intervals. `undefined` as an
 * estimate is a topic that was not learned yet.
 */
export function topicGrade(estimate: Graded | undefined): TopicGrade {
  if (estimate === undefined || estimate.positives < FEWEST || estimate.heldOutMethod === 'none')
    return 'too few examples';
  const { precision, recall } = rangesOf(estimate);
  const { share, low, high } = precision.low < recall.low ? precision : recall;
  if (low >= SURELY_GOOD) return 'good';
  if (low < UNDECIDED.low && high > UNDECIDED.high) return 'too few examples';
  return share < HALF ? 'weak' : 'fair';
}

interface Share extends ConfidenceRange {
  readonly share: number;
}

/** Held-out shares with their intervals; rounds of older versions hold none, so that they are made again from the counts. */
function rangesOf(estimate: Graded): { readonly precision: Share; readonly recall: Share } {
  const { positives, heldOutRecall, heldOutPrecision, heldOutPrecisionRange, heldOutRecallRange } = estimate;
  const hits = Math.round((Number.isNaN(heldOutRecall) ? 0 : heldOutRecall) * positives);
  const taken = heldOutPrecision > 0 ? Math.round(hits / heldOutPrecision) : 0;
  return {
    precision: {
      share: Number.isNaN(heldOutPrecision) ? 0 : heldOutPrecision,
      ...(heldOutPrecisionRange ?? wilsonInterval(hits, taken)),
    },
    recall: { share: hits / positives, ...(heldOutRecallRange ?? wilsonInterval(hits, positives)) },
  };
}
