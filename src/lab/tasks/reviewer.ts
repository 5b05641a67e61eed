import {
  type CrawlEvent,
  goodTopics,
  type Judgement,
  type OfKind,
  ROOT,
  type TopicId,
  type TopicTree,
} from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import type { Truth } from './relevance.ts';

/** Which accepted pages of a topic are reviewed: those with the lowest or with the highest confidence. */
export const REVIEW_ORDERS = ['unsure', 'surest'] as const;
export type ReviewOrder = (typeof REVIEW_ORDERS)[number];

/** Options of a simulated review. */
export interface ReviewOptions {
  /** Maximum number of pages reviewed per topic. */
  readonly pages: number;
  /** Number of pages fetched before the review. */
  readonly after: number;
  readonly order: ReviewOrder;
}

/** A fetched page as seen by a reviewer. */
type Seen = OfKind<CrawlEvent, 'page'>['record'];

/**
 * Simulates a user who reviews pages during a crawl and marks each as an example of its topic or not. Labels replace
 * the user's answers, only for the reviewed pages; unlabelled pages are skipped. The crawl learns nothing else from
 * labels.
 */
export class Reviewer {
  readonly #options: ReviewOptions;
  readonly #tree: TopicTree;
  readonly #truth: Pick<Truth, 'topicsOf'>;
  #seen: Seen[] | undefined = [];

  constructor(options: ReviewOptions, tree: TopicTree, truth: Pick<Truth, 'topicsOf'>) {
    this.#options = options;
    this.#tree = tree;
    this.#truth = truth;
  }

  /** Receives events of the crawl; returns all decisions once, as soon as there are enough pages. */
  decide(event: CrawlEvent): readonly Judgement[] {
    const seen = this.#seen;
    if (seen === undefined || event.kind !== 'page') return [];
    const { record } = event;
    if (record.role === 'crawled' && record.origin.via !== 'seed') seen.push(record);
    if (seen.length < this.#options.after) return [];
    this.#seen = undefined;
    return goodTopics(this.#tree).flatMap(({ id }) => this.#looked(seen, id));
  }

  #looked(seen: readonly Seen[], topic: TopicId): Judgement[] {
    const { pages, order } = this.#options;
    const sign = order === 'surest' ? -1 : 1;
    return seen
      .filter(({ assignment, finalUrl }) => isOf(assignment, topic) && this.#truth.topicsOf(finalUrl) !== undefined)
      .sort((a, b) => sign * (scoreOf(a.assignment, topic) - scoreOf(b.assignment, topic)))
      .slice(0, pages)
      .map(({ finalUrl: key, sequence, document: { title } }): Judgement => {
        const isGood = this.#truth.topicsOf(key)!.includes(topic);
        return { key, sequence, title, ...(isGood ? { use: 'example', topic } : { use: 'others', topic: ROOT }) };
      });
  }
}

/** Returns a note for figures of reviewed crawls. */
export function describeReview({ pages, after, order }: ReviewOptions): string {
  const which = order === 'unsure' ? 'with the lowest confidence' : 'with the highest confidence';
  return `Reviewed after ${counted(after, 'page')}: the labels marked ${counted(pages, 'accepted page')} of each topic ${which}.`;
}

function scoreOf({ scores }: Seen['assignment'], topic: TopicId): number {
  return scores.find((score) => score.topic === topic)?.calibrated ?? 0;
}

function isOf({ topic, others }: Seen['assignment'], wanted: TopicId): boolean {
  return !others && topic === wanted;
}
