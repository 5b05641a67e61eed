import type { CrawlEvent, StopReason } from '../core/index.ts';
import { Sleep, Turns } from '../kit/index.ts';
import type { Notice } from './alarms.ts';

/** What the parts of a running crawl share: its clocks, its end, its events. It refers to no other part. */
export class RunControl {
  readonly turns: Turns = new Turns();
  readonly sleep: Sleep = new Sleep();
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Clock for waiting: never jumps or runs backwards, whatever happens to the system's clock. */
  readonly steadyNow: () => number;
  readonly #onEvent: ((event: CrawlEvent) => void) | undefined;
  readonly #ending = new AbortController();
  readonly #noMore = new AbortController();
  #stopping: StopReason | undefined;
  #failure: unknown;
  #startedAt = 0;

  constructor(now: (() => number) | undefined, onEvent: ((event: CrawlEvent) => void) | undefined) {
    this.now = now ?? Date.now;
    this.steadyNow = now ?? (() => performance.timeOrigin + performance.now());
    this.#onEvent = onEvent;
  }

  /** Why the run is ending; `undefined` if it is not. */
  get stopping(): StopReason | undefined {
    return this.#stopping;
  }

  /** The error that ends the run. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Aborted when the run ends. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Aborted when no request may start any more; jobs that have not started are given up. */
  get noMore(): AbortSignal {
    return this.#noMore.signal;
  }

  get startedAt(): number {
    return this.#startedAt;
  }

  begin(): void {
    this.#startedAt = this.steadyNow();
  }

  stop(reason: StopReason): void {
    this.#stopping ??= reason;
    this.#ending.abort();
    this.sleep.wake();
  }

  fail(error: unknown): void {
    this.#failure ??= error;
    this.sleep.wake();
  }

  endRequests(): void {
    this.#noMore.abort();
  }

  /** @param timeMs limit of the run; 0 = none */
  isTimeUp(timeMs: number): boolean {
    return timeMs > 0 && this.steadyNow() - this.#startedAt >= timeMs;
  }

  /** False if the run is ending and no request may start. @param timeMs limit of the run; 0 = none */
  mayAsk(timeMs: number): boolean {
    return this.#stopping === undefined && !this.isTimeUp(timeMs) && this.#failure === undefined;
  }

  alarm(notice: Notice): void {
    this.emit({ kind: 'alarm', ...notice });
  }

  emit(event: CrawlEvent): void {
    this.#onEvent?.(event);
  }
}
