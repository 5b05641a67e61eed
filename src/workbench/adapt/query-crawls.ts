import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Example, type LoadedExtension, type Steer, UsageError } from '../../core/index.ts';
import { type Crawl, loadExtensions } from '../../engine/index.ts';
import { readQuery } from '../../postprocess/index.ts';
import { CheckpointFiles, type Store } from '../../store/index.ts';
import { type CrawlFace, runCrawl } from '../crawl/crawl-workspace.ts';
import { namedStore, tableNames } from '../reading/named-store.ts';
import { productVersion } from '../workspace/product.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { AdaptEvent, QueryEnd } from './adapt-events.ts';
import { type AdaptState, type QueryCrawl, type StartPage, writeAdaptState } from './adapt-state.ts';
import { adaptTree } from './adapt-tree.ts';
import { QUERY_ORDERING, queryOrdering } from './query-ordering.ts';
import { overlap, startPages } from './start-pages.ts';

const TICK_MS = 1000;

/** Where the crawls of an adaptation run. */
export interface CrawlsPlace {
  readonly workspace: Workspace;
  /** Folder of the new collection. */
  readonly folder: string;
  readonly old: Store;
  readonly next: Store;
  readonly extensions: readonly LoadedExtension[];
  /** Changes that the first crawl journals: blocked hosts, marked topics and sites. */
  readonly steers: readonly Steer[];
  /** Milliseconds for all crawls; 0 = no limit. */
  readonly timeMs: number;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (event: AdaptEvent) => void;
}

/** Share of a crawl's pages at which it may start, hits first; the rest is explored. */
const STARTS = 0.5;

/** The crawls of an adaptation: for each query, until its start pages stay the same. */
export class QueryCrawls {
  readonly #place: CrawlsPlace;
  #state: AdaptState;
  /** Pages of the new collection that count against its budget. */
  #fetched: number;

  constructor(place: CrawlsPlace, state: AdaptState) {
    this.#place = place;
    this.#state = state;
    this.#fetched = Math.max(0, ...state.crawls.map(({ fetched }) => fetched));
  }

  get state(): AdaptState {
    return this.#state;
  }

