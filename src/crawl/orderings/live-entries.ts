import type { CanonicalUrl } from '../../core/index.ts';
import { type Fields, type Form, ownCopy } from '../../kit/index.ts';

/** Entries that left the frontier and are remembered until their page was judged; more than are ever in flight. */
const MAX_DEPARTED = 4096;

/**
 * What an ordering knows of each waiting entry. It is forgotten some time after the entry left the frontier: the page
 * behind it is judged later than that, and may need it.
 */
export class LiveEntries<T> {
  readonly #live = new Map<CanonicalUrl, T>();
  readonly #departed = new Map<CanonicalUrl, T>();
  readonly #onForget: (value: T) => void;

  constructor(onForget: (value: T) => void = () => {}) {
    this.#onForget = onForget;
  }

  get size(): number {
    return this.#live.size;
  }

  /** What is known of a waiting entry, or of one that left lately. */
  get(url: CanonicalUrl): T | undefined {
    return this.#live.get(url) ?? this.#departed.get(url);
  }

  set(url: CanonicalUrl, value: T): void {
    this.#departed.delete(url);
    // Addresses are cut out of all the links of their page.
    this.#live.set(this.#live.has(url) ? url : (ownCopy(url) as CanonicalUrl), value);
  }

  gone(url: CanonicalUrl): void {
    const value = this.#live.get(url);
    if (value === undefined) return;
    this.#live.delete(url);
    this.#departed.set(ownCopy(url) as CanonicalUrl, value);
    if (this.#departed.size > MAX_DEPARTED) this.#forgetOldest();
  }

  /** Waiting entries, in the order of their first offers. */
  entries(): IterableIterator<[CanonicalUrl, T]> {
    return this.#live.entries();
  }

  #forgetOldest(): void {
    for (const [url, value] of this.#departed) {
      this.#departed.delete(url);
      this.#onForget(value);
      return;
    }
  }

  /** What is known of all entries, those that left lately last. */
  *all(): Generator<T> {
    yield* this.#live.values();
    yield* this.#departed.values();
  }

  /** @param form of values that are not plain data */
  exchange<Plain = T>(fields: Fields, form?: Form<T, Plain>): void {
    fields.map(this.#live, form);
    fields.map(this.#departed, form);
  }
}
