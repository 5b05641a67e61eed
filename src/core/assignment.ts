import type { Confidence, TopicId } from './ids.ts';

/** Scores of one page for one good topic. */
export interface TopicScores {
  readonly topic: TopicId;
  /**
   * Decision value (w·x + b, not divided by ‖w‖) at the topic's own node, averaged over its classifiers. Calibration
   * moves the hyperplane to the accept threshold, so that a single classifier accepts positive values; with several,
   * the meta rule decides.
   */
  readonly confidence: Confidence;
  /**
   * The same on the held-out scale: 0 = mean of held-out negatives, 1 = expected score of new positives
   * (docs/methods.md#the-calibrated-scale).
   */
  readonly calibrated: number;
  /** Naive Bayes Pr[topic | page] (Focus eq. 2), in [0,1]. */
  readonly bayes: number;
  /** Length-normalised naive Bayes score on the held-out scale, not clipped. */
  readonly bayesCalibrated: number;
  /** Cosine to the centroid of the topic's user examples, in [0,1]. */
  readonly cosine: number;
  /** Graded relevance in [0,1]: calibrated SVM and naive Bayes combined; along a path, the minimum over ancestors. */
  readonly relevance: number;
}

/** Where classification ended, top-down (BINGO! §2.4). */
export interface Assignment {
  /** The accepted topic; or, with `others`, the node whose children all rejected the page. */
  readonly topic: TopicId;
  /** If true, the page is in OTHERS of `topic`. */
  readonly others: boolean;
  /** Confidence of the deciding step: of the accepted topic, or the best (still rejected) sibling. */
  readonly confidence: Confidence;
  /** Greatest relevance over the good topics, in [0,1]. */
  readonly relevance: number;
  /** One item per good topic, in tree order. */
  readonly scores: readonly TopicScores[];
  /** Number of the model that decided; 0 if no model existed yet. */
  readonly model: number;
}
