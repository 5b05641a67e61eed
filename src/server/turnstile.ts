import { RefusedError } from './errors.ts';

/** Lets a limited number of tasks run at a time, in order; refuses more than may wait. */
export class Turnstile {
  readonly #places: number;
  readonly #mayWait: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(places: number, mayWait: number) {
    this.#places = places;
    this.#mayWait = mayWait;
  }

  /** @throws RefusedError 503 if too many wait */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#places) {
      if (this.#waiting.length >= this.#mayWait)
        throw new RefusedError(503, {
          code: 'OVERLOADED',
          message: 'Too many requests are waiting.',
          hint: 'Try again in a moment.',
        });
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    } else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
