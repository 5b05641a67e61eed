// Constants of the method, as opposed to settings: each was measured on frozen webs and is no matter of taste.

/** Rows up to which every one is left out in turn; beyond, five folds do. Exactness costs one retraining a row. */
export const LEAVE_ONE_OUT_ROWS = 100;

/**
 * λ of the naive Bayes estimate. Focus eq. (1) has 1; with three examples .2 ranks pages better (average precision
 * .46 against .43), with ten it makes no difference.
 */
export const BAYES_SMOOTHING = 0.2;

/** Part of naive Bayes in the graded relevance, the rest is the SVM's. More costs average precision. In [0,1] */
export const BAYES_SHARE = 0.2;

/**
 * Cost of an error at an archetype, relative to one at a person's example. Counted in full, archetypes lower the average
 * precision of the last model, because they outnumber three examples and are like the most typical of them. In (0,1]
 */
export const ARCHETYPE_TRUST = 0.2;

/**
 * Part that the SVM of what people gave has in a topic's SVM; the rest has the one that also trains on archetypes and rejected pages.
 * With one half the last model ranked worse than the first on more topics (docs/quality.md). In [0,1]
 */
export const GIVEN_SHARE = 0.8;

/** Power of the teacher's scores as targets of self-training: the surest pages say what the topic is. */
export const FETCHED_POWER = 2;

/** λ of the regression over fetched pages, whose vectors have length 1. */
export const FETCHED_STRENGTH = 4;

/** Fetched pages at which their regression counts half as much as the SVM. */
export const FETCHED_DOUBT = 50;
