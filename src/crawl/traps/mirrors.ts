import { type Fields, LruMap } from '../../kit/index.ts';
import { ownerOf } from './site-of.ts';
import { partsOf } from './url-parts.ts';

/** What one host was found to have of another. */
interface Common {
  /** Pages that both have under the same path. */
  same: number;
  /** Paths under which they have different pages, by those fetched from both. */
  different: number;
}

interface Suspicion {
  fetched: number;
  readonly common: Map<string, Common>;
}

const MAX_HOSTS = 5_000;
const MAX_OTHERS = 8;
/** Pages in common, and their share of all pages fetched from a host, that make it a mirror. */
const ENOUGH = 4;
const SHARE = 0.75;
/**
 * Of two hosts that are crawled side by side neither repeats most of its pages: what counts then is their share of the paths fetched
 * from both. It takes more of them, since sites of one owner have their imprint and the like in common.
 */
const ENOUGH_OF_BOTH = 8;

/**
 * Notices hosts whose pages keep being those of another host of their site under the same path. Hosts of another site count for
 * nothing: if they are fetched first, they are not therefore the original. A fold; bounded.
 */
export class Mirrors {
  readonly #isPage: (url: string) => boolean;
  readonly #hosts = new LruMap<string, Suspicion>(MAX_HOSTS);
  readonly #known = new LruMap<string, string>(MAX_HOSTS);

  /** @param isPage - whether a page came of an address. Default: nothing is known of that */
  constructor(isPage: (url: string) => boolean = () => false) {
    this.#isPage = isPage;
  }

  fetched(host: string): void {
    this.#of(host).fetched++;
  }

  /** An address gave a page of its own. */
  fresh(url: string, host: string): void {
    for (const [other, common] of this.#hosts.peek(host)?.common ?? [])
      if (this.#isPage(moved(url, other))) common.different++;
  }

  /**
   * An address gave the page of another address.
   * @returns true when its host is known from now on to repeat the other
   */
  same(url: string, before: string): boolean {
    const [a, b] = [partsOf(url), partsOf(before)];
    if (a.host === b.host || ownerOf(a.host) !== ownerOf(b.host) || pathOf(url) !== pathOf(before)) return false;
    const suspicion = this.#of(a.host);
    const common = suspicion.common.get(b.host) ?? { same: 0, different: 0 };
    if (suspicion.common.size < MAX_OTHERS) suspicion.common.set(b.host, common);
    common.same++;
    // Two hosts that are known to repeat each other would send each other's links away for ever.
    const isBackward = this.#known.peek(b.host) === a.host;
    if (!isMirror(common, suspicion.fetched) || isBackward) return false;
    const isNew = this.#known.peek(a.host) !== b.host;
    this.#known.set(a.host, b.host);
    return isNew;
  }

  /** The host that a host repeats. */
  mirrored(host: string): string | undefined {
    return this.#known.peek(host);
  }

  /** The same address on the host that this one repeats. */
  originalOf(url: string, host: string): string | undefined {
    const original = this.#known.peek(host);
    return original === undefined ? undefined : moved(url, original);
  }

  #of(host: string): Suspicion {
    const known = this.#hosts.get(host);
    if (known !== undefined) return known;
    const made: Suspicion = { fetched: 0, common: new Map() };
    this.#hosts.set(host, made);
    return made;
  }

  exchange(fields: Fields): void {
    this.#hosts.exchange(fields);
    this.#known.exchange(fields);
  }
}

function isMirror({ same, different }: Common, fetched: number): boolean {
  if (same >= ENOUGH && same >= SHARE * fetched) return true;
  return same >= ENOUGH_OF_BOTH && same >= SHARE * (same + different);
}

/** The same address on another host. */
function moved(url: string, host: string): string {
  return `${url.slice(0, url.indexOf('//') + 2)}${host}${pathOf(url)}`;
}

function pathOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}
