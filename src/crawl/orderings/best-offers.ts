import type { CanonicalUrl } from '../../core/index.ts';
import { type Fields, ownCopy } from '../../kit/index.ts';

/** The best priority that each waiting URL was offered with. */
export class BestOffers {
  readonly #best = new Map<CanonicalUrl, number>();

  /** @returns the best so far, this one included */
  raise(url: CanonicalUrl, offered: number): number {
    const before = this.#best.get(url);
    const best = Math.max(offered, before ?? Number.NEGATIVE_INFINITY);
    // The address is cut out of all the links of its page.
    this.#best.set(before === undefined ? (ownCopy(url) as CanonicalUrl) : url, best);
    return best;
  }

  gone(url: CanonicalUrl): void {
    this.#best.delete(url);
  }

  exchange(fields: Fields): void {
    fields.map(this.#best);
  }
}
