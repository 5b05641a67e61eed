import type { CanonicalUrl } from '../../core/index.ts';
import { type Fields, ownCopy } from '../../kit/index.ts';

/** The best priority offered for each waiting URL. */
export class BestOffers {
  readonly #best = new Map<CanonicalUrl, number>();

  /** @returns the best priority so far, including this one */
  raise(url: CanonicalUrl, offered: number): number {
    const before = this.#best.get(url);
    const best = Math.max(offered, before ?? Number.NEGATIVE_INFINITY);
    // The URL is a slice of a string with all links of its page, so it is copied.
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
