import type { CrawlStatus, Question, QuestionAnswer, SteerCommand } from '../../core/index.ts';
import type { WorkspaceCrawlEvent, WorkspaceCrawlSummary } from '../../workbench/index.ts';
import type { JobState } from '../crawl-job.ts';
import type { MissedEvents } from '../event-log.ts';
import { ApiError, type Connection } from './connection.ts';
import { RemoteRun } from './remote-run.ts';

type CrawlEvent = WorkspaceCrawlEvent | MissedEvents;
type CrawlOnServer = RemoteRun<WorkspaceCrawlEvent, JobState>;

interface Options {
  readonly signal?: AbortSignal | undefined;
}

/** A crawl on a server: its events, and its controls. */
export class RemoteCrawl implements AsyncIterable<CrawlEvent> {
  readonly #run: CrawlOnServer;
  readonly #events: () => AsyncGenerator<CrawlEvent, void, void>;
  #status: CrawlStatus | undefined;
  #summary: Promise<WorkspaceCrawlSummary> | undefined;

  /** @param events what a loop over the crawl reads */
  private constructor(run: CrawlOnServer, events: () => AsyncGenerator<CrawlEvent, void, void>) {
    this.#run = run;
    this.#events = events;
  }

  /** @internal Use {@link RemoteWorkspace.crawl}. */
  static start({ signal, ...options }: Options, connection: Connection): RemoteCrawl {
    const run: CrawlOnServer = new RemoteRun(connection, '/crawl', connection.post('/crawl', options));
    const crawl: RemoteCrawl = new RemoteCrawl(run, () => run.ownEvents(() => crawl.stop()));
    run.stopAt(signal, () => crawl.stop());
    return crawl;
  }

  /** @internal Use {@link RemoteWorkspace.follow}. */
  static follow({ signal }: Options, connection: Connection): RemoteCrawl {
    const run: CrawlOnServer = new RemoteRun(connection, '/crawl', connection.get('/crawl'));
    return new RemoteCrawl(run, () => run.events(signal));
  }

  /** The outcome, once the crawl has ended and everything is stored. Rejects if the crawl failed. */
  get summary(): Promise<WorkspaceCrawlSummary> {
    this.#summary ??= this.#run.ended().then(({ summary }) => {
      if (summary !== undefined) return summary;
      throw new ApiError(409, { code: 'UNEXPECTED', message: 'The crawl has no outcome.' });
    });
    return this.#summary;
  }

  /** Fetches no further links until {@link resume}. */
  async pause(): Promise<void> {
    await this.steer({ kind: 'pause' });
  }

  /** Fetches links again. */
  async resume(): Promise<void> {
    await this.steer({ kind: 'resume' });
  }

  /** Ends the crawl: active fetches finish, and everything is stored. */
  async stop(): Promise<void> {
    await this.#run.post('/steer', { kind: 'stop' });
  }

  /** Sets the total number of pages to fetch, earlier runs included. */
  async setBudget(budget: number): Promise<void> {
    await this.steer({ kind: 'set-budget', budget });
  }

  /** Ends the learning phase, or starts it again. */
  async setPhase(phase: 'learning' | 'harvesting'): Promise<void> {
    await this.steer({ kind: phase === 'learning' ? 'begin-learning' : 'end-learning' });
  }

  /** Changes the running crawl: limits, blocked hosts, target topics, the ordering. */
  async steer(command: SteerCommand): Promise<void> {
    await this.#run.post('/steer', command);
  }

  /** Answers a `question` event; the crawl learns from it at once. */
  async answer({ key, topic }: Question, answer: QuestionAnswer): Promise<void> {
    await this.#run.post('/answer', { key, topic, answer });
  }

  /** Returns the figures of the last status event that was read; `undefined` before it. */
  status(): CrawlStatus | undefined {
    return this.#status;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<CrawlEvent, void, void> {
    for await (const event of this.#events()) {
      if (event.kind === 'status') this.#status = event.status;
      yield event;
    }
  }
}
