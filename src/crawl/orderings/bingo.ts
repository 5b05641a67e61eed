import type { CanonicalUrl } from '../../core/index.ts';
import type { Fields } from '../../kit/index.ts';
import type { LinkOffer, Ordering } from '../ordering.ts';
import { BestOffers } from './best-offers.ts';
import { scoresFor } from './topic-scores.ts';

/** Below every link of an accepted page, not below any behind a rejected one. */
const BORDER = 0.5;
/** From here on an accepted page's confidence is its links' priority as it is. */
const PLAIN_FROM = 0.75;

/**
 * BINGO!'s own ordering (§3.3, §4.2): the confidence of the page that has the link; behind a rejected page the priority
 * that the page itself had, times `decay` for each step. All on the calibrated scale, on which 1 is a page like the
 * examples; links of accepted pages lie above its middle, tunnelled ones do not (our rule: with scales apart, tunnelling
 * overtakes, and the crawl becomes breadth-first). Of several pages with the link the best counts.
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

/** The calibrated confidence; low ones are pressed together above the border, in their order. */
function acceptedPriority({ page, topic }: LinkOffer): number {
  const confidence = scoresFor(page, topic)?.calibrated ?? 0;
  if (confidence >= PLAIN_FROM) return confidence;
  const room = PLAIN_FROM - BORDER;
  return BORDER + room * Math.exp((confidence - PLAIN_FROM) / room);
}
