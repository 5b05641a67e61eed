import { type CanonicalUrl, hash53, ownCopy, type TopicId, VIAS } from '../core/index.ts';
import { grown } from './grown.ts';
import type { FrontierEntry } from './ordering.ts';
import { TextArena, type TextId } from './text-arena.ts';

/**
 * A waiting link: an entry and its place among equals, by its number in a {@link LinkTable}. Never changes while it waits:
 * a better priority makes a new one.
 */
export type WaitingLink = number;

const FIRST_CAPACITY = 256;
const GROWTH = 1.5;
const NO_REDIRECTS: readonly CanonicalUrl[] = [];

/**
 * What waits, in parallel arrays: some 60 bytes a link and the bytes of two paths, where objects took 400 and their strings
 * kept alive the pages they were cut out of. Links are found by a 53-bit hash of their URL, as in the table of seen URLs.
 *
 *   slots   | 0 | 7 | 0 | 3 | …     by hash: number of the link + 1; 0 = free
 *   hashes  |   |   | h(a) | h(b) | …     by number, like all that follows
 *   priority, order, origin and path of the URL, of the page it is from, host, topic, depth, …
 */
export class LinkTable {
  readonly #texts = new TextArena();
  readonly #hosts = new Names();
  /** Scheme and host of URLs: most of a short URL, and the same for many. */
  readonly #origins = new Names();
  readonly #topics = new Names();
  #slots = new Uint32Array(4 * FIRST_CAPACITY);
  #hashes = new Float64Array(FIRST_CAPACITY);
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
  #size = 0;
  /** The links of a page come one after the other: its URL is kept once. */
  #lastFrom: { readonly text: string; readonly id: TextId } | undefined;

  /** URLs that wait. */
  get size(): number {
    return this.#size;
  }

  /** Adds an entry; it takes the place of a link to the same URL, which is to be freed then. */
  add(entry: FrontierEntry, order: number): WaitingLink {
    const link = this.#free.pop() ?? this.#fresh();
    this.#hashes[link] = hash53(entry.url);
    this.#priority[link] = entry.priority;
    this.#order[link] = order;
    const path = pathStart(entry.url);
    this.#urlOrigin[link] = this.#origins.keep(entry.url.slice(0, path));
    this.#urlPath[link] = this.#texts.keep(entry.url.slice(path));
    const fromPath = pathStart(entry.from);
    this.#fromOrigin[link] = this.#origins.keep(entry.from.slice(0, fromPath));
    this.#fromPath[link] = this.#keepFrom(entry.from, fromPath);
    this.#host[link] = this.#hosts.keep(entry.host);
    this.#topic[link] = this.#topics.keep(entry.topic);
    this.#depth[link] = entry.depth;
    this.#tunnelDepth[link] = entry.tunnelDepth;
    this.#via[link] = VIAS.indexOf(entry.via);
    this.#tries[link] = entry.tries;
    if (entry.redirects.length > 0) this.#redirects.set(link, entry.redirects);
    const slot = this.#slot(this.#hashes[link]!);
    if (this.#slots[slot] === 0) this.#size++;
    this.#slots[slot] = link + 1;
    if (2 * this.#size > this.#slots.length) this.#rehash(2 * this.#slots.length);
    return link;
  }

  /** Forgets a link. Its URL waits no more, unless another link took its place. */
  free(link: WaitingLink): void {
    const slot = this.#slot(this.#hashes[link]!);
    if (this.#slots[slot] === link + 1) this.#removeSlot(slot);
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
    const found = this.#slots[this.#slot(hash53(url))]!;
    return found === 0 ? undefined : found - 1;
  }

  /** All links, in no order. */
  *links(): Generator<WaitingLink> {
    for (const found of this.#slots) if (found !== 0) yield found - 1;
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
    this.#hashes = grown(this.#hashes, new Float64Array(capacity));
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

  /** Where a hash stands, or would stand. */
  #slot(hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = (hash % 0x40000000) & mask;
    for (let found = this.#slots[slot]!; found !== 0 && this.#hashes[found - 1] !== hash; found = this.#slots[slot]!)
      slot = (slot + 1) & mask;
    return slot;
  }

  /** What stands behind a gap moves into it, as far as it is looked for there: so no mark is left. */
  #removeSlot(removed: number): void {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let gap = removed;
    for (let at = (gap + 1) & mask; slots[at] !== 0; at = (at + 1) & mask) {
      const home = (this.#hashes[slots[at]! - 1]! % 0x40000000) & mask;
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      slots[gap] = slots[at]!;
      gap = at;
    }
    slots[gap] = 0;
    this.#size--;
  }

  #rehash(capacity: number): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(capacity);
    for (const found of old) if (found !== 0) this.#slots[this.#slot(this.#hashes[found - 1]!)] = found;
  }
}

/** Where the path of a URL begins. */
function pathStart(url: string): number {
  const slash = url.indexOf('/', 8);
  return slash < 0 ? url.length : slash;
}

/** Names that many links share, numbered; a name that no link has any more gives its number back. */
class Names {
  readonly #ids = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #uses: number[] = [];
  readonly #free: number[] = [];

  keep(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) {
      this.#uses[known]! += 1;
      return known;
    }
    const id = this.#free.pop() ?? this.#names.length;
    const own = ownCopy(name);
    this.#ids.set(own, id);
    this.#names[id] = own;
    this.#uses[id] = 1;
    return id;
  }

  name(id: number): string {
    return this.#names[id]!;
  }

  release(id: number): void {
    this.#uses[id]! -= 1;
    if (this.#uses[id] !== 0) return;
    this.#ids.delete(this.#names[id]!);
    this.#names[id] = '';
    this.#free.push(id);
  }
}
