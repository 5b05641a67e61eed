import { type CanonicalUrl, type TopicId, VIAS } from '../core/index.ts';
import { GROWTH, grown } from './grown.ts';
import { HashSlots } from './hash-slots.ts';
import { Names, pathStart } from './names.ts';
import type { FrontierEntry } from './ordering.ts';
import { TextArena, type TextId } from './text-arena.ts';
import { type UrlKey, urlKey } from './url-key.ts';

/**
 * A waiting link: an entry and its place among equals, by its number in a {@link LinkTable}. Its priority may change only
 * while it stands in no tree.
 */
export type WaitingLink = number;

const FIRST_CAPACITY = 256;
const NO_REDIRECTS: readonly CanonicalUrl[] = [];

/**
 * What waits, in parallel arrays: some 60 bytes a link and the bytes of two paths, where objects took 400 and their strings
 * kept alive the pages they were cut out of. Links are found by a 53-bit hash of their URL, as in the table of seen URLs.
 */
export class LinkTable {
  readonly #texts = new TextArena();
  readonly #hosts = new Names();
  /** Scheme and host of URLs: most of a short URL, and the same for many. */
  readonly #origins = new Names();
  readonly #topics = new Names();
  readonly #byUrl = new HashSlots();
  #priority = new Float64Array(FIRST_CAPACITY);
  #order = new Float64Array(FIRST_CAPACITY);
  #urlOrigin = new Uint32Array(FIRST_CAPACITY);
  #urlPath = new Uint32Array(FIRST_CAPACITY);
  #fromOrigin = new Uint32Array(FIRST_CAPACITY);
  #fromPath = new Uint32Array(FIRST_CAPACITY);
  #host = new Uint32Array(FIRST_CAPACITY);
  #topic = new Uint16Array(FIRST_CAPACITY);
  #depth = new Uint32Array(FIRST_CAPACITY);
  #tunnelDepth = new Uint32Array(FIRST_CAPACITY);
  #via = new Uint8Array(FIRST_CAPACITY);
  #tries = new Uint16Array(FIRST_CAPACITY);
  readonly #redirects = new Map<WaitingLink, readonly CanonicalUrl[]>();
  readonly #free: WaitingLink[] = [];
  #end = 0;
  /** The links of a page come one after the other: its URL is kept once. */
  #lastFrom: { readonly text: string; readonly id: TextId } | undefined;

  /** URLs that wait. */
  get size(): number {
    return this.#byUrl.size;
  }

  /** Adds an entry; it takes the place of a link to the same URL, which is to be freed then. */
  add(entry: FrontierEntry, order: number): WaitingLink {
    const link = this.#free.pop() ?? this.#fresh();
    this.#order[link] = order;
    const path = pathStart(entry.url);
    this.#urlOrigin[link] = this.#origins.keep(entry.url.slice(0, path));
    this.#urlPath[link] = this.#texts.keep(entry.url.slice(path));
    this.#host[link] = this.#hosts.keep(entry.host);
    this.#topic[link] = this.#topics.keep(entry.topic);
    this.#setOffer(link, entry);
    this.#byUrl.set(urlKey(entry.url), link);
    return link;
  }

  setPriority(link: WaitingLink, priority: number): void {
    this.#priority[link] = priority;
  }

  /** Another offer of its URL for its topic takes the place of the one it had. */
  raise(link: WaitingLink, entry: FrontierEntry): void {
    this.#origins.release(this.#fromOrigin[link]!);
    this.#texts.release(this.#fromPath[link]!);
    this.#setOffer(link, entry);
  }

  /** Forgets a link. Its URL waits no more, unless another link took its place. */
  free(link: WaitingLink): void {
    this.#byUrl.delete(link);
    this.#origins.release(this.#urlOrigin[link]!);
    this.#texts.release(this.#urlPath[link]!);
    this.#origins.release(this.#fromOrigin[link]!);
    this.#texts.release(this.#fromPath[link]!);
    this.#hosts.release(this.#host[link]!);
    this.#topics.release(this.#topic[link]!);
    this.#redirects.delete(link);
    this.#free.push(link);
  }

