/** Maximum number of events kept for a slow reader; beyond it the oldest are dropped. */
const MAX_WAITING = 100_000;

/** Passes events to one reader, in order. */
export class EventQueue<T> implements AsyncIterable<T> {
  #waiting: T[] = [];
  #isEnded = false;
  #error: { readonly error: unknown } | undefined;
  #wake: () => void = () => {};
  readonly #onLeft: () => Promise<void>;

  /** @param onLeft called when the reader leaves before the end */
  constructor(onLeft: () => Promise<void>) {
    this.#onLeft = onLeft;
  }

  push(event: T): void {
    if (this.#waiting.length >= MAX_WAITING) this.#waiting.shift();
    this.#waiting.push(event);
    this.#wake();
  }

  /** Ends the queue. With an error, the reader throws it. */
  end(failure?: { readonly error: unknown }): void {
    this.#isEnded = true;
    this.#error = failure;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    let isAtEnd = false;
    try {
      for (;;) {
        const events = this.#waiting;
        this.#waiting = [];
        yield* events;
        if (this.#waiting.length > 0) continue;
        if (this.#isEnded) break;
        await new Promise<void>((wake) => {
          this.#wake = wake;
        });
      }
      isAtEnd = true;
      if (this.#error !== undefined) throw this.#error.error;
    } finally {
      if (!isAtEnd) await this.#onLeft();
    }
  }
}
