import { resolve } from 'node:path';
import type { SqlValue } from '../../store/index.ts';
import { explainUrl, type UrlRow, urlRow } from '../explain/explain-url.ts';
import { type WorkspaceStatus, workspaceStatus } from '../explain/workspace-status.ts';
import { PageExport, type TextFormat, withTexts } from '../export/page-export.ts';
import { applyMarks, type MarkResult } from '../judging/apply-marks.ts';
import { withFeedback, withFeedbackForReading } from '../judging/carry-out.ts';
import { isNoAddress, type Marks } from '../judging/marks.ts';
import { type PageRow, rowOfExport } from '../reading/page-row.ts';
import type { SearchOptions } from '../search/local-search.ts';
import { type PageFilterOptions, readPageFilter } from '../search/page-filter.ts';
import { type SearchAnswer, searchStored } from '../search/search-stored.ts';
import { shippedOthers } from '../sources/shipped.ts';
import type { Watch, WorkEvent } from '../watch.ts';
import { type NewTopic, writeNewWorkspace } from '../workspace/create-workspace.ts';
import { loadWorkspace, type Workspace, withLearnShare } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';
import {
  type ClusterRow,
  clusterRows,
  type Distillation,
  distilled,
  type SettingRow,
  settingRows,
  type TopicKnowledge,
  type TopicRow,
  topicKnowledge,
  topicRows,
  type WrittenPortal,
  writtenPortal,
} from './answers.ts';
import { CrawlRun } from './crawl-run.ts';
import { Reader } from './reader.ts';

