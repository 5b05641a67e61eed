import { type CanonicalUrl, hostOf, type TopicId } from '../core/index.ts';
import { type Fields, GROWTH, grown, HashSlots, TextArena } from '../kit/index.ts';
import { HostNames } from './host-names.ts';
import type { FrontierEntry } from './ordering.ts';
import { PageOffers } from './page-offers.ts';
import { type UrlKey, urlKey } from './url-key.ts';

/**
 * A waiting link: its number in a {@link LinkTable}, which equals the number of its path among the paths. Its
 * priority may change only while it is in no tree.
 */
export type WaitingLink = number;

/**
 * Place the user's rules give a link: before all others of its topic (1), unchanged (0), behind all others (-1), or
 * not taken (-2).
 * -2 applies to whole hosts: their links wait behind all others until the rules change.
 */
export type Band = -2 | -1 | 0 | 1;
const ASIDE: Band = -2;

/** Number of links placed first and last. All others are ordered by priority or set aside. */
export interface BandCounts {
  readonly first: number;
  readonly last: number;
}

/** The user's rules on the order of links. */
export interface Bands {
  readonly of: (url: CanonicalUrl) => Band;
  /** Links of this priority or less are not promising: they are not placed first. */
  readonly floor: number;
}

/** Above all priorities. */
const BAND_STEP = 1e9;
const FIRST_CAPACITY = 256;
const NO_REDIRECTS: readonly CanonicalUrl[] = [];
/** URL prefixes before the host, by number. */
const SCHEMES = ['http://', 'https://'] as const;

/**
 * Waiting links in parallel arrays: about 40 bytes per link plus its path. Objects took 400 bytes, and their strings
 * kept whole pages in memory. Links are found by a 53-bit hash of their URL, as in the table of seen URLs.
 */
export class LinkTable {
  readonly names: HostNames = new HostNames();
  readonly #paths = new TextArena();
  readonly #offers = new PageOffers();
  readonly #byUrl = new HashSlots();
  readonly #bands: Bands | undefined;
  #priority = new Float64Array(FIRST_CAPACITY);
  #order = new Float64Array(FIRST_CAPACITY);
  /** A URL is stored as scheme, host and path. */
  #scheme = new Uint8Array(FIRST_CAPACITY);
  #host = new Uint32Array(FIRST_CAPACITY);
  #offer = new Uint32Array(FIRST_CAPACITY);
  #tries = new Uint16Array(FIRST_CAPACITY);
  #band = new Int8Array(FIRST_CAPACITY);
  /** True once any band is not 0; until then bands are not checked. */
  #isBanded = false;
  #first = 0;
  #last = 0;
  readonly #redirects = new Map<WaitingLink, readonly CanonicalUrl[]>();

  /** @param bands - the order that precedes priorities. Default: none */
  constructor(bands?: Bands) {
    this.#bands = bands;
  }

  /** Number of waiting URLs. */
  get size(): number {
    return this.#byUrl.size;
  }