  find(url: CanonicalUrl): WaitingLink | undefined {
    return this.findKey(urlKey(url));
  }

  findKey(key: UrlKey): WaitingLink | undefined {
    return this.#byUrl.find(key);
  }

  /** All links, in no order. */
  links(): Generator<WaitingLink> {
    return this.#byUrl.numbers();
  }

  entryOf(link: WaitingLink): FrontierEntry {
    return {
      url: this.urlOf(link),
      host: this.hostOf(link),
      topic: this.topicOf(link),
      priority: this.#priority[link]!,
      depth: this.#depth[link]!,
      tunnelDepth: this.#tunnelDepth[link]!,
      via: VIAS[this.#via[link]!]!,
      from: this.#origins.name(this.#fromOrigin[link]!) + this.#texts.text(this.#fromPath[link]!),
      tries: this.#tries[link]!,
      redirects: this.#redirects.get(link) ?? NO_REDIRECTS,
    };
  }

  urlOf(link: WaitingLink): CanonicalUrl {
    return (this.#origins.name(this.#urlOrigin[link]!) + this.#texts.text(this.#urlPath[link]!)) as CanonicalUrl;
  }

  hostOf(link: WaitingLink): string {
    return this.#hosts.name(this.#host[link]!);
  }

  topicOf(link: WaitingLink): TopicId {
    return this.#topics.name(this.#topic[link]!) as TopicId;
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

  /** Best first. A total order: no two links of different URLs have the same `order`. */
  readonly compare = (a: WaitingLink, b: WaitingLink): number =>
    this.#priority[b]! - this.#priority[a]! || this.#order[a]! - this.#order[b]!;

  /** Best first, for an offer that is no link yet. */
  isBetter(link: WaitingLink, priority: number, order: number): boolean {
    return this.#priority[link]! > priority || (this.#priority[link] === priority && this.#order[link]! < order);
  }

  #setOffer(link: WaitingLink, entry: FrontierEntry): void {
    this.#priority[link] = entry.priority;
    const path = pathStart(entry.from);
    this.#fromOrigin[link] = this.#origins.keep(entry.from.slice(0, path));
    this.#fromPath[link] = this.#keepFrom(entry.from, path);
    this.#depth[link] = entry.depth;
    this.#tunnelDepth[link] = entry.tunnelDepth;
    this.#via[link] = VIAS.indexOf(entry.via);
    this.#tries[link] = entry.tries;
    if (entry.redirects.length > 0) this.#redirects.set(link, entry.redirects);
    else this.#redirects.delete(link);
  }

  #keepFrom(from: string, path: number): TextId {
    if (this.#lastFrom?.text === from) return this.#texts.retain(this.#lastFrom.id);
    if (this.#lastFrom !== undefined) this.#texts.release(this.#lastFrom.id);
    const id = this.#texts.keep(from.slice(path));
    this.#lastFrom = { text: from, id };
    return this.#texts.retain(id);
  }

  #fresh(): WaitingLink {
    if (this.#end === this.#priority.length) this.#grow();
    return this.#end++;
  }

  #grow(): void {
    const capacity = Math.ceil(this.#priority.length * GROWTH);
    this.#priority = grown(this.#priority, new Float64Array(capacity));
    this.#order = grown(this.#order, new Float64Array(capacity));
    this.#urlOrigin = grown(this.#urlOrigin, new Uint32Array(capacity));
    this.#urlPath = grown(this.#urlPath, new Uint32Array(capacity));
    this.#fromOrigin = grown(this.#fromOrigin, new Uint32Array(capacity));
    this.#fromPath = grown(this.#fromPath, new Uint32Array(capacity));
    this.#host = grown(this.#host, new Uint32Array(capacity));
    this.#topic = grown(this.#topic, new Uint16Array(capacity));
    this.#depth = grown(this.#depth, new Uint32Array(capacity));
    this.#tunnelDepth = grown(this.#tunnelDepth, new Uint32Array(capacity));
    this.#via = grown(this.#via, new Uint8Array(capacity));
    this.#tries = grown(this.#tries, new Uint16Array(capacity));
  }
}
