import { type CrawlEvent, goodTopics, type Judgement, ROOT, type TopicId, type TopicTree } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import type { Truth } from './relevance.ts';

/** Which accepted pages of a topic are looked over: those that the classifier is least sure of, or those that it is surest of. */
export const REVIEW_ORDERS = ['unsure', 'surest'] as const;
export type ReviewOrder = (typeof REVIEW_ORDERS)[number];

/** How somebody reviews a crawl. */
export interface ReviewOptions {
  /** Pages of each topic that are looked over, at the most. */
  readonly pages: number;
  /** Pages that are fetched before. */
  readonly after: number;
  readonly order: ReviewOrder;
}

/** A fetched page, as far as a reviewer sees it. */
type Seen = Extract<CrawlEvent, { readonly kind: 'page' }>['record'];

/**
 * Somebody who looks over pages while a frozen web is crawled, and marks each: an example of its topic, or none of it. Labels answer in the
 * place of a person, for these pages alone; of pages that nobody judged nothing is said. What a person would see is all that a crawl learns of labels.
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

  /** Hears of the crawl; what it decides is given once, as soon as pages enough are there. */
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

/** What is said beside figures of crawls that somebody reviewed. */
export function describeReview({ pages, after, order }: ReviewOptions): string {
  const which = order === 'unsure' ? 'that the classifier was least sure of' : 'that the classifier was surest of';
  return `Reviewed after ${counted(after, 'page')}: of each topic the ${counted(pages, 'accepted page')} ${which}, marked by the labels.`;
}

function scoreOf({ scores }: Seen['assignment'], topic: TopicId): number {
  return scores.find((score) => score.topic === topic)?.calibrated ?? 0;
}

function isOf({ topic, others }: Seen['assignment'], wanted: TopicId): boolean {
  return !others && topic === wanted;
}
