// Constants of the method, not settings: each was measured on frozen webs.

/**
 * Up to this number of rows, each one is left out in turn; beyond, five folds are used. Leave-one-out costs one
 * training per row.
 */
export const LEAVE_ONE_OUT_ROWS = 100;

/**
 * λ of the naive Bayes estimate. Focus eq. (1) uses 1. With three examples .2 ranks pages better (average precision
 * .46 against .43), with ten it makes no difference.
 */
export const BAYES_SMOOTHING = 0.2;

/**
 * Share of naive Bayes in the graded relevance; the SVM has the rest. A larger share costs average precision. In
 * [0,1]
 */
export const BAYES_SHARE = 0.2;

/**
 * Cost of an error at an archetype, relative to one at a user's example. With full cost, archetypes lower the average
 * precision of the last model, because they outnumber three examples and resemble the most typical of them. In (0,1]
 */
export const ARCHETYPE_TRUST = 0.2;

/**
 * Share of the SVM of the user's examples in a topic's SVM. The SVM that also trains on archetypes and rejected pages
 * has the rest. With one half the last model ranked worse than the first on more topics (docs/quality.md). In [0,1]
 */
export const GIVEN_SHARE = 0.8;

/** Exponent of the teacher's scores as targets of self-training: the surest pages define the topic. */
export const FETCHED_POWER = 2;

/** λ of the regression over fetched pages, whose vectors have length 1. */
export const FETCHED_STRENGTH = 4;

/** Number of fetched pages at which their regression counts half as much as the SVM. */
export const FETCHED_DOUBT = 50;
