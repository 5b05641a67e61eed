import type { Fields, Form } from './saved/fields.ts';

/**
 * A map that forgets what was used least recently once its entries weigh more than `limit` together. The youngest
 * entry stays, whatever its weight.
 */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #limit: number;
  readonly #weigh: (value: Value) => number;
  #weight = 0;
  #youngest: Key | undefined;

  /** @param weigh - default: every entry weighs 1, so that `limit` is a number of entries */
  constructor(limit: number, weigh: (value: Value) => number = () => 1) {
    this.#limit = limit;
    this.#weigh = weigh;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Those used least recently first; looking at them is no use. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }

  /** The same with their keys. */
  entries(): IterableIterator<[Key, Value]> {
    return this.#entries.entries();
  }

  /** Counts as a use. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    if (key === this.#youngest) return value;
    // A Map iterates in order of insertion: to insert again is to become the youngest.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#youngest = key;
    return value;
  }

  /** Looks without counting as a use. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** A value must keep its weight while it is in here, or `grew` must be told. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#youngest = key;
    this.grew(this.#weigh(value));
  }

  /** A value that is in here weighs more than before. Whatever is too much goes, the value itself perhaps. */
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

  /** @param form of values that are not plain data */
  exchange<Plain = Value>(fields: Fields, form?: Form<Value, Plain>): void {
    fields.map(this.#entries, form);
    this.#weight = fields.value(this.#weight);
    this.#youngest = fields.value(this.#youngest);
  }
}
