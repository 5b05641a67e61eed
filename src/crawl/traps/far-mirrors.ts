import { type Fields, LruMap, ownCopy } from '../../kit/index.ts';
import { ENOUGH_OF_BOTH, pathOf, SHARE } from './mirrors.ts';
import { ownerOf } from './site-of.ts';
import { partsOf } from './url-parts.ts';

/** A host whose pages repeat those of a host of another site. */
export interface FarMirror {
  readonly host: string;
  readonly original: string;
}

/** What a host shares with hosts of other sites. */
interface Shared {
  /** Its pages that another host has, too. */
  pages: number;
  /** The same by other host. */
  readonly hosts: Map<string, number>;
}

const MAX_HOSTS = 5_000;
const MAX_OTHERS = 8;
/** Maximum number of pages known to be shared; the oldest are forgotten, and may be counted again. */
const MAX_PAGES = 20_000;

/**
 * Detects mirrors in other domains: hosts most of whose pages are, under the same paths, on hosts of other sites. It
 * does not matter which host was fetched first: of hosts that mirror each other, one stays free. One process needs none
 * of this, because it follows no links of copies. Depends only on the calls. Bounded memory.
 */
export class FarMirrors {
  readonly #hosts = new LruMap<string, Shared>(MAX_HOSTS);
  /** Pages of which a copy was counted. */
  readonly #originals = new LruMap<number, true>(MAX_PAGES);
  /** Original by mirror. */
  readonly #found = new LruMap<string, string>(MAX_HOSTS);
  /** Mirrors that were noted; true for those whose pages lead nowhere. */
  readonly #noted = new LruMap<string, boolean>(MAX_HOSTS);

  /**
   * Records that a URL returned the page of another URL.
   * @param page its sequence
   * @param fetchedOf returns how many pages were fetched from a host
   */
  same(url: string, { page, before }: { readonly page: number; readonly before: string }, fetchedOf: FetchedOf): void {
    const [copy, original] = [partsOf(url).host, partsOf(before).host];
    if (ownerOf(copy) === ownerOf(original) || pathOf(url) !== pathOf(before)) return;
    this.#count(copy, original);
    if (this.#originals.get(page) === undefined) this.#count(original, copy);
    this.#originals.set(page, true);
    this.#judge(copy, fetchedOf(copy));
    this.#judge(original, fetchedOf(original));
  }

  /** Mirrors that were found and are not noted yet. */
  get unnoted(): readonly FarMirror[] {
    const fresh = [...this.#found.entries()].filter(([host]) => this.#noted.peek(host) === undefined);
    return fresh.map(([host, original]) => ({ host, original }));
  }

  /** Notes a mirror. */
  note(host: string, isLeft: boolean): void {
    this.#noted.set(ownCopy(host), isLeft);
  }

  /** True if the host was noted as a mirror whose pages lead nowhere. */
  isLeft(host: string): boolean {
    return this.#noted.peek(host) === true;
  }

  #count(host: string, other: string): void {
    const shared = this.#hosts.get(host) ?? { pages: 0, hosts: new Map<string, number>() };
    shared.pages++;
    if (shared.hosts.size < MAX_OTHERS || shared.hosts.has(other))
      shared.hosts.set(ownCopy(other), (shared.hosts.get(other) ?? 0) + 1);
    this.#hosts.set(ownCopy(host), shared);
  }

  #judge(host: string, fetched: number): void {
    const shared = this.#hosts.peek(host);
    if (shared === undefined || shared.pages < ENOUGH_OF_BOTH || shared.pages < SHARE * fetched) return;
    if (this.#found.peek(host) !== undefined) return;
    const [nearest] = [...shared.hosts].sort(([, a], [, b]) => b - a);
    const original = this.#originalOf(nearest![0]);
    if (original !== host) this.#found.set(ownCopy(host), original);
  }

  /** Returns the host that stays free of those that mirror this one. */
  #originalOf(host: string): string {
    const original = this.#found.peek(host);
    return original === undefined ? host : this.#originalOf(original);
  }

  exchange(fields: Fields): void {
    this.#hosts.exchange(fields);
    this.#originals.exchange(fields);
    this.#found.exchange(fields);
    this.#noted.exchange(fields);
  }
}

type FetchedOf = (host: string) => number;
