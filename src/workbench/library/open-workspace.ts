import { resolve } from 'node:path';
import { type CrawlStatus, type ExtensionSource, type SteerCommand, UsageError } from '../../core/index.ts';
import type { PageFacets, SqlValue, UnfetchedPage } from '../../store/index.ts';
import type { AdaptSummary } from '../adapt/adapt-events.ts';
import { type AdaptOptions, adaptWorkspace, undoAdaptation } from '../adapt/adapt-workspace.ts';
import { checkWorkspace, type WorkspaceCheck } from '../check/check-workspace.ts';
import { type ClassifiedDocument, classifyDocument } from '../classify/classify-document.ts';
import { namedDocument } from '../classify/read-document.ts';
import type { WorkspaceCrawlEvent } from '../crawl/crawl-events.ts';
import { steerElsewhere } from '../crawl/steer-elsewhere.ts';
import { explainUrl, type UrlRow, urlRow } from '../explain/explain-url.ts';
import { type WorkspaceStatus, workspaceStatus } from '../explain/workspace-status.ts';
import { type ExportOptions, PageExport, type TextFormat } from '../export/page-export.ts';
import { portalInto, type WritePortalOptions } from '../export/portal.ts';
import { clustersOf, subtopicOfCluster } from '../judging/adopt-cluster.ts';
import { adoptSubtopics } from '../judging/adopt-subtopics.ts';
import { applyDecisions, type MarkResult } from '../judging/apply-decisions.ts';
import { type FeedbackSession, requireModel, withFeedback, withFeedbackForReading } from '../judging/apply-feedback.ts';
import { changeRow } from '../judging/change-row.ts';
import { isNoAddress, type Marks, readMarks } from '../judging/marks.ts';
import { type GoodResult, setTopicGood } from '../judging/set-topic-good.ts';
import {
  deleteQueries,
  type LoggedQuery,
  loggedQueries,
  logQuery,
  queryKey,
  readQueryLog,
} from '../queries/query-log.ts';
import type { PageRow } from '../reading/page-row.ts';
import { type ReviewAudit, reviewAudit } from '../review/review-log.ts';
import { type BrowsedPages, type BrowseOptions, browsePages, facetsOf } from '../search/browse-pages.ts';
import type { SearchOptions } from '../search/local-search.ts';
import type { PageFilterOptions } from '../search/page-filter.ts';
import { type ResultWindow, type SearchAnswer, searchStored } from '../search/search-stored.ts';
import { unfetchedPages } from '../search/unfetched-pages.ts';
import { checkReplaced, topicSpec, writeWorkspace } from '../sources/create-workspace.ts';
import { importTopics } from '../sources/import-topics.ts';
import { keepDocuments } from '../sources/keep-documents.ts';
import { localDocument } from '../sources/local-document.ts';
import { shippedOthers } from '../sources/shipped.ts';
import { askSql } from '../sql/ask-sql.ts';
import { type Distillation, type DistillOptions, distillTopic } from '../sql/distill.ts';
import { type Reclassification, type ReclassifyOptions, reclassify } from '../sql/reclassify.ts';
import { addPages, joinTopic, moveTopic, removePages, removeTopic, renameTopic } from '../topics/change-topics.ts';
import { type RemovedPage, removePage } from '../topics/remove-page.ts';
import { addTopicAt, editPages } from '../topics/topic-edits.ts';
import { watchOf } from '../watch.ts';
import { setSetting, unsetSetting } from '../workspace/edit-settings.ts';
import type { PageList } from '../workspace/listed-pages.ts';
import { settingOf } from '../workspace/settings.ts';
import { loadWorkspace, readFlags, type Workspace, withLearnShare } from '../workspace/workspace.ts';
import { workspaceTitle } from '../workspace/workspace-title.ts';
import {
  type ClusterRow,
  clusterRows,
  type SettingRow,
  settingRows,
  storedPage,
  type TopicKnowledge,
  type TopicRow,
  topicKnowledge,
  topicRows,
} from './answers.ts';
import { eventsElsewhere, statusElsewhere } from './crawl-elsewhere.ts';
import { CrawlRun } from './crawl-run.ts';
import { type FindOptions, FindRun } from './find-run.ts';
import type {
  ActionOptions,
  AdoptedCluster,
  AdoptOptions,
  CrawlOptions,
  CreateOptions,
  OpenOptions,
  RecheckOptions,
  Settings,
  SqlRows,
  StoredPage,
  WrittenCorpus,
  WrittenPortal,
} from './options.ts';
import { Reader, type Reading } from './reader.ts';
import { StandingList } from './standing-list.ts';
import { openTopicReview, type TopicReview } from './topic-review.ts';

