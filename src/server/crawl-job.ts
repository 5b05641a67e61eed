import { BingoError, type CrawlStatus, type Question, type QuestionAnswer, type SteerCommand } from '../core/index.ts';
import type { CrawlRun, WorkspaceCrawlEvent, WorkspaceCrawlSummary } from '../workbench/index.ts';
import { type ErrorReply, replyOf } from './errors.ts';
import { EventLog, type NumberedEvent } from './event-log.ts';

/** The figures become an event this often, if something happened. */
const STATUS_MS = 1_000;
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
  events(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent<WorkspaceCrawlEvent>, void, void>;
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
  readonly #log = new EventLog<WorkspaceCrawlEvent>();

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
    const asked = this.#log.findLast(
      (event) => event.kind === 'question' && event.question.key === key && event.question.topic === topic,
    );
    return asked?.kind === 'question' ? asked.question : undefined;
  }

  events(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent<WorkspaceCrawlEvent>, void, void> {
    return this.#log.after(after, signal);
  }

  async #follow(): Promise<void> {
    let last = '';
    const look = (): void => {
      const status = this.run.status();
      const { elapsedMs: _, ...figures } = status ?? { elapsedMs: 0 };
      const now = JSON.stringify(figures);
      if (status !== undefined && now !== last) this.#log.add({ kind: 'status', status });
      last = now;
    };
    const timer = setInterval(look, STATUS_MS);
    try {
      for await (const event of this.run) {
        // The last figures, also of a crawl that took less than a second.
        if (event.kind === 'summary') look();
        this.#log.add(event);
      }
      this.#end = { state: 'ended', summary: await this.run.summary };
    } catch (error) {
      this.#end = { state: 'failed', error: replyOf(error instanceof BingoError ? error : unexpected(error)) };
    } finally {
      clearInterval(timer);
    }
    this.#log.end();
  }
}

function unexpected(error: unknown): BingoError {
  return new BingoError({ code: 'UNEXPECTED', message: `The crawl failed: ${String(error)}` });
}
