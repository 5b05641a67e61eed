import type { FindAnswer, FindEvent, FindOptions } from '../../workbench/index.ts';
import type { MissedEvents } from '../event-log.ts';
import type { FindState } from '../find-job.ts';
import { ApiError, type Connection } from './connection.ts';
import { RemoteRun } from './remote-run.ts';

/** A find to start. Without a budget, it fetches up to 200 pages in all; without a time limit, it takes up to 10 minutes. */
export type RemoteFindOptions = Pick<FindOptions, 'seeds' | 'searchService' | 'budget' | 'limit' | 'signal'> & {
  /** Time limit, such as `10m`. */
  readonly time?: string | undefined;
};

/** A find on a server: its events, and its answer. Leaving the loop over its events stops it. */
export class RemoteFind implements AsyncIterable<FindEvent | MissedEvents> {
  readonly #run: RemoteRun<FindEvent, FindState>;
  #answer: Promise<FindAnswer> | undefined;

  /** @internal Use {@link RemoteWorkspace.find}. */
  constructor(question: string, { signal, searchService, ...options }: RemoteFindOptions, connection: Connection) {
    const started = connection.post('/find', { question, service: searchService, ...options });
    this.#run = new RemoteRun(connection, '/find', started);
    this.#run.stopAt(signal, () => this.stop());
  }

  /** The answers, once the crawl has ended. Rejects if it failed. */
  get answer(): Promise<FindAnswer> {
    this.#answer ??= this.#run.ended().then(({ answer }) => {
      if (answer !== undefined) return answer;
      throw new ApiError(409, { code: 'UNEXPECTED', message: 'The find has no answer.' });
    });
    return this.#answer;
  }

  /** Ends the crawl: active fetches finish, and everything is stored. The answers are those found so far. */
  async stop(): Promise<void> {
    await this.#run.delete();
  }

  [Symbol.asyncIterator](): AsyncGenerator<FindEvent | MissedEvents, void, void> {
    return this.#run.ownEvents(() => this.stop());
  }
}
