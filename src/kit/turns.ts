import { setImmediate as nextTurn } from 'node:timers/promises';

/** Keys, signals, sockets and timers have their turn this often, in ms. */
const TURN_MS = 5;

/**
 * Cuts what the main thread computes into turns: long work, and answers that come several at once. All who share one have a turn's time
 * together.
 */
export class Turns {
  #endsAt = performance.now() + TURN_MS;
  #last: Promise<void> = Promise.resolve();

  /** Others have waited long enough. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /**
   * Resolves when it is the caller's turn: in the order in which they asked, and when this turn is over, in the next one. What the
   * caller does without waiting is done before the one after it is asked in.
   */
  come(): Promise<void> {
    this.#last = this.#last.then(() => (this.isOver ? this.#next() : undefined));
    return this.#last;
  }

  /** Goes through work in parts, as many in a turn as there is time for. */
  async through<T>(parts: Iterator<void, T>): Promise<T> {
    for (;;) {
      const part = parts.next();
      if (part.done === true) return part.value;
      if (this.isOver) await this.come();
    }
  }

  async #next(): Promise<void> {
    await nextTurn();
    this.#endsAt = performance.now() + TURN_MS;
  }
}
