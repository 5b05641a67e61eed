import type { CanonicalUrl } from '../../core/index.ts';
import { type Fields, ownCopy } from '../../kit/index.ts';
import type { LinkOffer, Ordering } from '../ordering.ts';

interface Backlinks {
  count: number;
  /** The page counted last. It may link twice, with two anchors, but counts once. */
  lastPage: number;
}

/** Backlink count (Cho 1998 §4): the number of fetched pages that link to the URL. */
export class BacklinkOrdering implements Ordering {
  readonly name = 'backlink';
  readonly focused = false;
  readonly #backlinks = new Map<CanonicalUrl, Backlinks>();

  judged(): void {}

  priorityOf({ url, page }: LinkOffer): number {
    let backlinks = this.#backlinks.get(url);
    if (backlinks === undefined) {
      backlinks = { count: 0, lastPage: Number.NaN };
      this.#backlinks.set(ownCopy(url) as CanonicalUrl, backlinks);
    }
    if (backlinks.lastPage !== page.sequence) backlinks.count++;
    backlinks.lastPage = page.sequence;
    return backlinks.count;
  }

  changes(): [] {
    return [];
  }

  gone(url: CanonicalUrl): void {
    this.#backlinks.delete(url);
  }

  exchange(fields: Fields): void {
    fields.map(this.#backlinks);
  }
}
