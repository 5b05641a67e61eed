import type { CanonicalUrl } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { LinkOffer, Ordering } from '../ordering.ts';
import { BestOffers } from './best-offers.ts';
import { scoresFor } from './topic-scores.ts';

/** Lower bound for links of accepted pages and upper bound for links behind rejected pages. */
const BORDER = 0.5;
/** At this confidence and above, the priority of links equals the confidence of their page. */
const PLAIN_FROM = 0.75;

/**
 * BINGO!'s own ordering (§3.3, §4.2). A link's priority is the confidence of the page that has it. Behind a rejected
 * page, it is the priority of that page times `decay` per step. Everything is on the calibrated scale, on which 1 is
 * a page like the examples. Links of accepted pages are above the middle of the scale, tunnelled links are not. That
 * is our rule: without it, tunnelling overtakes and the crawl becomes breadth-first. If several pages have the link,
 * the best one counts.
 */
export class BingoOrdering implements Ordering {
  readonly name = 'bingo';
  readonly focused = true;
  readonly #decay: number;
  readonly #best = new BestOffers();

  /** @param decay - in (0,1] */
  constructor(decay: number) {
    this.#decay = decay;
  }

  judged(): void {}

  priorityOf(offer: LinkOffer): number {
    const offered = offer.tunnelDepth === 0 ? acceptedPriority(offer) : this.#tunnelledPriority(offer);
    return this.#best.raise(offer.url, offered);
  }

  changes(): [] {
    return [];
  }

  gone(url: CanonicalUrl): void {
    this.#best.gone(url);
  }

  #tunnelledPriority({ page }: LinkOffer): number {
    return Math.min(BORDER, this.#decay * Math.max(0, page.entry?.priority ?? 0));
  }

  exchange(fields: Fields): void {
    this.#best.exchange(fields);
  }
}

/** Returns the calibrated confidence. Low values are compressed above the border, in their order. */
function acceptedPriority({ page, topic }: LinkOffer): number {
  const confidence = scoresFor(page, topic)?.calibrated ?? 0;
  if (confidence >= PLAIN_FROM) return confidence;
  const room = PLAIN_FROM - BORDER;
  return BORDER + room * Math.exp((confidence - PLAIN_FROM) / room);
}