  /** Counts the links placed first and those placed last. */
  get banded(): BandCounts {
    return { first: this.#first, last: this.#last };
  }

  /** Adds an entry. It replaces a link to the same URL, which the caller must then free. */
  add(entry: FrontierEntry, order: number): WaitingLink {
    const host = hostOf(entry.url);
    const scheme = entry.url.startsWith(SCHEMES[1]) ? 1 : 0;
    const link = this.#paths.keep(entry.url.slice(SCHEMES[scheme].length + host.length));
    if (link === this.#priority.length) this.#grow();
    this.#order[link] = order;
    this.#scheme[link] = scheme;
    this.#host[link] = this.names.keep(host);
    this.#setBand(link, entry.url);
    this.#setOffer(link, entry);
    this.#count(link, 1);
    this.#byUrl.set(urlKey(entry.url), link);
    return link;
  }

  /** Reapplies the user's rules to the link. Like its priority, its band may change only while it is in no tree. */
  setBand(link: WaitingLink): void {
    this.#count(link, -1);
    this.#setBand(link, this.urlOf(link));
    this.#count(link, 1);
  }

  setPriority(link: WaitingLink, priority: number): void {
    this.#count(link, -1);
    this.#priority[link] = priority;
    this.#count(link, 1);
  }

  /** Replaces the offer of the link by another one for the same URL and topic. */
  raise(link: WaitingLink, entry: FrontierEntry): void {
    this.#count(link, -1);
    this.#offers.release(this.#offer[link]!);
    this.#setOffer(link, entry);
    this.#count(link, 1);
  }

  /** Removes a link. Its URL is no longer waiting, unless another link replaced it. */
  free(link: WaitingLink): void {
    this.#count(link, -1);
    this.#byUrl.delete(link);
    this.names.release(this.#host[link]!);
    this.#offers.release(this.#offer[link]!);
    this.#redirects.delete(link);
    this.#paths.release(link);
  }

  find(url: CanonicalUrl): WaitingLink | undefined {
    return this.findKey(urlKey(url));
  }

  findKey(key: UrlKey): WaitingLink | undefined {
    return this.#byUrl.find(key);
  }

  /** Returns all links, in no particular order. */
  links(): Generator<WaitingLink> {
    return this.#byUrl.numbers();
  }

  entryOf(link: WaitingLink): FrontierEntry {
    return {
      url: this.urlOf(link),
      host: this.hostOf(link),
      ...this.#offers.offer(this.#offer[link]!),
      priority: this.#priority[link]!,
      tries: this.#tries[link]!,
      redirects: this.#redirects.get(link) ?? NO_REDIRECTS,
    };
  }

  urlOf(link: WaitingLink): CanonicalUrl {
    return (SCHEMES[this.#scheme[link]!] + this.hostOf(link) + this.#paths.text(link)) as CanonicalUrl;
  }

  hostOf(link: WaitingLink): string {
    return this.names.hosts.name(this.#host[link]!);
  }

  /** Returns the number of the link's host in `names`. */
  hostNumberOf(link: WaitingLink): number {
    return this.#host[link]!;
  }

  topicOf(link: WaitingLink): TopicId {
    return this.#offers.topic(this.#offer[link]!);
  }

  priorityOf(link: WaitingLink): number {
    return this.#priority[link]!;
  }

  orderOf(link: WaitingLink): number {
    return this.#order[link]!;
  }

  triesOf(link: WaitingLink): number {
    return this.#tries[link]!;
  }

  /** Compares best first. A total order: links of different URLs never have the same `order`. */
  readonly compare = (a: WaitingLink, b: WaitingLink): number =>
    (this.#isBanded ? this.#bandOf(b) - this.#bandOf(a) : 0) ||
    this.#priority[b]! - this.#priority[a]! ||
    this.#order[a]! - this.#order[b]!;

  /** Returns its priority, with the user's rules: a number that orders links of several frontiers as `compare` does. */
  rankOf(link: WaitingLink): number {
    return this.priorityOf(link) + (this.#isBanded ? BAND_STEP * this.#bandOf(link) : 0);
  }

  /** Returns true if the user's rules keep the link from being taken. */
  isAside(link: WaitingLink): boolean {
    return this.#band[link] === ASIDE;
  }

  /** Returns true if the link is placed first, whatever its priority. */
  isFirst(link: WaitingLink): boolean {
    return this.#isBanded && this.#bandOf(link) > 0;
  }

  /** Compares an offer that is not yet a link; true if it is better. */
  isBetter(link: WaitingLink, { url, priority }: Pick<FrontierEntry, 'url' | 'priority'>, order: number): boolean {
    if (this.#bands !== undefined) {
      const ahead = this.#bandOf(link) - this.#inForce(this.#bands.of(url), priority);
      if (ahead !== 0) return ahead > 0;
    }
    return this.#priority[link]! > priority || (this.#priority[link] === priority && this.#order[link]! < order);
  }

  #bandOf(link: WaitingLink): number {
    return this.#inForce(this.#band[link]!, this.#priority[link]!);
  }

  #inForce(band: number, priority: number): number {
    return band > 0 && priority <= this.#bands!.floor ? 0 : band;
  }

  #count(link: WaitingLink, by: 1 | -1): void {
    if (!this.#isBanded) return;
    const band = this.#bandOf(link);
    if (band > 0) this.#first += by;
    if (band === -1) this.#last += by;
  }

  #setBand(link: WaitingLink, url: CanonicalUrl): void {
    const band = this.#bands?.of(url) ?? 0;
    this.#band[link] = band;
    if (band !== 0) this.#isBanded = true;
  }

  #setOffer(link: WaitingLink, entry: FrontierEntry): void {
    this.#priority[link] = entry.priority;
    this.#offer[link] = this.#offers.keep(entry);
    this.#tries[link] = entry.tries;
    if (entry.redirects.length > 0) this.#redirects.set(link, entry.redirects);
    else this.#redirects.delete(link);
  }

  #grow(): void {
    const capacity = Math.ceil(this.#priority.length * GROWTH);
    this.#priority = grown(this.#priority, new Float64Array(capacity));
    this.#order = grown(this.#order, new Float64Array(capacity));
    this.#scheme = grown(this.#scheme, new Uint8Array(capacity));
    this.#host = grown(this.#host, new Uint32Array(capacity));
    this.#offer = grown(this.#offer, new Uint32Array(capacity));
    this.#tries = grown(this.#tries, new Uint16Array(capacity));
    this.#band = grown(this.#band, new Int8Array(capacity));
  }

  exchange(fields: Fields): void {
    this.names.exchange(fields);
    this.#paths.exchange(fields);
    this.#offers.exchange(fields);
    this.#byUrl.exchange(fields);
    this.#priority = fields.numbers(this.#priority);
    this.#order = fields.numbers(this.#order);
    this.#scheme = fields.numbers(this.#scheme);
    this.#host = fields.numbers(this.#host);
    this.#offer = fields.numbers(this.#offer);
    this.#tries = fields.numbers(this.#tries);
    this.#band = fields.numbers(this.#band);
    this.#isBanded = fields.value(this.#isBanded);
    this.#first = fields.value(this.#first);
    this.#last = fields.value(this.#last);
    fields.map(this.#redirects);
  }
}