  /** Crawls for all queries that have not ended. Returns false if it was stopped. */
  async run(): Promise<boolean> {
    const { timeMs } = this.#place;
    const end = timeMs > 0 ? performance.now() + timeMs : Number.POSITIVE_INFINITY;
    for (const number of this.#state.queries.keys()) {
      if (this.#state.ended.some(({ query }) => query === number)) continue;
      const left = this.#state.queries.length - this.#state.ended.length;
      const until = performance.now() + (end - performance.now()) / left;
      const why = await this.#crawlFor(number, until);
      if (why === undefined) return false;
      this.#save({ ended: [...this.#state.ended, { query: number, why }] });
      this.#place.onEvent({ kind: 'query-ended', query: this.#state.queries[number]!.query, why });
    }
    return true;
  }

  /** Returns why the query has ended; `undefined` if the crawl was stopped. */
  async #crawlFor(query: number, until: number): Promise<QueryEnd | undefined> {
    const { iterations, theta } = this.#state;
    for (;;) {
      const made = this.#state.crawls.filter((crawl) => crawl.query === query);
      const last = made.at(-1);
      if (last !== undefined && !last.isDone) {
        if (!(await this.#crawl(last, until))) return undefined;
        continue;
      }
      if (last?.isLast === true) return last.iteration < iterations ? 'converged' : 'iterations';
      if (performance.now() >= until) return 'time';
      const found = await this.#startsOf(query, made.length > 0);
      if (found.length === 0) return 'no hits';
      const { pages } = await this.#place.next.status();
      const upTo = last?.upTo ?? pages + this.#shareOf(pages);
      const equal = Math.ceil((upTo - pages) / (iterations - made.length));
      const starts = found.slice(0, Math.max(1, Math.floor(STARTS * equal)));
      const common = last && overlap(last.starts, starts);
      const iteration = made.length + 1;
      const isLast = iteration === iterations || (common !== undefined && common >= theta);
      const fresh = await this.#newAmong(starts);
      // New start pages are part of the share; the crawl does not count them.
      const budget = this.#fetched + Math.max(1, (isLast ? upTo - pages : equal) - fresh.length);
      const seeds = fresh.length > 0 ? fresh : (this.#state.crawls.at(-1)?.seeds ?? starts);
      const crawl = { query, iteration, starts, seeds, upTo, budget, isLast, isDone: false, fetched: this.#fetched };
      this.#save({ crawls: [...this.#state.crawls, crawl] });
      const { length: of } = this.#state.queries;
      const counts = { number: query + 1, of, iteration, starts: starts.length };
      const text = this.#state.queries[query]!.query;
      this.#place.onEvent({ kind: 'query', query: text, ...counts, ...(common !== undefined && { overlap: common }) });
    }
  }

  /** Returns the pages of the next query: an equal part of what is left, so that others get what a query did not use. */
  #shareOf(pages: number): number {
    const left = this.#state.queries.length - this.#state.ended.length;
    return Math.max(1, Math.floor((this.#state.pages - pages) / left));
  }

  /**
   * Returns start pages that the new collection lacks and does not fetch as training pages. Only they become seeds: a page
   * that was found by a link would not count any more.
   */
  async #newAmong(starts: readonly StartPage[]): Promise<readonly StartPage[]> {
    const tree = adaptTree(this.#place.workspace.tree, { ...this.#state, starts: [] });
    const nodes = [...tree.nodes.values()];
    const training = new Set(nodes.flatMap(({ examples, others }) => [...examples, ...others].map(urlOf)));
    const fresh: StartPage[] = [];
    for (const start of starts)
      if (!training.has(start.url) && (await this.#place.next.pageOf(start.url)) === undefined) fresh.push(start);
    return fresh;
  }

  /** Searches the collection in use; the new one for later crawls, and for a query without hits. */
  async #startsOf(query: number, isAgain: boolean): Promise<readonly StartPage[]> {
    const { old, next } = this.#place;
    if (!isAgain) {
      const found = await this.#startsIn(old, query);
      if (found.length > 0) return found;
    }
    return await this.#startsIn(next, query);
  }

  async #startsIn(store: Store, query: number): Promise<readonly StartPage[]> {
    const { workspace } = this.#place;
    const named = namedStore(store, await tableNames(store, workspace));
    const asked = { query: this.#state.queries[query]!.query, hits: this.#state.hits };
    try {
      return await startPages(named, workspace.tree, asked);
    } catch (error) {
      // A query of stop words, or with an operator for an unknown topic.
      if (error instanceof UsageError) return [];
      throw error;
    }
  }

  /** Runs one crawl. Returns false if it was stopped. */
  async #crawl(crawl: QueryCrawl, until: number): Promise<boolean> {
    const { workspace, folder, next } = this.#place;
    const timeMs = Number.isFinite(until) ? Math.max(TICK_MS, Math.round(until - performance.now())) : 0;
    const { config } = workspace;
    const { ordering } = this.#state;
    const own = {
      ...workspace,
      tree: adaptTree(workspace.tree, { ...this.#state, starts: crawl.seeds }),
      config: { ...config, crawl: { ...config.crawl, budget: crawl.budget, timeMs, ordering } },
    };
    const extensions = [...this.#place.extensions, ...(await this.#orderingOf(crawl))];
    const plan = { only: 'harvest' as const, extensions, checkpoints: new CheckpointFiles(folder, productVersion()) };
    const isFirst = this.#state.crawls.length === 1;
    const { reason, status } = await runCrawl(next, own, plan, this.#face(isFirst));
    if (reason === 'stopped') return false;
    this.#fetched = status.fetched;
    const done = { ...crawl, isDone: true, fetched: status.fetched };
    this.#save({ crawls: [...this.#state.crawls.slice(0, -1), done] });
    return true;
  }

  /** Writes the extension that orders links by the query. */
  async #orderingOf({ query }: QueryCrawl): Promise<readonly LoadedExtension[]> {
    const { queries, ordering } = this.#state;
    if (ordering !== QUERY_ORDERING) return [];
    // Modules are cached by their path, so each query has its own.
    const file = join(this.#place.folder, `ordering-${query}.mjs`);
    const languages = await this.#place.next.languages();
    const parsed = readQuery(queries[query]!.query, { languages });
    writeFileSync(file, queryOrdering(parsed, query, queries.length));
    return (await loadExtensions([file])).map((loaded) => ({ ...loaded, isTemporary: true }));
  }

  #face(isFirst: boolean): CrawlFace {
    const { onEvent, signal, steers } = this.#place;
    return {
      onEvent: (event) => {
        if (event.kind === 'alarm') onEvent(event);
      },
      attach: (crawl) => {
        for (const steer of isFirst ? steers : []) crawl.steer(steer);
        return this.#attach(crawl, signal);
      },
    };
  }

  #attach(crawl: Crawl, signal: AbortSignal | undefined): () => Promise<void> {
    const stop = (): void => crawl.stop();
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted === true) stop();
    const timer = setInterval(() => {
      if (!crawl.isReading)
        this.#place.onEvent({ kind: 'progress', pages: crawl.status().fetched, of: this.#state.pages });
    }, TICK_MS);
    return async () => {
      clearInterval(timer);
      signal?.removeEventListener('abort', stop);
    };
  }

  #save(change: Partial<AdaptState>): void {
    this.#state = { ...this.#state, ...change };
    writeAdaptState(this.#place.folder, this.#state);
  }
}

function urlOf(example: Example): string {
  return example.kind === 'url' ? example.url : '';
}
