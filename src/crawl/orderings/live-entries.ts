import type { CanonicalUrl } from '../../core/index.ts';
import { type Fields, type Form, ownCopy } from '../../kit/index.ts';

/** Entries kept after they left the frontier, until their page is judged; more than are ever in flight. */
const MAX_DEPARTED = 4096;

/**
 * Per-entry data of an ordering. It is kept for some time after the entry leaves the frontier, because its page is
 * judged later and may need the data.
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

  /** Returns the data of a waiting entry, or of one that left recently. */
  get(url: CanonicalUrl): T | undefined {
    return this.#live.get(url) ?? this.#departed.get(url);
  }

  set(url: CanonicalUrl, value: T): void {
    this.#departed.delete(url);
    // URLs are slices of a string with all links of their page, so they are copied.
    this.#live.set(this.#live.has(url) ? url : (ownCopy(url) as CanonicalUrl), value);
  }

  gone(url: CanonicalUrl): void {
    const value = this.#live.get(url);
    if (value === undefined) return;
    this.#live.delete(url);
    this.#departed.set(ownCopy(url) as CanonicalUrl, value);
    if (this.#departed.size > MAX_DEPARTED) this.#forgetOldest();
  }

  /** Returns waiting entries, in the order of their first offers. */
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

  /** Returns the data of all entries; those that left recently are last. */
  *all(): Generator<T> {
    yield* this.#live.values();
    yield* this.#departed.values();
  }

  /** @param form - how values that are not plain data are saved */
  exchange<Plain = T>(fields: Fields, form?: Form<T, Plain>): void {
    fields.map(this.#live, form);
    fields.map(this.#departed, form);
  }
}