/** How a workspace is opened. */
export interface OpenOptions {
  /** Settings by key, such as `crawl.budget`; they take precedence over the environment and bingo.yaml. */
  readonly settings?: Settings | undefined;
  /** Environment variables that may set settings (`BINGO_CRAWL_BUDGET`). Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Settings by key; a value as bingo.yaml takes it. */
export type Settings = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** How an action reports, and how it is stopped. */
export interface ActionOptions {
  readonly onEvent?: ((event: WorkEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a crawl is to do. */
export interface CrawlOptions {
  /** Pages to fetch in all, earlier runs included. Default: `crawl.budget`. */
  readonly budget?: number | undefined;
  /** Ends after this long: `90m`, or milliseconds. */
  readonly time?: string | number | undefined;
  /** `learn` ends when learning ends, `harvest` skips learning. */
  readonly only?: 'learn' | 'harvest' | undefined;
  /** What decides which link is fetched next, such as `breadth-first`. */
  readonly ordering?: string | undefined;
  readonly settings?: Settings | undefined;
  /** Stops the crawl as {@link CrawlRun.stop} does. */
  readonly signal?: AbortSignal | undefined;
}

/** What a recheck is to do. */
export interface RecheckOptions extends Omit<CrawlOptions, 'only'> {
  /** True: all pages, whatever their date. Default: those that are due. */
  readonly all?: boolean | undefined;
}

/** Which pages an export holds. */
export interface ExportOptions extends PageFilterOptions {
  /** Only pages of a topic that the crawl found itself. */
  readonly relevant?: boolean | undefined;
  /** For jsonl: also the main text. */
  readonly text?: boolean | undefined;
  /** For jsonl and csv: also a line for every other address of a page. */
  readonly copies?: boolean | undefined;
  /** For urls, bookmarks and opml: also pages that are gone. */
  readonly gone?: boolean | undefined;
}

/** Rows of a query. */
export interface SqlRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** There are more rows than the limit. */
  readonly truncated: boolean;
}

/** What a new workspace is made of. */
export interface CreateOptions extends OpenOptions {
  readonly topics: readonly NewTopic[];
  /** Counter-examples: addresses of pages that are not wanted. Default: some fifty everyday subjects. */
  readonly others?: readonly string[] | undefined;
  /** How site owners reach you; sent with every request. */
  readonly contact?: string | undefined;
}

/**
 * An open workspace. Questions may be asked while a crawl runs, here or in another process.
 *
 * @example
 * ```js
 * await using workspace = await openWorkspace('bikes');
 * const { results } = await workspace.search('touring routes', { topic: ['cycling'] });
 * ```
 */
export class OpenWorkspace implements AsyncDisposable {
  /** Absolute path of the folder. */
  readonly dir: string;
  readonly #options: OpenOptions;
  readonly #reader: Reader;
  readonly #crawls = new Set<CrawlRun>();

  /** @internal Use {@link openWorkspace}. */
  constructor(dir: string, options: OpenOptions) {
    this.#options = options;
    this.dir = resolve(dir);
    this.#load();
    this.#reader = new Reader(this.dir, () => this.#load(undefined, (path) => path));
  }

  /** The name of the workspace. */
  get title(): string {
    return workspaceTitle({ dir: this.dir } as Workspace);
  }

  /** How far the workspace is: pages, topics, what failed. */
  async status(): Promise<WorkspaceStatus> {
    return await this.#reader.use(({ store }) => workspaceStatus(store));
  }

  /**
   * Searches the stored pages.
   * @throws UsageError if the words hold nothing to look for, or an option is wrong
   */
  async search(words: string, options: SearchOptions & { readonly limit?: number } = {}): Promise<SearchAnswer> {
    return await this.#reader.use(({ store, workspace }) => searchStored(store, workspace, words, options));
  }

  /**
   * Explains an address: the way to it from a seed, its verdict and the terms that decided, or why it was not fetched.
   * @throws UsageError if the text is not an address of the web
   */
  async explain(url: string): Promise<UrlRow> {
    return await this.#reader.use(async ({ store, workspace, tables }) =>
      urlRow(await explainUrl(store, url, { workspace, tables })),
    );
  }

  /**
   * Crawls: learns from the examples, then harvests; or continues where the last run stopped. The crawl begins at once.
   * Errors, such as a workspace in use, are thrown by the loop over its events and by its `summary`.
   */
  crawl({ only, ...options }: CrawlOptions = {}): CrawlRun {
    return this.#crawl({ only }, options);
  }

  /** Looks again at stored pages: what changed, moved or is gone, and what they link to now. */
  recheck({ all = false, ...options }: RecheckOptions = {}): CrawlRun {
    return this.#crawl({ recheck: all ? 'all' : 'due', onlyRecheck: options.budget === undefined }, options);
  }

  /** Applies marks: learns from them, then judges every stored page again. A running crawl does so in place of this process. */
  async mark(marks: Marks, options: ActionOptions = {}): Promise<MarkResult> {
    try {
      return await withFeedback(this.#load(), watchOf(options), (session) => applyMarks(session, marks, false));
    } finally {
      await this.#reader.forget();
    }
  }

  /** What marks would change; nothing is written. */
  async previewMarks(marks: Marks, options: ActionOptions = {}): Promise<MarkResult> {
    const withLinks = [...(marks.badSites ?? []), ...(marks.goodSites ?? []), ...(marks.undo ?? [])].some(isNoAddress);
    return await withFeedbackForReading(this.#load(), watchOf(options), (session) => applyMarks(session, marks, true), {
      withLinks,
    });
  }

  /** Stored pages, in order of fetching; with `text`, also their main text. */
  pages(options: ExportOptions = {}): AsyncGenerator<PageRow & { readonly text?: string }, void, void> {
    return this.#reader.each<PageRow & { readonly text?: string }>(({ store, workspace }) => {
      const filter = { ...readPageFilter(options, workspace.tree), relevant: options.relevant === true };
      const rows = store.exportPages({ ...filter, copies: options.copies === true });
      return options.text === true ? withTexts(rows, store) : pageRows(rows);
    });
  }

