import type { Fields } from '../../kit/index.ts';
import { Ring } from './ring.ts';

/** Number of best entries. */
const BEST = 1000;
/** Step by which the threshold of the best entries moves; scores are of the order of 1. */
const STEP = 0.002;
const MAX_BORDER = 2;

/**
 * Cycles through all waiting entries, a few at a time, and also through the best ones. So the cost per page does not
 * depend on the number of waiting entries. Entries are small, dense numbers. Deterministic: visits depend on the
 * calls alone.
 */
export class Sweep {
  readonly #all = new Ring();
  readonly #best = new Ring();
  #border = 0;

  get size(): number {
    return this.#all.size;
  }

  add(entry: number): void {
    this.#all.add(entry);
  }

  delete(entry: number): void {
    this.#all.delete(entry);
    this.#best.delete(entry);
  }

  /** Must be called after an entry was scored. */
  placed(entry: number, score: number): void {
    if (score >= this.#border) this.#best.add(entry);
    else this.#best.delete(entry);
  }

  /** Returns the next entries: up to `n` of all and `n` of the best. */
  *next(n: number): Iterable<number> {
    const border = this.#border + (this.#best.size > BEST ? STEP : -STEP);
    this.#border = Math.min(MAX_BORDER, Math.max(-MAX_BORDER, border));
    for (const ring of [this.#all, this.#best]) {
      for (let i = Math.min(n, ring.size); i > 0; i--) {
        const entry = ring.next();
        if (entry !== undefined) yield entry;
      }
    }
  }

  exchange(fields: Fields): void {
    this.#all.exchange(fields);
    this.#best.exchange(fields);
    this.#border = fields.value(this.#border);
  }
}
