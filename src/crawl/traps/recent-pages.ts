import type { PageRecord } from '../../core/index.ts';
import { type Fields, hash32, LruMap } from '../../kit/index.ts';
import { bitCount } from './near-duplicates.ts';

/** The last pages of a host: both halves of their fingerprints and their title hashes, in parallel. */
interface Recent {
  readonly rows: Uint32Array;
  pages: number;
}

/** Number of pages of its host that a page is compared with. */
const RECENT = 32;
const ROW = 3;
const MAX_HOSTS = 2_000;
/** Pages with the same title may differ in this many more bits. */
const SAME_TITLE_BITS = 4;

/** The last pages of each host. A page very similar to one of them contains nothing new. */
export class RecentPages {
  readonly #staleBits: number;
  readonly #hosts = new LruMap<string, Recent>(MAX_HOSTS);

  /** @param staleBits - maximum number of differing bits of 64; -1 = never similar */
  constructor(staleBits: number) {
    this.#staleBits = staleBits;
  }

  /**
   * Adds a page. Fingerprints of short texts differ more, so an equal title raises the limit.
   * @returns true if the page is very similar to one of the last pages of its host
   */
  note(host: string, { simhash, title }: Pick<PageRecord['document'], 'simhash' | 'title'>): boolean {
    const [high, low] = simhash;
    const titleHash = hash32(title);
    let recent = this.#hosts.get(host);
    if (recent === undefined) {
      recent = { rows: new Uint32Array(ROW * RECENT), pages: 0 };
      this.#hosts.set(host, recent);
    }
    const { rows } = recent;
    const known = ROW * Math.min(RECENT, recent.pages);
    let isStale = false;
    for (let at = 0; at < known && !isStale && this.#staleBits >= 0; at += ROW) {
      const bits = bitCount(rows[at]! ^ high) + bitCount(rows[at + 1]! ^ low);
      isStale = bits <= this.#staleBits + (rows[at + 2] === titleHash ? SAME_TITLE_BITS : 0);
    }
    rows.set([high, low, titleHash], ROW * (recent.pages++ % RECENT));
    return isStale;
  }

  exchange(fields: Fields): void {
    this.#hosts.exchange(fields);
  }
}
