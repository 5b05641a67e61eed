import { type Fields, hash53 } from '../../kit/index.ts';

/**
 * An even sample of at most `limit` items out of a stream of any length: the items whose keys have the smallest hashes.
 * What is kept depends on the keys alone, not on their order, so it repeats. What is offered again is kept once, as it was last.
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

  /** Takes out what turned out not to belong here; nothing beyond what was sampled so far comes in its place. */
  drop(keys: ReadonlySet<string>): void {
    this.#shrink();
    this.#items = this.#items.filter(({ key }) => !keys.has(key));
  }

  /** The sample, ordered by hash. */
  values(): readonly T[] {
    this.#shrink();
    return this.#items.map((item) => item.value);
  }

  #shrink(): void {
    this.#items.sort((a, b) => a.hash - b.hash);
    // What was offered again stands behind what it takes the place of.
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
