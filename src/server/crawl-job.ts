import { BingoError, type CrawlStatus, type Question, type QuestionAnswer, type SteerCommand } from '../core/index.ts';
import type { CrawlRun, WorkspaceCrawlEvent, WorkspaceCrawlSummary } from '../workbench/index.ts';
import { type ErrorReply, replyOf } from './errors.ts';

/** The figures become an event this often, if something happened. */
const STATUS_MS = 1_000;
/** Number of events kept for clients that connect later or read slowly. */
const KEPT_EVENTS = 2_000;

/** An event with its number, from 1. */
export interface NumberedEvent {
  readonly id: number;
  readonly event: WorkspaceCrawlEvent | MissedEvents;
}

/** Events that are no longer kept. */
export interface MissedEvents {
  readonly kind: 'missed';
  readonly events: number;
}

/** State of a crawl: of the one that runs, or of the last one that this server started. */
export interface JobState {
  readonly state: 'running' | 'ended' | 'failed';
  /** Another process runs it. */
  readonly isElsewhere?: true;
  /** The figures of this moment; absent before the crawl has begun and after its end. */
  readonly status?: CrawlStatus;
  /** The outcome, once it has ended. */
  readonly summary?: WorkspaceCrawlSummary;
  /** Why it failed. */
  readonly error?: ErrorReply;
}

/** What the API does with a crawl, whichever process runs it. */
export interface ServedCrawl {
  state(): JobState;
  /** Returns a question that the crawl asked lately; `undefined` if it did not. */
  question(asked: { readonly key: string; readonly topic: string }): Question | undefined;
  /** Yields the events after a number, then those to come, until the crawl ends or the signal aborts. */
  events(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void, void>;
  steer(command: SteerCommand): void | Promise<void>;
  answer(question: Question, answer: QuestionAnswer): void | Promise<void>;
  stop(): void;
}

/** A crawl that this server runs. Keeps its last events for any number of readers. */
export class CrawlJob implements ServedCrawl {
  readonly run: CrawlRun;
  /** Resolves at its end, also if it failed. */
  readonly ended: Promise<void>;
  #end: Pick<JobState, 'state' | 'summary' | 'error'> | undefined;
  #kept: WorkspaceCrawlEvent[] = [];
  /** Events that are no longer kept. */
  #dropped = 0;
  #wake = Promise.withResolvers<void>();

  constructor(run: CrawlRun) {
    this.run = run;
    this.ended = this.#follow();
  }

  get isRunning(): boolean {
    return this.#end === undefined;
  }

  steer(command: SteerCommand): void {
    this.run.steer(command);
  }

  answer(question: Question, answer: QuestionAnswer): void {
    this.run.answer(question, answer);
  }

  stop(): void {
    this.run.stop();
  }

  state(): JobState {
    if (this.#end !== undefined) return this.#end;
    const status = this.run.status();
    return { state: 'running', ...(status !== undefined && { status }) };
  }

  question({ key, topic }: { readonly key: string; readonly topic: string }): Question | undefined {
    for (const event of this.#kept.toReversed())
      if (event.kind === 'question' && event.question.key === key && event.question.topic === topic)
        return event.question;
    return undefined;
  }

  async *events(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent, void, void> {
    const left = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => left.resolve(), { once: true });
    let next = Math.max(0, after);
    while (!signal.aborted) {
      if (next < this.#dropped) {
        yield { id: this.#dropped, event: { kind: 'missed', events: this.#dropped - next } };
        next = this.#dropped;
      }
      const event = this.#kept[next - this.#dropped];
      if (event !== undefined) yield { id: ++next, event };
      else if (this.#end !== undefined) return;
      else await Promise.race([this.#wake.promise, left.promise]);
    }
  }

  async #follow(): Promise<void> {
    let last = '';
    const look = (): void => {
      const status = this.run.status();
      const { elapsedMs: _, ...figures } = status ?? { elapsedMs: 0 };
      const now = JSON.stringify(figures);
      if (status !== undefined && now !== last) this.#keep({ kind: 'status', status });
      last = now;
    };
    const timer = setInterval(look, STATUS_MS);
    try {
      for await (const event of this.run) {
        // The last figures, also of a crawl that took less than a second.
        if (event.kind === 'summary') look();
        this.#keep(event);
      }
      this.#end = { state: 'ended', summary: await this.run.summary };
    } catch (error) {
      this.#end = { state: 'failed', error: replyOf(error instanceof BingoError ? error : unexpected(error)) };
    } finally {
      clearInterval(timer);
    }
    this.#wake.resolve();
  }

  #keep(event: WorkspaceCrawlEvent): void {
    this.#kept.push(event);
    if (this.#kept.length > 2 * KEPT_EVENTS) {
      this.#kept = this.#kept.slice(-KEPT_EVENTS);
      this.#dropped += KEPT_EVENTS + 1;
    }
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}

function unexpected(error: unknown): BingoError {
  return new BingoError({ code: 'UNEXPECTED', message: `The crawl failed: ${String(error)}` });
}
