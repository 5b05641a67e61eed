import type { CanonicalUrl, OrderingName, TopicScores } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { FocusMode, LinkOffer, Ordering } from '../ordering.ts';
import { BestOffers } from './best-offers.ts';
import { scoresFor } from './topic-scores.ts';

/** How a page's scores make the priority of its links; `priorityOf` of a page without scores is 0. */
export interface ParentScore {
  readonly name: OrderingName;
  readonly score: (scores: TopicScores) => number;
  /** Absent: every link is offered. */
  readonly focusMode?: FocusMode;
}

/** Cosine of the page and the centroid of the examples: the naive best-first crawler of the literature. */
export const BEST_FIRST: ParentScore = { name: 'best-first', score: (scores) => scores.cosine };

/**
 * Relevance by naive Bayes (soft focus, Focused crawling §3.1), its score divided by the length of the page: the plain posterior is 0
 * or 1 on all but the shortest pages, and orders nothing.
 */
export const SOFT_FOCUS: ParentScore = { name: 'soft-focus', score: (scores) => scores.bayesCalibrated };

/** The same priorities, but nothing behind a page that was not accepted (hard focus, Focused crawling §3.1). */
export const HARD_FOCUS: ParentScore = { ...SOFT_FOCUS, name: 'hard-focus', focusMode: 'hard' };

/** Calibrated distance to the hyperplane, without the accept rule and without the tunnelling limit of BINGO!. */
export const CONFIDENCE: ParentScore = { name: 'confidence', score: (scores) => scores.calibrated };

/** Orders links by the best of the pages that have them: the maximum beats the first one found and the mean. */
export class BestParentOrdering implements Ordering {
  readonly name: OrderingName;
  readonly focused: boolean;
  readonly focusMode?: FocusMode;
  readonly #score: ParentScore['score'];
  readonly #best = new BestOffers();

  constructor({ name, score, focusMode }: ParentScore) {
    this.name = name;
    this.focused = focusMode !== undefined;
    if (focusMode !== undefined) this.focusMode = focusMode;
    this.#score = score;
  }

  judged(): void {}

  priorityOf({ url, topic, page }: LinkOffer): number {
    const scores = scoresFor(page, topic);
    const offered = scores === undefined ? 0 : this.#score(scores);
    return this.#best.raise(url, offered);
  }

  changes(): [] {
    return [];
  }

  gone(url: CanonicalUrl): void {
    this.#best.gone(url);
  }

  exchange(fields: Fields): void {
    this.#best.exchange(fields);
  }
}
