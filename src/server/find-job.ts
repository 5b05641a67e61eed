import type { FindAnswer, FindRun } from '../workbench/index.ts';
import { type ErrorReply, errorReply } from './errors.ts';

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

  /** Ends the crawl: active fetches finish, and everything is stored. */
  stop(): void {
    this.#run.stop();
  }

  async #follow(): Promise<void> {
    try {
      for await (const event of this.#run) {
        if (event.kind !== 'page') continue;
        this.#fetched++;
        if (event.topic !== null) this.#accepted++;
      }
      this.#end = { state: 'ended', answer: await this.#run.answer };
    } catch (error) {
      this.#end = { state: 'failed', error: errorReply(error) };
    }
  }
}
