import { type TopicId, UsageError } from '../../core/index.ts';
import type { WorkspaceCrawlEvent, WorkspaceCrawlSummary } from '../crawl/crawl-events.ts';
import { type FindQuestion, findAnswers, refuseTopics } from '../find/find-answers.ts';
import type { FindNews } from '../find/find-workspace.ts';
import type { ServiceResult } from '../find/search-service.ts';
import { takeUpQuery } from '../find/take-up-query.ts';
import { logQuery } from '../queries/query-log.ts';
import { type ResultRow, resultRow } from '../search/result-row.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { CrawlRun } from './crawl-run.ts';
import { EventQueue } from './event-queue.ts';
import type { CrawlOptions } from './options.ts';
import type { Reading } from './reader.ts';

/** Options of a find. */
export interface FindOptions extends Omit<CrawlOptions, 'only'> {
  /** Pages on the subject: Bingo learns from them and starts there. */
  readonly seeds?: readonly string[] | undefined;
  /** Asks this service for first pages: `searxng:URL`, `wikipedia:LANGUAGE`, `file:PATH`. */
  readonly searchService?: string | undefined;
  /** Chooses pages of the service, by their positions from 0; `undefined` cancels. Default: all. */
  readonly choose?: ((pages: readonly ServiceResult[]) => Promise<readonly number[] | undefined>) | undefined;
  /** Maximum number of answers. Default: 10. */
  readonly limit?: number | undefined;
  /** Weights of the ranking, such as `cosine=0.6,confidence=0.4`. */
  readonly rank?: string | undefined;
}

/** What a find reports: what it prepares, then the events of its crawl. */
export type FindEvent = FindNews | WorkspaceCrawlEvent;

/** The answers of a find. */
export interface FindAnswer {
  readonly query: string;
  /** The topic of the query. */
  readonly topic: string;
  /** Accepted pages, best first; the last `without` of them do not contain the words. */
  readonly results: readonly ResultRow[];
  readonly without: number;
  /** Accepted pages with some of the words. */
  readonly matches: number;
  /** Pages with every word, accepted and rejected. */
  readonly whole: { readonly accepted: number; readonly rejected: number };
  readonly notes: readonly string[];
  /** `null` if the caller cancelled before the crawl. */
  readonly crawl: WorkspaceCrawlSummary | null;
}

/** What a find needs of its workspace. */
export interface FindPorts {
  readonly load: () => Workspace;
  readonly crawl: () => CrawlRun;
  readonly read: <T>(use: (reading: Reading) => Promise<T>) => Promise<T>;
  readonly onEnd: () => void;
}

const LIMIT = 10;

/**
 * A running find: its events, and its answer. Leaving the loop over its events stops it.
 *
 * @example
 * ```js
 * const find = workspace.find('aries recovery', { seeds: ['https://en.wikipedia.org/wiki/ARIES'], budget: 500 });
 * for await (const event of find) if (event.kind === 'page') console.log(event.url);
 * for (const { url } of (await find.answer).results) console.log(url);
 * ```
 */
export class FindRun implements AsyncIterable<FindEvent> {
  /** The answers, once the crawl has ended. Rejects if it failed. */
  readonly answer: Promise<FindAnswer>;
  readonly #ports: FindPorts;
  readonly #events: EventQueue<FindEvent>;
  readonly #stopping = new AbortController();

  /** @internal Use {@link OpenWorkspace.find}. */
  constructor(query: string, options: FindOptions, ports: FindPorts) {
    this.#ports = ports;
    this.#events = new EventQueue(async () => {
      this.stop();
      await this.answer.catch(() => {});
    });
    const stopAtSignal = (): void => this.stop();
    options.signal?.addEventListener('abort', stopAtSignal, { once: true });
    if (options.signal?.aborted === true) this.stop();
    this.answer = this.#run(query.trim(), options).finally(() => {
      options.signal?.removeEventListener('abort', stopAtSignal);
      ports.onEnd();
    });
    // The loop over the events throws the same error.
    this.answer.then(
      () => this.#events.end(),
      (error: unknown) => this.#events.end({ error }),
    );
  }

  /** Ends the crawl: active fetches finish, and everything is stored. The answers are those found so far. */
  stop(): void {
    this.#stopping.abort();
  }

  [Symbol.asyncIterator](): AsyncGenerator<FindEvent, void, void> {
    return this.#events[Symbol.asyncIterator]();
  }

  async #run(query: string, options: FindOptions): Promise<FindAnswer> {
    // Return the handle to the caller first.
    await Promise.resolve();
    const { seeds = [], searchService, limit = LIMIT, rank } = options;
    const { choose = async (pages: readonly ServiceResult[]) => [...pages.keys()] } = options;
    if (query === '') throw new UsageError('The query is empty.', 'Name words to look for.');
    refuseTopics(query);
    const asksService = searchService !== undefined;
    const onNews = (news: FindNews): void => this.#events.push(news);
    const topic = await takeUpQuery(this.#ports.load(), { query, seeds, asksService, choose, onNews });
    const empty = { results: [], without: 0, matches: 0, whole: { accepted: 0, rejected: 0 }, notes: [] };
    if (topic === undefined) return { query, topic: '', ...empty, crawl: null };
    const crawl = await this.#crawl();
    const question: FindQuestion = { words: query, rank, limit, topics: [topic as TopicId], isQuery: true };
    const found = await this.#ports.read(async ({ store, workspace }) => {
      const answers = await findAnswers(store, workspace, question);
      logQuery(workspace, { from: 'find', query, matches: answers.matches });
      return answers;
    });
    const { without, matches, whole, notes } = found;
    return { query, topic, results: found.results.map(resultRow), without, matches, whole, notes, crawl };
  }

  async #crawl(): Promise<WorkspaceCrawlSummary> {
    const crawl = this.#ports.crawl();
    const { signal } = this.#stopping;
    const stop = (): void => crawl.stop();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    for await (const event of crawl) this.#events.push(event);
    return await crawl.summary;
  }
}
