import { type Fields, LruMap } from '../../kit/index.ts';
import { ownerOf } from './site-of.ts';
import { partsOf } from './url-parts.ts';

/** What two hosts have in common. */
interface Common {
  /** Pages that both hosts have under the same path. */
  same: number;
  /** Paths with different pages on the two hosts; only paths fetched from both count. */
  different: number;
}

interface Suspicion {
  fetched: number;
  readonly common: Map<string, Common>;
}

const MAX_HOSTS = 5_000;
const MAX_OTHERS = 8;
/** Number of common pages, and their share of all pages fetched from a host, that make the host a mirror. */
const ENOUGH = 4;
export const SHARE = 0.75;
/**
 * If two hosts are crawled side by side, neither repeats most of its pages. Then the share of the paths fetched from
 * both counts. That requires more common pages, since sites of one owner share pages such as the imprint.
 */
export const ENOUGH_OF_BOTH = 8;

/**
 * Detects mirror hosts: hosts whose pages repeat those of another host of the same site under the same paths. Hosts
 * of other sites are ignored: a page fetched first is not necessarily the original. Depends only on the calls.
 * Bounded memory.
 */
export class Mirrors {
  readonly #isPage: (url: string) => boolean;
  readonly #hosts = new LruMap<string, Suspicion>(MAX_HOSTS);
  readonly #known = new LruMap<string, string>(MAX_HOSTS);

  /** @param isPage - returns whether a URL returned a page. Default: unknown for all URLs */
  constructor(isPage: (url: string) => boolean = () => false) {
    this.#isPage = isPage;
  }

  fetched(host: string): void {
    this.#of(host).fetched++;
  }

  /** Returns the number of pages fetched from a host, copies included; 0 if it was forgotten. */
  fetchedOf(host: string): number {
    return this.#hosts.peek(host)?.fetched ?? 0;
  }

  /** Records that a URL returned a new page. */
  fresh(url: string, host: string): void {
    for (const [other, common] of this.#hosts.peek(host)?.common ?? [])
      if (this.#isPage(moved(url, other))) common.different++;
  }

  /**
   * Records that a URL returned the page of another URL.
   * @returns true if its host is now known to mirror the other host
   */
  same(url: string, before: string): boolean {
    const [a, b] = [partsOf(url), partsOf(before)];
    if (a.host === b.host || ownerOf(a.host) !== ownerOf(b.host) || pathOf(url) !== pathOf(before)) return false;
    const suspicion = this.#of(a.host);
    const common = suspicion.common.get(b.host) ?? { same: 0, different: 0 };
    if (suspicion.common.size < MAX_OTHERS) suspicion.common.set(b.host, common);
    common.same++;
    // If two hosts were each other's mirror, links would be redirected between them forever.
    const isBackward = this.#known.peek(b.host) === a.host;
    if (!isMirror(common, suspicion.fetched) || isBackward) return false;
    const isNew = this.#known.peek(a.host) !== b.host;
    this.#known.set(a.host, b.host);
    return isNew;
  }

  /** Returns the host that this host mirrors. */
  mirrored(host: string): string | undefined {
    return this.#known.peek(host);
  }

  /** Returns the same URL on the host that this host mirrors. */
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

/** Returns the same URL on another host. */
function moved(url: string, host: string): string {
  return `${url.slice(0, url.indexOf('//') + 2)}${host}${pathOf(url)}`;
}

/** Returns the path of a URL with its query. */
export function pathOf(url: string): string {
  return url.slice(url.indexOf('/', url.indexOf('//') + 2));
}
