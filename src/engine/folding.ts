import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Turns } from '../kit/index.ts';

/** A record as it is folded in. */
export interface Folded {
  readonly parts: Iterator<void>;
  /** Told at the end, whoever brings it about. */
  readonly onThrough: () => void;
}

/**
 * Folds records into the state one after the other, those that take long in turns: a page of two thousand links takes tens of
 * milliseconds. Whoever has a record to fold in waits until the one before is through, or brings it to its end at once.
 */
export class Folding {
  readonly #turns: Pick<Turns, 'isOver' | 'come'>;
  readonly #isWanted: () => boolean;
  /** Folds in one part more of the record that is under way. True: that was all. */
  #next: (() => boolean) | undefined;
  #ended: Promise<void> = Promise.resolve();

  /** @param isWanted - asked between two turns; false: what is under way is broken off */
  constructor(turns: Pick<Turns, 'isOver' | 'come'>, isWanted: () => boolean) {
    this.#turns = turns;
    this.#isWanted = isWanted;
  }

  /** A part of a record is folded in: nothing may be taken from the frontier. */
  get isUnderWay(): boolean {
    return this.#next !== undefined;
  }

  /** Brings what is under way to its end. */
  finish(): void {
    while (this.#next?.() === false);
  }

  /**
   * Goes through the parts of a record, as many in a turn as there is time for. Records come in the order in which they were asked for;
   * the loop of the crawl has its turn between two.
   * @param begin - asked when no other record is under way
   * @returns `undefined`: it is through already
   */
  inTurns(begin: () => Folded): Promise<void> | undefined {
    if (this.isUnderWay) return this.#waitFor(begin);
    const { parts, onThrough } = begin();
    const next = (): boolean => {
      if (parts.next().done !== true) return false;
      this.#next = undefined;
      onThrough();
      return true;
    };
    this.#next = next;
    try {
      while (!this.#turns.isOver) if (next()) return undefined;
      if (next()) return undefined;
    } catch (error) {
      this.#next = undefined;
      throw error;
    }
    this.#ended = this.#goOn(next);
    return this.#ended;
  }

  /**
   * Keeps records out while `work` reads the state. A record that must be folded in at once (see `finish`) ends that: `isHeld` is false
   * from then on.
   */
  async hold<T>(work: (isHeld: () => boolean) => Promise<T>): Promise<T> {
    while (this.isUnderWay) {
      await this.#ended.catch(() => {}); // Whose record it is hears of it.
      await nextTurn();
    }
    const next = (): boolean => {
      this.#next = undefined;
      return true;
    };
    this.#next = next;
    const working = work(() => this.#next === next);
    this.#ended = working.then(
      () => {},
      () => {},
    );
    try {
      return await working;
    } finally {
      if (this.#next === next) this.#next = undefined;
    }
  }

  async #waitFor(begin: () => Folded): Promise<void> {
    while (this.isUnderWay) {
      await this.#ended.catch(() => {}); // Whose record it is hears of it.
      await nextTurn();
      await this.#turns.come();
    }
    if (this.#isWanted()) await this.inTurns(begin);
  }

  async #goOn(next: () => boolean): Promise<void> {
    try {
      do {
        if (this.#turns.isOver) await this.#turns.come();
      } while (this.#isWanted() && this.#next === next && !next());
    } finally {
      if (this.#next === next) this.#next = undefined;
    }
  }
}
