import type { Fields, Form } from './saved/fields.ts';

/**
 * A map that removes its least recently used entries if their total weight exceeds `limit`. The newest entry stays,
 * whatever its weight.
 */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #limit: number;
  readonly #weigh: (value: Value) => number;
  #weight = 0;
  #youngest: Key | undefined;

  /** @param weigh default: every entry weighs 1, so that `limit` is a number of entries */
  constructor(limit: number, weigh: (value: Value) => number = () => 1) {
    this.#limit = limit;
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Values, least recently used first. Iterating does not count as use. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  /** Entries, least recently used first. Iterating does not count as use. */
  entries(): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }

  /** Returns a value and marks it as used. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    if (key === this.#youngest) return value;
    // A Map iterates in order of insertion, so inserting again makes the entry the newest.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#youngest = key;
    return value;
  }

  /** Returns a value without marking it as used. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** Adds a value. Its weight must not change while it is in the map, unless `grew` is called. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#youngest = key;
    this.grew(this.#weigh(value));
  }

  /** Adds to the weight of a value in the map. Removes entries beyond the limit, possibly the value itself. */
  grew(by: number): void {
    this.#weight += by;
    for (const oldest of this.#entries.keys()) {
      if (this.#weight <= this.#limit || this.#entries.size === 1) return;
      this.delete(oldest);
    }
  }

  delete(key: Key): void {
    const value = this.#entries.get(key);
    if (value === undefined) return;
    this.#weight -= this.#weigh(value);
    this.#entries.delete(key);
  }

  /** @param form form of values that are not plain data */
  exchange<Plain = Value>(fields: Fields, form?: Form<Value, Plain>): void {
    fields.map(this.#entries, form);
    this.#weight = fields.value(this.#weight);
    this.#youngest = fields.value(this.#youngest);
  }
}
