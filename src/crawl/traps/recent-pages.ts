import { hash32, LruMap, type PageRecord } from '../../core/index.ts';
import { distance, type Fingerprint } from './near-pages.ts';

/** The last pages of a host. */
interface Recent {
  readonly prints: Fingerprint[];
  readonly titles: number[];
}

/** Pages of its host that a page is compared with. */
const RECENT = 32;
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
    const titleHash = hash32(title);
    const recent = this.#hosts.get(host) ?? { prints: [], titles: [] };
    this.#hosts.set(host, recent);
    const isStale = recent.prints.some((print, i) => {
      const more = recent.titles[i] === titleHash ? SAME_TITLE_BITS : 0;
      return this.#staleBits >= 0 && distance(print, simhash) <= this.#staleBits + more;
    });
    recent.prints.push(simhash);
    recent.titles.push(titleHash);
    if (recent.prints.length > RECENT) {
      recent.prints.shift();
      recent.titles.shift();
    }
    return isStale;
  }
}
