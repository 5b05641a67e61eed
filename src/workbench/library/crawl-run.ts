import {
  answerCommand,
  type CrawlStatus,
  type Question,
  type QuestionAnswer,
  type SteerCommand,
  UsageError,
} from '../../core/index.ts';
import type { Crawl } from '../../engine/index.ts';
import { crawlEvent, summaryOf, type WorkspaceCrawlEvent, type WorkspaceCrawlSummary } from '../crawl/crawl-events.ts';
import { crawlWorkspace, type WorkspaceCrawlPlan } from '../crawl/crawl-workspace.ts';
import type { Workspace } from '../workspace/workspace.ts';

import { EventQueue } from './event-queue.ts';

/**
 * A running crawl: its events, and its controls. Leaving the loop over its events stops it.
 *
 * @example
 * ```js
 * const crawl = workspace.crawl({ budget: 500 });
 * for await (const event of crawl) if (event.kind === 'page') console.log(event.url, event.topic);
 * console.log((await crawl.summary).harvestRate);
 * ```
 */
export class CrawlRun implements AsyncIterable<WorkspaceCrawlEvent> {
  /** The outcome, once the crawl has ended and everything is stored. Rejects if the crawl failed. */
  readonly summary: Promise<WorkspaceCrawlSummary>;
  readonly #events: EventQueue<WorkspaceCrawlEvent>;
  readonly #stopping = new AbortController();
  #crawl: Crawl | undefined;
  #waiting: SteerCommand[] = [];

  /** @internal Use {@link OpenWorkspace.crawl}. */
  constructor(
    workspace: Workspace,
    plan: WorkspaceCrawlPlan,
    { signal, onEnd }: { readonly signal?: AbortSignal | undefined; readonly onEnd: () => Promise<void> },
  ) {
    this.#events = new EventQueue(async () => {
      this.stop();
      await this.summary.catch(() => {});
    });
    const stopAtSignal = (): void => this.stop();
    signal?.addEventListener('abort', stopAtSignal, { once: true });
    this.summary = this.#run(workspace, plan, signal?.aborted === true).finally(async () => {
      signal?.removeEventListener('abort', stopAtSignal);
      await onEnd();
    });
    // The loop over the events throws the same error.
    this.summary.then(
      () => this.#events.end(),
      (error: unknown) => this.#events.end({ error }),
    );
  }

  /** Fetches no further links until {@link resume}. */
  pause(): void {
    this.steer({ kind: 'pause' });
  }

  /** Fetches links again. */
  resume(): void {
    this.steer({ kind: 'resume' });
  }

  /** Ends the crawl: active fetches finish, and everything is stored. The next crawl resumes there. */
  stop(): void {
    this.#stopping.abort();
    this.#crawl?.stop();
  }

  /** Sets the total number of pages to fetch, earlier runs included. */
  setBudget(budget: number): void {
    if (!Number.isSafeInteger(budget) || budget < 1)
      throw new UsageError(`The budget is ${budget}; expected a whole number, 1 or more.`);
    this.steer({ kind: 'set-budget', budget });
  }

  /** Ends the learning phase, or starts it again. */
  setPhase(phase: 'learning' | 'harvesting'): void {
    this.steer({ kind: phase === 'learning' ? 'begin-learning' : 'end-learning' });
  }

  /**
   * Answers a `question` event: a page on topic becomes an example, another one a counter-example. The crawl learns
   * from the answer at once.
   */
  answer(question: Question, answer: QuestionAnswer): void {
    this.steer(answerCommand(question, answer));
  }

  /**
   * Changes the running crawl as the dashboard does: limits, blocked hosts, target topics, the ordering. The journal
   * keeps the change.
   */
  steer(command: SteerCommand): void {
    if (this.#crawl === undefined) this.#waiting.push(command);
    else this.#crawl.steer(command);
  }

  /** Returns the current figures; `undefined` before the crawl has begun. */
  status(): CrawlStatus | undefined {
    return this.#crawl === undefined || this.#crawl.isReading ? undefined : this.#crawl.status();
  }

  [Symbol.asyncIterator](): AsyncGenerator<WorkspaceCrawlEvent, void, void> {
    return this.#events[Symbol.asyncIterator]();
  }

  async #run(workspace: Workspace, plan: WorkspaceCrawlPlan, isStopped: boolean): Promise<WorkspaceCrawlSummary> {
    // Return the handle to the caller first.
    await Promise.resolve();
    if (isStopped) this.#stopping.abort();
    const { signal } = this.#stopping;
    const outcome = await crawlWorkspace(workspace, plan, {
      onEvent: (event) => this.#events.push(crawlEvent(event)),
      attach: (crawl) => this.#attach(crawl),
      watch: {
        signal,
        onEvent: (event) => {
          if (event.kind === 'judged') this.#events.push(event);
        },
      },
    });
    this.#crawl = undefined;
    const summary = summaryOf(outcome);
    this.#events.push({ kind: 'summary', ...summary });
    return summary;
  }

  #attach(crawl: Crawl): undefined {
    this.#crawl = crawl;
    for (const command of this.#waiting) crawl.steer(command);
    this.#waiting = [];
    if (this.#stopping.signal.aborted) crawl.stop();
  }
}
