import type { CanonicalUrl, OrderingName, TopicScores } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { FocusMode, LinkOffer, Ordering } from '../ordering.ts';
import { BestOffers } from './best-offers.ts';
import { scoresFor } from './topic-scores.ts';

/** How a page's scores determine the priority of its links. The priority is 0 for pages without scores. */
export interface ParentScore {
  readonly name: OrderingName;
  readonly score: (scores: TopicScores) => number;
  /** Absent: every link is offered. */
  readonly focusMode?: FocusMode;
}

/** Cosine between the page and the centroid of the examples: the naive best-first crawler of the literature. */
export const BEST_FIRST: ParentScore = { name: 'best-first', score: (scores) => scores.cosine };

/**
 * Naive Bayes relevance (soft focus, Focused crawling §3.1), divided by the length of the page. The plain posterior
 * is 0 or 1 on all except the shortest pages, so it cannot order links.
 */
export const SOFT_FOCUS: ParentScore = { name: 'soft-focus', score: (scores) => scores.bayesCalibrated };

/** The same priorities, but links behind rejected pages are not followed (hard focus, Focused crawling §3.1). */
export const HARD_FOCUS: ParentScore = { ...SOFT_FOCUS, name: 'hard-focus', focusMode: 'hard' };

/** Calibrated distance to the hyperplane, without the accept rule and without the tunnelling limit of BINGO!. */
export const CONFIDENCE: ParentScore = { name: 'confidence', score: (scores) => scores.calibrated };

/** Orders links by the best page that has them. The maximum works better than the first offer and than the mean. */
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
