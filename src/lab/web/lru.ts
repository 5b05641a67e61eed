/** A map bounded by the weight of its values; what was used least recently goes first. */
export class LruCache<Key, Value> {
  readonly #limit: number;
  readonly #weigh: (value: Value) => number;
  readonly #entries = new Map<Key, Value>();
  #weight = 0;

  /** @param limit greatest sum of weights; a single value beyond it is not kept */
  constructor(limit: number, weigh: (value: Value) => number) {
    this.#limit = limit;
    this.#weigh = weigh;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    const before = this.#entries.get(key);
    if (before !== undefined) this.#remove(key, before);
    this.#entries.set(key, value);
    this.#weight += this.#weigh(value);
    for (const [oldest, old] of this.#entries) {
      if (this.#weight <= this.#limit) break;
      this.#remove(oldest, old);
    }
  }

  get weight(): number {
    return this.#weight;
  }

  #remove(key: Key, value: Value): void {
    this.#entries.delete(key);
    this.#weight -= this.#weigh(value);
  }
}
