import { type Fields, hash53 } from '../../kit/index.ts';

/**
 * An even sample of at most `limit` items from a stream of any length: the items whose keys have the smallest hashes.
 * The choice depends only on the keys, not on their order, so it can be repeated. A key offered again is kept once,
 * with the latest item.
 */
export class Sample<T> {
  readonly #limit: number;
  #items: { readonly hash: number; readonly key: string; readonly value: T }[] = [];
  #worst = Number.POSITIVE_INFINITY;

  constructor(limit: number) {
    this.#limit = limit;
  }

  offer(key: string, value: T): void {
    const hash = hash53(key);
    if (hash > this.#worst) return;
    this.#items.push({ hash, key, value });
    if (this.#items.length >= 2 * this.#limit) this.#shrink();
  }

  /** Removes items that do not belong here. Items that were not sampled earlier do not take their place. */
  drop(keys: ReadonlySet<string>): void {
    this.#shrink();
    this.#items = this.#items.filter(({ key }) => !keys.has(key));
  }

  /** Returns the sample, ordered by hash. */
  values(): readonly T[] {
    this.#shrink();
    return this.#items.map((item) => item.value);
  }

  #shrink(): void {
    this.#items.sort((a, b) => a.hash - b.hash);
    // An item offered again is placed after the one it replaces.
    this.#items = this.#items.filter(({ key }, i, items) => items[i + 1]?.key !== key);
    this.#items.length = Math.min(this.#items.length, this.#limit);
    if (this.#items.length === this.#limit) this.#worst = this.#items.at(-1)?.hash ?? Number.NEGATIVE_INFINITY;
  }

  exchange(fields: Fields): void {
    this.#shrink();
    this.#items = fields.value(this.#items);
    this.#worst = fields.value(this.#worst);
  }
}
