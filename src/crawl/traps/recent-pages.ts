import type { PageRecord } from '../../core/index.ts';
import { type Fields, hash32, LruMap } from '../../kit/index.ts';
import { bitCount } from './near-duplicates.ts';
import { titleWords } from './sections.ts';

/** The last pages of a host: both halves of their fingerprints, and hashes of their titles with and without numbers. */
interface Recent {
  readonly rows: Uint32Array;
  pages: number;
}

/** Number of pages of its host that a page is compared with. */
const RECENT = 32;
const ROW = 4;
const MAX_HOSTS = 2_000;
/** Pages with the same title may differ in this many more bits. */
const SAME_TITLE_BITS = 4;

/** The last pages of each host. A page with the title of one of them and a similar text repeats it. */
export class RecentPages {
  readonly #staleBits: number;
  readonly #hosts = new LruMap<string, Recent>(MAX_HOSTS);

  /** @param staleBits - maximum number of differing bits of 64; -1 = never similar */
  constructor(staleBits: number) {
    this.#staleBits = staleBits;
  }

  /**
   * Adds a page. Fingerprints of short texts differ more, so a title with equal numbers raises the limit.
   * @returns true if one of the last pages of its host has the same title, without numbers, and a similar text
   */
  note(host: string, { simhash, title }: Pick<PageRecord['document'], 'simhash' | 'title'>): boolean {
    const [high, low] = simhash;
    const [whole, words] = [hash32(title), hash32(titleWords(title).join(' '))];
    let recent = this.#hosts.get(host);
    if (recent === undefined) {
      recent = { rows: new Uint32Array(ROW * RECENT), pages: 0 };
      this.#hosts.set(host, recent);
    }
    const { rows } = recent;
    const known = ROW * Math.min(RECENT, recent.pages);
    let isRepeated = false;
    for (let at = 0; at < known && !isRepeated && this.#staleBits >= 0; at += ROW) {
      if (rows[at + 3] !== words) continue;
      const bits = bitCount(rows[at]! ^ high) + bitCount(rows[at + 1]! ^ low);
      isRepeated = bits <= this.#staleBits + (rows[at + 2] === whole ? SAME_TITLE_BITS : 0);
    }
    rows.set([high, low, whole, words], ROW * (recent.pages++ % RECENT));
    return isRepeated;
  }

  exchange(fields: Fields): void {
    this.#hosts.exchange(fields);
  }
}
