import type { CanonicalUrl, OrderingName } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { LinkOffer, Ordering } from '../ordering.ts';
import { BestOffers } from './best-offers.ts';
import { scoresFor } from './topic-scores.ts';

/**
 * The ordering of an extension, as the journal records it. The extension itself is never called, so a journal is folded
 * without it. A link without a priority has the relevance of its page; the best offer of a URL counts.
 */
export class RecordedOrdering implements Ordering {
  readonly name: OrderingName;
  readonly focused = false;
  readonly #best = new BestOffers();

  constructor(name: OrderingName) {
    this.name = name;
  }

  judged(): void {}

  priorityOf({ url, topic, link, page }: LinkOffer): number {
    const given = page.orderedBy === this.name ? link.priority : undefined;
    return this.#best.raise(url, given ?? scoresFor(page, topic)?.relevance ?? 0);
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
