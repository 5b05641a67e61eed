import { setImmediate } from 'node:timers/promises';
import type { CrawlEvent, LoadedExtension, SinkExtension } from '../../core/index.ts';
import { errorText, Faults } from '../../engine/index.ts';
import { counted, within } from '../../kit/index.ts';
import type { Watch } from '../watch.ts';
import { type CrawlOutcome, crawlEvent, summaryOf, type WorkspaceCrawlEvent } from './crawl-events.ts';

/** Events that wait for one sink; further ones are dropped. */
const MAX_WAITING = 10_000;
/** Longest time for one event, and for the events left at the end. */
const EVENT_MS = 10_000;
/** The main thread is given back after so long. */
const TURN_MS = 5;

interface Queue {
  readonly loaded: LoadedExtension<SinkExtension<WorkspaceCrawlEvent>>;
  readonly waiting: WorkspaceCrawlEvent[];
  dropped: number;
  /** Resolves once nothing waits. */
  pumping: Promise<void> | undefined;
}

/** Passes the events of a crawl to event sinks. A sink that is slow or fails never holds up the crawl. */
export class EventSinks {
  readonly #queues: readonly Queue[];
  readonly #faults: Faults;
  readonly #report: (event: CrawlEvent) => void;

  /** @param report receives alarms about the sinks */
  constructor(loaded: readonly LoadedExtension[], report: (event: CrawlEvent) => void) {
    this.#queues = loaded.flatMap((one): Queue[] =>
      one.extension.kind === 'sink'
        ? [{ loaded: one as Queue['loaded'], waiting: [], dropped: 0, pumping: undefined }]
        : [],
    );
    this.#report = report;
    this.#faults = new Faults((notice) => report({ kind: 'alarm', ...notice }));
  }

  /** Returns what receives a crawl's events, and passes them to the sinks as well. */
  joining<T extends { readonly onEvent: (event: CrawlEvent) => void; readonly watch: Watch }>(face: T): T {
    if (this.#queues.length === 0) return face;
    const { watch } = face;
    const onEvent = (event: CrawlEvent): void => {
      face.onEvent(event);
      this.onEvent(event);
    };
    const onWork: Watch['onEvent'] = (event) => {
      if (event.kind === 'judged') this.#push(event);
      return watch.onEvent?.(event);
    };
    return { ...face, onEvent, watch: { ...watch, onEvent: onWork } };
  }

  /** Receives an event of the engine. */
  onEvent(event: CrawlEvent): void {
    if (this.#queues.length > 0) this.#push(crawlEvent(event));
  }

  /** Receives the outcome, which is the last event. */
  summary(outcome: CrawlOutcome): void {
    if (this.#queues.length > 0) this.#push({ kind: 'summary', ...summaryOf(outcome) });
  }

  #push(event: WorkspaceCrawlEvent): void {
    for (const queue of this.#queues) {
      if (this.#faults.isOff(queue.loaded)) continue;
      if (queue.waiting.length < MAX_WAITING) queue.waiting.push(event);
      else if (queue.dropped++ === 0) this.#reportSlow(queue);
      queue.pumping ??= this.#pump(queue).finally(() => {
        queue.pumping = undefined;
      });
    }
  }

  /** Waits a while for the events left, then closes the sinks. */
  async close(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => this.#closeOne(queue)));
  }

  async #closeOne(queue: Queue): Promise<void> {
    const { extension } = queue.loaded;
    if (queue.pumping !== undefined) await within(EVENT_MS, queue.pumping);
    const left = queue.dropped + queue.waiting.length;
    queue.waiting.length = 0;
    if (left > 0 && !this.#faults.isOff(queue.loaded))
      this.#faults.failed(queue.loaded, `it was too slow for ${counted(left, 'event')}, which it did not receive`);
    await this.#call(queue, () => extension.close?.());
  }

  async #pump({ loaded, waiting }: Queue): Promise<void> {
    await setImmediate();
    let turn = performance.now();
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      const next = event;
      const worked = await this.#call({ loaded }, () => loaded.extension.event(next));
      if (worked) this.#faults.worked(loaded);
      if (this.#faults.isOff(loaded)) waiting.length = 0;
      if (performance.now() - turn < TURN_MS) continue;
      await setImmediate();
      turn = performance.now();
    }
  }

  /** @returns false if the call failed */
  async #call({ loaded }: Pick<Queue, 'loaded'>, call: () => void | Promise<void>): Promise<boolean> {
    try {
      if ((await within(EVENT_MS, call())) !== undefined) return true;
      this.#faults.failed(loaded, `an event took longer than ${EVENT_MS / 1000} s`);
    } catch (error) {
      this.#faults.failed(loaded, errorText(error));
    }
    return false;
  }

  #reportSlow({ loaded }: Queue): void {
    this.#report({
      kind: 'alarm',
      code: 'extension-slow',
      message: `The event sink "${loaded.extension.name}" is slow: ${counted(MAX_WAITING, 'event')} wait for it, and it does not receive further ones.`,
      remedy: 'The crawl continues at full speed. Let the sink write less, or several events at once.',
    });
  }
}
