import { setImmediate as nextTurn } from 'node:timers/promises';

/** Interval at which the main thread handles key presses, signals, sockets and timers, in ms. */
const TURN_MS = 5;

/**
 * Cuts long work on the main thread into turns, also if several tasks run at once. All users of one object share the
 * time of a turn.
 */
export class Turns {
  #endsAt = performance.now() + TURN_MS;
  #last: Promise<void> = Promise.resolve();

  /** True if other events have waited long enough. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /**
   * Resolves when it is the caller's turn. Callers are served in order; once this turn is over, they wait for the
   * next one. The synchronous work of one caller ends before the next one starts.
   */
  come(): Promise<void> {
    this.#last = this.#last.then(() => (this.isOver ? this.#next() : undefined));
    return this.#last;
  }

  /** Runs work in parts, as many per turn as there is time for. */
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
