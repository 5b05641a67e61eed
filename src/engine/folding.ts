import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Turns } from '../kit/index.ts';

/** A record while it is folded. */
export interface Folded {
  readonly parts: Iterator<void>;
  /** Called when the folding is complete, by a turn or by `finish`. */
  readonly onThrough: () => void;
}

/**
 * Folds records into the state one after the other, long ones in several turns: a page with two thousand links takes
 * tens of milliseconds. A caller with a new record waits until the previous one is done, or completes it at once.
 */
export class Folding {
  readonly #turns: Pick<Turns, 'isOver' | 'come'>;
  readonly #isWanted: () => boolean;
  /** Folds the next part of the current record. Returns true if it was the last part. */
  #next: (() => boolean) | undefined;
  #ended: Promise<void> = Promise.resolve();

  /** @param isWanted - asked between two turns; false breaks off the current record */
  constructor(turns: Pick<Turns, 'isOver' | 'come'>, isWanted: () => boolean) {
    this.#turns = turns;
    this.#isWanted = isWanted;
  }

  /** True if a record is partly folded: nothing may be taken from the frontier. */
  get isUnderWay(): boolean {
    return this.#next !== undefined;
  }

  /** Completes the current record. */
  finish(): void {
    while (this.#next?.() === false);
  }

  /**
   * Folds the parts of a record, as many per turn as time allows. Records are folded in the order of the calls; the
   * crawl's loop gets its turn in between.
   * @param begin - called once no other record is being folded
   * @returns `undefined` if the record is already done
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
   * Adds no records while `work` reads the state. A record that must be folded at once (see `finish`) ends this:
   * `isHeld` is then false.
   */
  async hold<T>(work: (isHeld: () => boolean) => Promise<T>): Promise<T> {
    while (this.isUnderWay) {
      await this.#ended.catch(() => {}); // The owner of the record handles its error.
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
      await this.#ended.catch(() => {}); // The owner of the record handles its error.
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
