/** Number of events kept for clients that connect later or read slowly. */
const KEPT_EVENTS = 2_000;

/** Events that are no longer kept. */
export interface MissedEvents {
  readonly kind: 'missed';
  readonly events: number;
}

/** An event with its number, from 1. */
export interface NumberedEvent<E> {
  readonly id: number;
  readonly event: E | MissedEvents;
}

/** The last events of a run, for any number of readers. */
export class EventLog<E> {
  #kept: E[] = [];
  /** Events that are no longer kept. */
  #dropped = 0;
  #isEnded = false;
  #wake = Promise.withResolvers<void>();

  add(event: E): void {
    this.#kept.push(event);
    if (this.#kept.length > 2 * KEPT_EVENTS) {
      this.#kept = this.#kept.slice(-KEPT_EVENTS);
      this.#dropped += KEPT_EVENTS + 1;
    }
    this.#wakeReaders();
  }

  /** Says that no event will be added. */
  end(): void {
    this.#isEnded = true;
    this.#wakeReaders();
  }

  /** Returns the last event that fits; `undefined` if none of those that are kept does. */
  findLast(fits: (event: E) => boolean): E | undefined {
    return this.#kept.findLast(fits);
  }

  /** Yields the events after a number, then those to come, until the end or until the signal aborts. */
  async *after(number: number, signal: AbortSignal): AsyncGenerator<NumberedEvent<E>, void, void> {
    const left = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => left.resolve(), { once: true });
    let next = Math.max(0, number);
    while (!signal.aborted) {
      if (next < this.#dropped) {
        yield { id: this.#dropped, event: { kind: 'missed', events: this.#dropped - next } };
        next = this.#dropped;
      }
      const event = this.#kept[next - this.#dropped];
      if (event !== undefined) yield { id: ++next, event };
      else if (this.#isEnded) return;
      else await Promise.race([this.#wake.promise, left.promise]);
    }
  }

  #wakeReaders(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
