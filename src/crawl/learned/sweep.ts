/** Waiting entries whose scores are kept fresh: visited in turn, the best ones more often. */
interface Scored {
  /** As of its last visit. */
  score: number;
}

/** Entries among the best. */
const BEST = 1000;
/** Step by which the border of the best moves; scores are of the order of 1. */
const STEP = 0.002;
const MAX_BORDER = 2;

/**
 * Goes round all waiting entries, a few at a time, and round the best ones besides, so that a page costs the same
 * however many wait. Deterministic: what is visited depends on the calls alone.
 */
export class Sweep<T extends Scored> {
  readonly #all = new Map<string, T>();
  readonly #best = new Map<string, T>();
  #allTurn = this.#all.entries();
  #bestTurn = this.#best.entries();
  #border = 0;

  get size(): number {
    return this.#all.size;
  }

  get(url: string): T | undefined {
    return this.#all.get(url);
  }

  add(url: string, entry: T): void {
    this.#all.set(url, entry);
  }

  delete(url: string): void {
    this.#all.delete(url);
    this.#best.delete(url);
  }

  /** To be called after an entry was scored. */
  placed(url: string, entry: T): void {
    if (entry.score >= this.#border) this.#best.set(url, entry);
    else this.#best.delete(url);
  }

  /** The next entries in turn: up to `n` of all and `n` of the best. */
  *next(n: number): Iterable<readonly [string, T]> {
    const border = this.#border + (this.#best.size > BEST ? STEP : -STEP);
    this.#border = Math.min(MAX_BORDER, Math.max(-MAX_BORDER, border));
    for (let i = Math.min(n, this.#all.size); i > 0; i--) {
      let item = this.#allTurn.next();
      if (item.done === true) {
        this.#allTurn = this.#all.entries();
        item = this.#allTurn.next();
      }
      if (item.done !== true) yield item.value;
    }
    for (let i = Math.min(n, this.#best.size); i > 0; i--) {
      let item = this.#bestTurn.next();
      if (item.done === true) {
        this.#bestTurn = this.#best.entries();
        item = this.#bestTurn.next();
      }
      if (item.done !== true) yield item.value;
    }
  }
}
