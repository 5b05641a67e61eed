import type { Store } from '../../store/index.ts';

/** What the user decided about the crawl of the whole, and no shard journals. */
export interface Whole {
  /** Pages to fetch in all, with those before the crawl was spread. */
  readonly budget: number;
  readonly isPaused: boolean;
}

/** Follows what the process that leads publishes. Whatever was published before this process began is out of date. */
export class PublishedWhole {
  #firstAt: number | undefined;
  #last: Whole | undefined;

  /** The last that was published; `undefined` if no process has led since this one began. */
  get last(): Whole | undefined {
    return this.#last;
  }

  /** Receives what is published now. */
  look(published: Awaited<ReturnType<Store['published']>>): void {
    // The clock of the process that leads may differ from that of this one: only a change shows that it is there.
    const at = published?.at ?? 0;
    this.#firstAt ??= at;
    if (published === undefined || at === this.#firstAt) return;
    const { budget, paused } = published.status;
    this.#last = { budget, isPaused: paused };
  }
}