  /** Stored pages as the text of a file, in pieces. */
  export(format: TextFormat, options: ExportOptions = {}): AsyncGenerator<string, void, void> {
    return this.#reader.each(({ store, workspace }) => {
      const { relevant = false, text = false, copies = false, gone = false } = options;
      const wanted = { ...readPageFilter(options, workspace.tree), relevant };
      return new PageExport({ store, workspace, wanted, copies, ended: gone, withText: text }).lines(format);
    });
  }

  /** The topics of bingo.yaml, in tree order. */
  async topics(): Promise<readonly TopicRow[]> {
    return await this.#reader.use(topicRows);
  }

  /**
   * What a topic has learned: training pages, estimates of every round; `undefined` before the first training round.
   * @param topic may be left out if there is one alone
   */
  async topic(topic?: string): Promise<TopicKnowledge | undefined> {
    return await this.#reader.use((reading) => topicKnowledge(reading, topic));
  }

  /** Groups the accepted pages of a topic by what they say, largest group first. Default: as many groups as the impurity suggests. */
  async clusters(topic?: string, { count }: { readonly count?: number } = {}): Promise<readonly ClusterRow[]> {
    return await this.#reader.use((reading) => clusterRows(reading, topic, count));
  }

  /** Finds hubs and authorities among the stored pages of a topic. */
  async distill(topic?: string, { limit = 10 }: { readonly limit?: number } = {}): Promise<Distillation> {
    return await this.#reader.use((reading) => distilled(reading, topic, limit));
  }

  /** Writes a web site of what was found into a folder. With `force`, also over something else, which is kept beside it. */
  async portal(
    out: string,
    options: { readonly title?: string; readonly force?: boolean } = {},
  ): Promise<WrittenPortal> {
    return await this.#reader.use((reading) => writtenPortal(reading, out, options));
  }

  /** Every setting with its value in force. */
  settings(): readonly SettingRow[] {
    return settingRows(this.#load(undefined, (path) => path));
  }

  /**
   * Asks the store in SQL, read-only. docs/schema.md lists tables and views.
   * @throws BingoError `SQL_READ_ONLY` if the statement could write, `SQL_INVALID` if the database refuses it
   */
  async sql(query: string, { limit = 1000 }: { readonly limit?: number } = {}): Promise<SqlRows> {
    return await this.#reader.use(async ({ store }) => {
      const result = await store.sql(query, { maxRows: limit });
      try {
        const rows: (readonly SqlValue[])[] = [];
        for await (const row of result.rows) rows.push(row);
        return { columns: result.columns, rows, truncated: result.truncated };
      } finally {
        await result.close();
      }
    });
  }

  /** Stops crawls that run here, waits for them, and closes the store. */
  async close(): Promise<void> {
    for (const crawl of this.#crawls) crawl.stop();
    await Promise.allSettled([...this.#crawls].map((crawl) => crawl.summary));
    await this.#reader.forget();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #crawl(plan: ConstructorParameters<typeof CrawlRun>[1], options: Omit<CrawlOptions, 'only'>): CrawlRun {
    const { budget, time, ordering, settings = {}, signal } = options;
    const given = { 'crawl.budget': budget, 'crawl.timeMs': time, 'crawl.ordering': ordering };
    const flags = Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
    const workspace = withLearnShare(this.#load({ ...settings, ...Object.fromEntries(flags) }), plan.only);
    const run = new CrawlRun(workspace, plan, {
      signal,
      onEnd: async () => {
        this.#crawls.delete(run);
        await this.#reader.forget();
      },
    });
    this.#crawls.add(run);
    return run;
  }

  #load(settings: Settings = {}, find?: (path: string) => string | undefined): Workspace {
    const { env = process.env, settings: own = {} } = this.#options;
    const flags = new Map(Object.entries({ ...own, ...settings }));
    return loadWorkspace(this.dir, { env, flags }, find);
  }
}

/**
 * Opens a workspace: a folder with a bingo.yaml.
 * @throws UsageError if the folder is not a workspace
 * @throws InputError with every mistake of bingo.yaml, the environment and the settings
 */
export async function openWorkspace(dir: string, options: OpenOptions = {}): Promise<OpenWorkspace> {
  return new OpenWorkspace(dir, options);
}

/**
 * Makes a workspace: writes its bingo.yaml, and opens it.
 * @throws UsageError if the folder is a workspace already
 * @throws InputError with every mistake
 */
export async function createWorkspace(dir: string, options: CreateOptions): Promise<OpenWorkspace> {
  const { topics, others, contact, settings = {}, ...rest } = options;
  const all = contact === undefined ? settings : { 'network.contact': contact, ...settings };
  const negatives = others?.map((url) => ({ kind: 'url' as const, url })) ?? shippedOthers();
  await writeNewWorkspace(dir, { topics, others: negatives, settings: all });
  return new OpenWorkspace(dir, rest);
}

function watchOf({ onEvent, signal }: ActionOptions): Watch {
  return { onEvent, signal };
}

async function* pageRows(rows: AsyncIterable<Parameters<typeof rowOfExport>[0]>): AsyncGenerator<PageRow> {
  for await (const row of rows) yield rowOfExport(row);
}