/**
 * An open workspace. Its methods also work while a crawl runs, in this or another process.
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
  /** Queries that are asked again after each crawl and recheck. */
  readonly standing: StandingList;
  readonly #options: OpenOptions;
  readonly #reader: Reader;
  readonly #crawls = new Set<CrawlRun>();
  readonly #finds = new Set<FindRun>();

  /** @internal Use {@link openWorkspace}. */
  constructor(dir: string, options: OpenOptions) {
    this.#options = options;
    this.dir = resolve(dir);
    this.#load();
    this.#reader = new Reader(this.dir, () => this.#loadForReading());
    this.standing = new StandingList(this.dir, this.#reader);
  }

  /** Name of the workspace. */
  get title(): string {
    return workspaceTitle({ dir: this.dir } as Workspace);
  }

  /** @internal Reads the open store. */
  async read<T>(work: (reading: Reading) => Promise<T>): Promise<T> {
    return await this.#reader.use(work);
  }

  /** Verifies files and store. Writes nothing; a crawl may run. */
  async check(options: ActionOptions = {}): Promise<WorkspaceCheck> {
    return await checkWorkspace(this.dir, { env: this.#options.env ?? process.env, ...watchOf(options) });
  }

  /** Returns the workspace's progress: pages, topics, failures. */
  async status(): Promise<WorkspaceStatus> {
    return await this.#reader.use(({ store }) => workspaceStatus(store));
  }

  /**
   * Searches the stored pages. With `like`, finds the pages most like a stored page.
   * @throws UsageError if the query has no searchable word, or an option is invalid
   */
  async search(words: string, options: SearchOptions & ResultWindow = {}): Promise<SearchAnswer> {
    return await this.#reader.use(async ({ store, workspace }) => {
      const answer = await searchStored(store, workspace, words, options);
      // Neither further results of the same query, nor pages like a page.
      if ((options.offset ?? 0) === 0 && options.like === undefined)
        logQuery(workspace, { from: 'api', query: words, matches: answer.matches });
      return answer;
    });
  }

  /**
   * Lists stored pages without a query, a part at a time: most relevant or newest first.
   * @throws UsageError if an option is invalid
   */
  async browse(options: BrowseOptions = {}): Promise<BrowsedPages> {
    return await this.#reader.use(({ store, workspace }) => browsePages(store, workspace, options));
  }

  /**
   * Counts stored pages by topic, site, media type, language and day.
   * @throws UsageError if an option is invalid
   */
  async facets(options: PageFilterOptions = {}): Promise<PageFacets> {
    return await this.#reader.use(({ store, workspace }) => facetsOf(store, workspace, options));
  }

  /**
   * Returns addresses that were not fetched yet, best first, by the words of links to them.
   * @throws UsageError if the query has no searchable word, or has filters
   */
  async unfetched(words: string, { limit = 10 }: { readonly limit?: number } = {}): Promise<readonly UnfetchedPage[]> {
    return await this.#reader.use(({ store, workspace }) => unfetchedPages(store, workspace, { words, limit }));
  }

  /**
   * Returns the queries of the log, last asked first: searches of all faces while `search.log` is on.
   */
  queries(): readonly LoggedQuery[] {
    return loggedQueries(readQueryLog(this.#loadForReading()));
  }

  /** Removes queries from the log, by their words; without words, all. Returns the number of removed entries. */
  deleteQueries(...queries: readonly string[]): number {
    const unwanted = new Set(queries.map(queryKey));
    return deleteQueries(this.dir, ({ query }) => queries.length === 0 || unwanted.has(queryKey(query)));
  }

  /** Returns a stored page with its main text; `undefined` if no page is stored under the URL. */
  async page(url: string): Promise<StoredPage | undefined> {
    return await this.#reader.use(async (reading) => {
      const page = await storedPage(reading, url);
      if (page !== undefined) logQuery(reading.workspace, { from: 'api', query: '', opened: page.url });
      return page;
    });
  }

  /**
   * Explains a URL: its path from a seed, its verdict, the scores of all competing topics and the decisive terms, or
   * why it was not fetched and where it waits. `topic` names a topic whose scores and terms are wanted.
   * @throws UsageError if the text is not a web address, or if the topic is unknown
   */
  async explain(url: string, { topic }: { readonly topic?: string } = {}): Promise<UrlRow> {
    return await this.#reader.use(async ({ store, workspace, tables }) =>
      urlRow(await explainUrl(store, url, { workspace, tables, topic })),
    );
  }

  /**
   * Shows where a document belongs in the topic tree by the last model, without a crawl; stores nothing.
   * @param what a web address to fetch, a file, or the bytes of a document
   * @throws UsageError if it cannot be read or has no text, or nothing has been learned yet
   */
  async classify(
    what: string | Uint8Array,
    { limit }: { readonly limit?: number } = {},
  ): Promise<Omit<ClassifiedDocument, 'forms'>> {
    return await this.#reader.use(async ({ workspace, tables }) => {
      const page =
        typeof what === 'string'
          ? await namedDocument(what, workspace)
          : localDocument(Buffer.from(what), 'document', '');
      const { forms: _, ...found } = await classifyDocument(tables, workspace, { page, limit });
      return found;
    });
  }

  /**
   * Crawls: learns from the examples, then harvests; or resumes the last run. The crawl begins at once. Errors, for
   * example a locked workspace, are thrown by the loop over its events and by its `summary`.
   */
  crawl({ only, ...options }: CrawlOptions = {}): CrawlRun {
    return this.#crawl({ only }, options);
  }

  /** Returns the figures of a crawl that another process runs; `undefined` if none does. */
  async crawlElsewhere(): Promise<CrawlStatus | undefined> {
    return await this.#reader.use(statusElsewhere);
  }

  /** Yields the events of a crawl that another process runs, from now on until it ends. */
  follow({
    signal,
  }: {
    readonly signal?: AbortSignal | undefined;
  } = {}): AsyncGenerator<WorkspaceCrawlEvent, void, void> {
    return this.#reader.each((reading) => eventsElsewhere(reading, signal));
  }

  /**
   * Changes a crawl that another process runs. The crawl reads the change within a second.
   * @throws UsageError if no crawl runs, or if a spread crawl cannot obey the command
   */
  async steerElsewhere(command: SteerCommand): Promise<void> {
    const isRunning = (await this.crawlElsewhere()) !== undefined;
    await this.#reader.use(({ workspace }) => steerElsewhere(workspace, command, { dir: this.dir, isRunning }));
  }

  /** Visits stored pages again: finds what changed, moved or is gone, and their current links. */
  recheck({ all = false, ...options }: RecheckOptions = {}): CrawlRun {
    return this.#crawl({ recheck: all ? 'all' : 'due', onlyRecheck: options.budget === undefined }, options);
  }

  /**
   * Finds pages for a query: learns from it and from first pages, crawls until nothing relevant comes any more, and
   * answers. The query becomes a topic of bingo.yaml, unless a topic has it already. The same call continues later; marks of
   * answers ({@link mark}) help it.
   */
  find(query: string, options: FindOptions = {}): FindRun {
    const { seeds: _, searchService, choose: __, limit: ___, rank: ____, ...crawl } = options;
    const service = searchService === undefined ? {} : { 'network.searchService': searchService };
    const settings = { ...crawl.settings, ...service };
    const run = new FindRun(query, options, {
      load: () => this.#load(settings),
      crawl: () => this.#crawl({ endWhen: 'barren' }, { ...crawl, signal: undefined }),
      read: (use) => this.#reader.use(use),
      onEnd: () => this.#finds.delete(run),
    });
    this.#finds.add(run);
    return run;
  }

  /**
   * Replaces the stored pages by a new collection that fits the logged queries, or given ones. Searches answer from the
   * old collection until the new one is whole. An interrupted call continues with the next one.
   */
  async adapt(options: AdaptOptions = {}): Promise<AdaptSummary> {
    return await adaptWorkspace(this.#load(), options);
  }

  /** Uses the collection before the last adaptation again. Returns the number of its pages. */
  async undoAdapt(): Promise<number> {
    return await undoAdaptation(this.#loadForReading());
  }

  /**
   * Applies marks: trains on them, then judges every stored page again. A running crawl does this instead of this
   * process.
   */
  async mark(marks: Marks, options: ActionOptions = {}): Promise<MarkResult> {
    try {
      return await withFeedback(this.#load(), watchOf(options), (session) => applyMarks(session, marks, false));
    } finally {
      await this.#reader.forget();
    }
  }

  /**
   * Opens a review of what topics learn from: candidates, the crawl's proposals, decisions. Close it at the end.
   * @param topic a topic, or counter-examples such as `OTHERS`. Default: all
   * @throws UsageError if nothing has been learned yet, or the topic is unknown
   */
  async review(topic?: string, options: ActionOptions = {}): Promise<TopicReview> {
    return await openTopicReview(this.#load(), watchOf(options), { topic, onEnd: () => this.#reader.forget() });
  }

  /** Returns the decisions of all reviews with their names and times, and how far reviewers agree. */
  reviewAudit(): ReviewAudit {
    return reviewAudit(this.dir);
  }

  /** Returns what marks would change; writes nothing. */
  async previewMarks(marks: Marks, options: ActionOptions = {}): Promise<MarkResult> {
    const withLinks = [...(marks.badSites ?? []), ...(marks.goodSites ?? []), ...(marks.undo ?? [])].some(isNoAddress);
    return await withFeedbackForReading(this.#load(), watchOf(options), (session) => applyMarks(session, marks, true), {
      withLinks,
    });
  }

  /** Yields stored pages in fetch order; with `text`, including their main text. */
  pages(options: ExportOptions = {}): AsyncGenerator<PageRow & { readonly text?: string }, void, void> {
    return this.#reader.each((reading) => new PageExport(reading, options).pages());
  }

  /** Yields an export file of the stored pages, in pieces. */
  export(format: TextFormat, options: ExportOptions = {}): AsyncGenerator<string, void, void> {
    return this.#reader.each((reading) => new PageExport(reading, options).lines(format));
  }

  /**
   * Writes one text file per accepted page into a folder, one folder per topic. With `force`, also replaces other
   * content, and keeps it beside the folder.
   */
  async corpus(out: string, options: ExportOptions & { readonly force?: boolean } = {}): Promise<WrittenCorpus> {
    return await this.#reader.use(async (reading) => {
      const exported = new PageExport(reading, options);
      const { kept } = await exported.corpus(out, options.force === true);
      return { pages: exported.count, ...(kept !== undefined && { kept }) };
    });
  }

  /** Returns the topics of bingo.yaml, in tree order. */
  async topics(): Promise<readonly TopicRow[]> {
    return await this.#reader.use(topicRows);
  }

  /**
   * Returns what a topic has learned: training pages, and the estimates of every round; `undefined` before the first
   * training round.
   * @param topic may be omitted if there is only one
   */
  async topic(topic?: string): Promise<TopicKnowledge | undefined> {
    return await this.#reader.use((reading) => topicKnowledge(reading, topic));
  }

  /**
   * Adds a topic to bingo.yaml, whose comments stay; the next crawl learns it.
   * @param topic its path; the topic above it must exist
   * @returns its path
   * @throws UsageError if an example is no web address, InputError if bingo.yaml would become invalid
   */
  async addTopic(topic: string, { examples }: { readonly examples: readonly string[] }): Promise<string> {
    return await addTopicAt(this.#loadForReading(), topic, examples);
  }

  /**
   * Renames a topic in bingo.yaml; its pages and decisions follow. Records the rename alone if the file has it already.
   * @returns its new path
   * @throws UsageError if there is no such topic, InputError if bingo.yaml would become invalid
   */
  async renameTopic(topic: string, name: string): Promise<string> {
    return (await renameTopic(this.#loadForReading(), topic, name)).now;
  }

  /** Moves a topic and its subtopics below another one; `/` is the top. Returns its new path. */
  async moveTopic(topic: string, parent: string): Promise<string> {
    return (await moveTopic(this.#loadForReading(), topic, parent)).now;
  }

  /**
   * Makes a topic a target of the crawl, or no target: in bingo.yaml and in the model. Then judges every stored page
   * again; a running crawl does this instead of this process.
   * @throws UsageError if the topic is unknown, or no good topic would be left
   */
  async setTopicGood(topic: string, good = true, options: ActionOptions = {}): Promise<GoodResult> {
    try {
      return await setTopicGood(this.#load(), { topic, good }, { watch: watchOf(options) });
    } finally {
      await this.#reader.forget();
    }
  }

  /** Removes a topic and its subtopics from bingo.yaml; stored pages stay. */
  async removeTopic(topic: string): Promise<void> {
    await removeTopic(this.#loadForReading(), topic);
  }

  /** Adds pages to the examples of a topic in bingo.yaml, or to its seeds, where crawls start. */
  addPages(topic: string, list: PageList, urls: readonly string[]): void {
    editPages(this.#loadForReading(), addPages, { topic, list, urls });
  }

  /** Removes pages from the examples or the seeds of a topic in bingo.yaml. */
  removePages(topic: string, list: PageList, urls: readonly string[]): void {
    editPages(this.#loadForReading(), removePages, { topic, list, urls });
  }

  /**
   * Removes one page from bingo.yaml, whatever list names it: an example, a seed or a counter-example.
   * @param page its address, or the path of a local document
   * @param options `topic` is needed if several topics list it; `OTHERS` names the counter-examples
   * @throws UsageError if no list has it, InputError if its topic would have no example left
   */
  removePage(page: string, { topic }: { readonly topic?: string } = {}): RemovedPage {
    return removePage(this.#loadForReading(), page, topic);
  }

  /**
   * Groups the accepted pages of a topic by content, largest group first. Default: as many groups as the impurity
   * suggests. With `rejected`: the pages rejected there, or everywhere without a topic.
   */
  async clusters(
    topic?: string,
    { count, rejected }: Pick<AdoptOptions, 'count' | 'rejected'> = {},
  ): Promise<readonly ClusterRow[]> {
    return await this.#reader.use((reading) => clusterRows(reading, { topic, clusters: count, rejected }));
  }

  /**
   * Makes a group of {@link clusters} a subtopic: adds it to bingo.yaml with its most typical pages as examples,
   * trains, and judges every stored page again. The next crawl does this if one runs now.
   * @param number of the group, from 1
   * @throws UsageError if there is no such group, or it is the only one
   */
  async adoptCluster(
    topic: string,
    number: number,
    { count, name, rejected, ...options }: AdoptOptions & ActionOptions = {},
  ): Promise<AdoptedCluster> {
    const workspace = this.#load();
    const asked = { topic: rejected === true && topic === '' ? undefined : topic, clusters: count, rejected };
    const found = await this.#reader.use(({ store }) => clustersOf(store, workspace, asked));
    const subtopic = subtopicOfCluster(found, workspace, { number, name });
    const change = await adoptSubtopics(workspace, watchOf(options), [subtopic]);
    await this.#reader.forget();
    const { parent, examples } = subtopic;
    return {
      topic: joinTopic(parent, subtopic.name),
      examples,
      change: change === undefined ? null : changeRow(change),
    };
  }

  /** Finds hubs and authorities among the stored pages of a topic. `keep` stores them for the rankings of searches. */
  async distill(topic?: string, options: DistillOptions & ActionOptions = {}): Promise<Distillation> {
    return await distillTopic(this.#loadForReading(), watchOf(options), { ...options, topic });
  }

  /**
   * Judges every stored page by the naive Bayes of the last model, in SQL; verdicts are not changed.
   * @throws BingoError `NO_MODEL` before the first training round
   */
  async reclassify(options: ReclassifyOptions & ActionOptions = {}): Promise<Reclassification> {
    return await reclassify(this.#loadForReading(), watchOf(options), options);
  }

  /** Writes the accepted pages as a web site into a folder, and replaces an earlier portal there. */
  async portal(out: string, options: WritePortalOptions = {}): Promise<WrittenPortal> {
    const { content, kept } = await this.#reader.use((reading) => portalInto(out, reading, options));
    const { pages, topics, missing } = content;
    return { pages, topics, missing, ...(kept !== undefined && { kept }) };
  }

  /** Returns every setting with its current value. */
  settings(): readonly SettingRow[] {
    return settingRows(this.#loadForReading());
  }

  /**
   * Writes a setting into bingo.yaml, and keeps comments.
   * @param value as typed in bingo.yaml, such as `8MiB` or `90m`
   * @throws UsageError for an unknown key or an invalid value
   */
  setSetting(key: string, value: string | number | boolean): void {
    setSetting(this.dir, key, String(value));
  }

  /**
   * Removes a setting from bingo.yaml, so that its default applies again. Returns false if the file does not have it.
   * @throws UsageError for an unknown key
   */
  unsetSetting(key: string): boolean {
    const setting = settingOf(key);
    if (setting === undefined) throw new UsageError(`No setting has the key "${key}".`, 'settings() lists them.');
    return unsetSetting(this.dir, setting);
  }

  /**
   * Runs a read-only SQL query on the store. docs/schema.md lists tables and views.
   * @throws BingoError `SQL_READ_ONLY` if the statement could write, `SQL_INVALID` if the database rejects it
   */
  async sql(query: string, { limit = 1000 }: { readonly limit?: number } = {}): Promise<SqlRows> {
    return await this.#reader.use(async (source) => {
      const result = await askSql(source, query, { maxRows: limit });
      try {
        const rows: (readonly SqlValue[])[] = [];
        for await (const row of result.rows) rows.push(row);
        return { columns: result.columns, rows, truncated: result.truncated };
      } finally {
        await result.close();
      }
    });
  }

  /** Stops the crawls of this object, waits for them, and closes the store. */
  async close(): Promise<void> {
    for (const run of [...this.#finds, ...this.#crawls]) run.stop();
    await Promise.allSettled([...this.#finds].map((find) => find.answer));
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
    const run = new CrawlRun(
      workspace,
      { ...plan, ask: options.ask },
      {
        signal,
        onEnd: async () => {
          this.#crawls.delete(run);
          await this.#reader.forget();
        },
      },
    );
    this.#crawls.add(run);
    return run;
  }

  /** Training documents may be missing. */
  #loadForReading(): Workspace {
    return this.#load(undefined, (path) => path);
  }

  #load(settings: Settings = {}, find?: (path: string) => string | undefined): Workspace {
    const { env = process.env, settings: own = {}, extensions = [] } = this.#options;
    const flags = new Map(Object.entries({ ...own, ...settings }));
    return loadWorkspace(this.dir, { env, flags, extensions: extensions as readonly ExtensionSource[] }, find);
  }
}

/**
 * Opens a workspace: a folder with a bingo.yaml.
 * @throws UsageError if the folder is not a workspace
 * @throws InputError that lists every mistake in bingo.yaml, the environment and the settings
 */
export async function openWorkspace(dir: string, options: OpenOptions = {}): Promise<OpenWorkspace> {
  return new OpenWorkspace(dir, options);
}

/**
 * Creates a workspace: writes its bingo.yaml, and opens it.
 * @throws UsageError if the folder already is a workspace
 * @throws InputError that lists every mistake
 */
export async function createWorkspace(dir: string, options: CreateOptions): Promise<OpenWorkspace> {
  const { topics: named = [], documents = [], from, others, contact, settings = {}, ...rest } = options;
  const imported = from === undefined ? undefined : importTopics(from);
  const all = contact === undefined ? settings : { 'network.contact': contact, ...settings };
  const shipped = imported === undefined || imported.others.length === 0 ? shippedOthers() : imported.others;
  checkReplaced(dir, false);
  const { topics, undo } = keepDocuments(dir, named, documents);
  try {
    await writeWorkspace(dir, {
      topics: [...topics.map(topicSpec), ...(imported?.topics ?? [])],
      others: others?.map((url) => ({ kind: 'url' as const, url })) ?? shipped,
      values: readFlags(new Map(Object.entries(all))),
    });
  } catch (error) {
    undo();
    throw error;
  }
  return new OpenWorkspace(dir, rest);
}

async function applyMarks(session: FeedbackSession, marks: Marks, isPreview: boolean): Promise<MarkResult> {
  requireModel(session.desk, session.workspace.dir);
  return await applyDecisions(session, await readMarks(session, marks), isPreview);
}
