import type { FindAnswer, FindEvent, FindRun } from '../workbench/index.ts';
import { type ErrorReply, errorReply } from './errors.ts';
import { EventLog, type NumberedEvent } from './event-log.ts';

/** State of a find that this server started. */
export interface FindState {
  readonly question: string;
  readonly state: 'running' | 'ended' | 'failed';
  /** Pages fetched so far. */
  readonly fetched: number;
  /** Accepted ones among them. */
  readonly accepted: number;
  /** The answers, once it has ended. */
  readonly answer?: FindAnswer;
  /** Why it failed. */
  readonly error?: ErrorReply;
}

/** A find that this server runs. */
export class FindJob {
  /** Resolves at its end, also if it failed. */
  readonly ended: Promise<void>;
  readonly #run: FindRun;
  readonly #question: string;
  readonly #log = new EventLog<FindEvent>();
  #fetched = 0;
  #accepted = 0;
  #end: Pick<FindState, 'state' | 'answer' | 'error'> | undefined;

  constructor(question: string, run: FindRun) {
    this.#question = question;
    this.#run = run;
    this.ended = this.#follow();
  }

  get isRunning(): boolean {
    return this.#end === undefined;
  }

  state(): FindState {
    const counts = { question: this.#question, fetched: this.#fetched, accepted: this.#accepted };
    return { ...counts, ...(this.#end ?? { state: 'running' }) };
  }

  /** Yields the events after a number, then those to come, until the find ends or the signal aborts. */
  events(after: number, signal: AbortSignal): AsyncGenerator<NumberedEvent<FindEvent>, void, void> {
    return this.#log.after(after, signal);
  }

  /** Ends the crawl: active fetches finish, and everything is stored. */
  stop(): void {
    this.#run.stop();
  }

  async #follow(): Promise<void> {
    try {
      for await (const event of this.#run) {
        this.#log.add(event);
        if (event.kind !== 'page') continue;
        this.#fetched++;
        if (event.topic !== null) this.#accepted++;
      }
      this.#end = { state: 'ended', answer: await this.#run.answer };
    } catch (error) {
      this.#end = { state: 'failed', error: errorReply(error) };
    }
    this.#log.end();
  }
}
