import { setImmediate as nextTurn } from 'node:timers/promises';

/** Keys, signals, sockets and timers have their turn this often, in ms. */
const TURN_MS = 5;

/**
 * Cuts long work on the main thread into turns: after each part of it `isOver` tells whether others have waited long enough, and
 * `next` lets them.
 */
export class Turns {
  #endsAt = performance.now() + TURN_MS;

  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  async next(): Promise<void> {
    await nextTurn();
    this.#endsAt = performance.now() + TURN_MS;
  }
}
