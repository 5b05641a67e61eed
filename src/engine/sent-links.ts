import type { Parcel, SentPage } from '../core/index.ts';
import { hash53 } from '../kit/index.ts';

/** Links remembered: 16 MB. All are forgotten beyond this, and may be sent again. */
const MAX_SENT = 500_000;
/** A link is sent again if a page links to it that is better by one of so many steps of relevance. */
const STEPS = 8;

/**
 * The links that this process sent to other shards. Most links of a page were sent with an earlier page; they are sent
 * again only if a more relevant page has them. The receiver accepts repeated links.
 */
export class SentLinks {
  /** Step of the best page, by URL. */
  readonly #sent = new Map<number, number>();

  /** Returns the parcels without links that were sent before. */
  unsent(leaving: ReadonlyMap<number, Parcel>): ReadonlyMap<number, Parcel> {
    if (leaving.size === 0) return leaving;
    const left = [...leaving].flatMap(([shard, { pages, redirects, lessons }]): [number, Parcel][] => {
      const fresh = pages.flatMap((page) => this.#unsentOf(page));
      const isEmpty = fresh.length + redirects.length + lessons.length === 0;
      return isEmpty ? [] : [[shard, { pages: fresh, redirects, lessons }]];
    });
    return new Map(left);
  }

  #unsentOf(page: SentPage): SentPage[] {
    const { relevance } = page.assignment;
    const step = Number.isFinite(relevance) ? Math.round(STEPS * relevance) : 0;
    const links = page.links.filter(({ url }) => this.#note(hash53(url), step));
    return links.length === 0 ? [] : [{ ...page, links }];
  }

  #note(url: number, step: number): boolean {
    if ((this.#sent.get(url) ?? -1) >= step) return false;
    if (this.#sent.size >= MAX_SENT) this.#sent.clear();
    this.#sent.set(url, step);
    return true;
  }
}
