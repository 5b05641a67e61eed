import type { PageRecord } from '../../core/index.ts';
import { type Fields, hash32, LruMap } from '../../kit/index.ts';
import { bitCount } from './near-pages.ts';

/** The last pages of a host: both halves of their fingerprints and hashes of their titles, side by side. */
interface Recent {
  readonly rows: Uint32Array;
  pages: number;
}

/** Pages of its host that a page is compared with. */
const RECENT = 32;
const ROW = 3;
const MAX_HOSTS = 2_000;
/** The same title makes pages at this much greater a distance look alike. */
const SAME_TITLE_BITS = 4;

/** The last pages of each host: what is much like one of them says nothing new. */
export class RecentPages {
  readonly #staleBits: number;
  readonly #hosts = new LruMap<string, Recent>(MAX_HOSTS);

  /** @param staleBits - bits of 64 in which fingerprints may differ; -1 = nothing is alike */
  constructor(staleBits: number) {
    this.#staleBits = staleBits;
  }

  /**
   * Takes in a page. Fingerprints of short texts lie farther apart, so titles help.
   * @returns true when it is much like one of the last of its host
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
