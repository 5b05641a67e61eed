import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import {
  type AnalyzedDocument,
  type CrawlStatus,
  type FollowedRecord,
  type Importance,
  type JournalRecord,
  type JudgingProgress,
  type PageFields,
  type PageHistory,
  type PageRecord,
  type Parcel,
  type RoundRecord,
  type SteerCommand,
  type SteerRecord,
  StoreError,
  type TopicId,
  type TopicNaming,
  type TopicTree,
  type TrainingEntry,
} from '../core/index.ts';
import type { CandidateLimits, Candidates, CountedPages } from './candidates.ts';
import { checkStore } from './check/check-store.ts';
import { isLostConnection, storeError } from './errors.ts';
import type { ExchangeState, StoredFetch, StoredParcel } from './exchange-state.ts';
import type { JournalBeginning } from './journal-beginning.ts';
import { readPublished, readRequests } from './messages.ts';
import type { PageFacets, PageWindow, WindowQuery } from './page-window.ts';
import { readBeginning } from './read/beginning.ts';
import { citationTables } from './read/citations.ts';
import { readCurrentPages } from './read/current-pages.ts';
import { countFetches, readDecisions, readFetches, readFollowed, readPlaces } from './read/followed.ts';
import { pageHistories } from './read/histories.ts';
import { isImportanceCurrent } from './read/importance.ts';
import { readJudgingProgress } from './read/judging-progress.ts';
import {
  exportRows,
  linksOf,
  pageLinks,
  readPageTopics,
  readScoredPages,
  readScoredTopics,
  readTrainedTopics,
  readTraining,
} from './read/listings.ts';
import { type MissedPages, readMissed } from './read/missed.ts';
import { readNews, type StoredNews } from './read/news.ts';
import { readFeatureBlock, readPackedPages, readStoredPages } from './read/packed-pages.ts';
import { readFieldNames, readFieldsOf } from './read/page-fields.ts';
import { readPageFacets, readPageWindow } from './read/page-window.ts';
import { readExchange, readGrants, readParcels } from './read/parcels.ts';
import { countUnfetched, readCandidates, readCountedPages, readMilestones, readSteers } from './read/questions.ts';
import {
  type Ask,
  readDocuments,
  readJournal,
  readLanguages,
  readRounds,
  readSnippetLimits,
  readTexts,
  readTopicNamings,
  readWords,
} from './read/reading.ts';
import { countOf, readFacts, readLastRun, readPageOf, readPath, readStatus } from './read/totals.ts';
import type { ReadingDialect } from './reading-dialect.ts';
import type { Tables } from './schema.ts';
import type {
  DocumentFrequencies,
  PageFilter,
  SearchAnswer,
  SearchQuery,
  UnfetchedPage,
  VoteQuery,
} from './search-query.ts';
import type {
  AuthorityScores,
  CurrentPages,
  ExportFilter,
  ExportRow,
  LastRun,
  Milestone,
  PackedPageRow,
  PageLink,
  PageScore,
  PageWords,
  PublishedStatus,
  ReadOptions,
  ScoredPage,
  SqlResult,
  Store,
  StoredPageRow,
  StoreStatus,
} from './store.ts';
import type { StoreCheckEvent } from './store-problem.ts';
import { IndexMemory } from './term-index/index-parts.ts';
import { readDocumentFrequencies, searchPages } from './term-index/search.ts';
import { StemList } from './term-index/stem-list.ts';
import { readUnfetched } from './term-index/votes.ts';
import type { PathStep, UrlFacts } from './url-facts.ts';
import { frontierTable, type SqlOptions } from './waiting-links.ts';
import type { JournalWriter } from './write/journal-writer.ts';
import type { NewVerdict } from './write/verdicts.ts';

/** Pause before a query is repeated after the server was lost, in ms. */
const ASK_AGAIN_MS = 250;

/** A store over SQLite or MySQL. It reads; `JournalWriter` writes. */
export class DatabaseStore implements Store {
  readonly #reading: ReadingDialect;
  readonly #writer: JournalWriter | undefined;
  readonly #reconnectMs: number;
  /** Number of streaming reads that have returned at least one page. */
  #midway = 0;
  readonly #index = new IndexMemory();
  readonly #stems = new StemList();
  #closing: Promise<void> | undefined;

  /**
   * @param reconnectMs how long to wait for a lost server. Writers and streaming reads wait, because a crawl survives
   * a restart of the server. Single queries fail at once.
   */
  constructor(
    reading: ReadingDialect,
    writer: JournalWriter | undefined,
    { reconnectMs }: { readonly reconnectMs: number },
  ) {
    this.#reading = reading;
    this.#writer = writer;
    this.#reconnectMs = reconnectMs;
  }

  get backlog(): number {
    return this.#writer?.backlog ?? 0;
  }

  heldBy(): string | undefined {
    return this.#reading.heldBy?.();
  }

  async writer(): Promise<string | undefined> {
    return await this.#ask(async () => this.#reading.writer?.());
  }

  append(record: JournalRecord, leaving?: ReadonlyMap<number, Parcel>, followed?: FollowedRecord): void {
    this.#writing().append(record, leaving, followed);
  }

  noteStems(stems: Uint8Array<ArrayBuffer>): void {
    this.#writing().noteStems(stems);
  }

  onStored(listener: (sequence: number) => void): void {
    this.#writer?.onStored(listener);
  }

  onFailed(listener: (error: Error) => void): void {
    this.#writer?.onFailed(listener);
  }

  async flush(): Promise<void> {
    await this.#writer?.flush();
  }

  async count(): Promise<number> {
    return Math.min(await this.#ask((db) => countOf(db, 'journal')), this.#lastReadable);
  }

  async *read(options?: ReadOptions): AsyncGenerator<readonly JournalRecord[]> {
    for await (const records of this.#pages((ask) => readJournal({ ...this.#reading, ask }, options))) {
      const last = this.#lastReadable;
      yield records.at(-1)!.sequence <= last ? records : records.filter(({ sequence }) => sequence <= last);
    }
  }

  /**
   * The last record that a crawl continues with. Another process may have taken over since this one claimed the store;
   * neither its records nor its checkpoints are continued here.
   */
  get #lastReadable(): number {
    return this.#writer?.last ?? Number.POSITIVE_INFINITY;
  }

  async *rounds(): AsyncGenerator<RoundRecord> {
    yield* this.#pages((ask) => readRounds(ask));
  }

  async topicNamings(): Promise<readonly TopicNaming[]> {
    return await this.#ask(readTopicNamings);
  }

  async trainedTopics(): Promise<readonly TopicId[]> {
    return await this.#ask(readTrainedTopics);
  }

  async lastRun(): Promise<LastRun> {
    return await this.#ask(readLastRun);
  }

  async documents(sequences: readonly number[]): Promise<ReadonlyMap<number, AnalyzedDocument>> {
    return await this.#askInTurn((db) => readDocuments(db, sequences));
  }

  async words(sequences: readonly number[]): Promise<ReadonlyMap<number, PageWords>> {
    return await this.#askInTurn((db) => readWords(db, sequences));
  }

  async packedPages(sequences: readonly number[]): Promise<readonly PackedPageRow[]> {
    return await this.#askInTurn((db) => readPackedPages(db, sequences));
  }

  async storedPages(sequences: readonly number[]): Promise<readonly StoredPageRow[]> {
    return await this.#askInTurn((db) => readStoredPages(db, sequences));
  }

  async featureBlock(block: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return await this.#ask((db) => readFeatureBlock(db, block));
  }

  async currentPages(): Promise<CurrentPages> {
    return await readCurrentPages((question) => this.#askInTurn(question));
  }

  async judgingProgress(): Promise<JudgingProgress | undefined> {
    return await this.#ask(readJudgingProgress);
  }

  async scoredTopics(): Promise<ReadonlySet<TopicId> | undefined> {
    return await readScoredTopics((question) => this.#askInTurn(question));
  }

  async texts(sequences: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return await this.#askInTurn((db) => readTexts(db, sequences));
  }

  async mainTexts(sequences: readonly number[]): Promise<ReadonlyMap<number, string>> {
    return await this.#askInTurn((db) => readTexts(db, sequences, true));
  }

  async pageTopics(): Promise<readonly TopicId[]> {
    return await this.#ask(readPageTopics);
  }

  async languages(): Promise<readonly string[]> {
    return await this.#ask(readLanguages);
  }

  async snippetLimits(sequences: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return await this.#ask((db) => readSnippetLimits(db, sequences));
  }

  async stemsFrom(...beginnings: readonly string[]): Promise<readonly string[] | undefined> {
    return await this.#ask((db) => this.#stems.startingWith(db, beginnings));
  }

  async search(query: SearchQuery): Promise<SearchAnswer> {
    return await this.#ask((db) => searchPages(db, this.#index, query));
  }

  async documentFrequencies(stems: readonly string[]): Promise<DocumentFrequencies> {
    return await this.#ask((db) => readDocumentFrequencies(db, this.#index, stems));
  }

  async unfetched(query: VoteQuery, limit: number): Promise<readonly UnfetchedPage[]> {
    return await this.#ask((db) => readUnfetched(db, query, limit));
  }

  async *exportPages(filter?: ExportFilter): AsyncGenerator<ExportRow> {
    yield* this.#pages((ask) => exportRows(ask, filter));
  }

  async pageWindow(filter: PageFilter, query: WindowQuery): Promise<PageWindow> {
    return await this.#ask((db) => readPageWindow(db, filter, query));
  }

  async pageFacets(filter: PageFilter): Promise<PageFacets> {
    return await this.#ask((db) => readPageFacets(db, filter));
  }

  fields(sequences: readonly number[]): Promise<ReadonlyMap<number, PageFields>> {
    return this.#ask((db) => readFieldsOf(db, sequences));
  }

  fieldNames(): Promise<readonly string[]> {
    return this.#ask(readFieldNames);
  }

  async *histories(): AsyncGenerator<PageHistory> {
    yield* this.#pages((ask) => pageHistories(ask));
  }

  async *pageLinks(pages?: readonly number[]): AsyncGenerator<readonly PageLink[]> {
    yield* this.#pages((ask) => (pages === undefined ? pageLinks(ask) : linksOf(ask, pages)));
  }

  async scoredPages(topic: TopicId): Promise<readonly ScoredPage[]> {
    return await this.#ask((db) => readScoredPages(db, topic));
  }

  async training(): Promise<readonly TrainingEntry[]> {
    return await this.#ask(readTraining);
  }

  async status(): Promise<StoreStatus> {
    return await this.#ask(readStatus);
  }

  async missed(limit: number): Promise<readonly MissedPages[]> {
    return await this.#ask((db) => readMissed(db, limit));
  }

  async news(after: number, until: number): Promise<StoredNews> {
    return await this.#ask((db) => readNews(db, after, until));
  }

  async beginning(until: number, parts: number): Promise<JournalBeginning> {
    return await this.#ask((db) => readBeginning(db, until, parts));
  }

  async milestones(): Promise<readonly Milestone[]> {
    return await this.#ask(readMilestones);
  }

  async pathTo(url: string): Promise<readonly PathStep[]> {
    return await this.#ask((db) => readPath(db, url));
  }

  async pageOf(url: string): Promise<PageRecord | undefined> {
    return await this.#ask((db) => readPageOf(db, url));
  }

  async lookup(url: string): Promise<UrlFacts> {
    return await this.#ask((db) => readFacts(db, url));
  }

  async isImportanceCurrent(): Promise<boolean> {
    return await this.#ask(isImportanceCurrent);
  }

  async steers(): Promise<readonly SteerCommand[]> {
    return await this.#ask(readSteers);
  }

  async countUnfetched(site: string): Promise<number> {
    return await countUnfetched((question) => this.#askInTurn(question), site);
  }

  async countedPages(): Promise<readonly CountedPages[]> {
    return await this.#ask(readCountedPages);
  }

  async candidates(limits: CandidateLimits): Promise<Candidates> {
    return await this.#ask((db) => readCandidates(db, limits));
  }

  async sql(query: string, { maxRows, frontier }: SqlOptions): Promise<SqlResult> {
    const views = await citationTables((question) => this.#askInTurn(question), query);
    const tables = frontier === undefined ? views : [frontierTable(frontier), ...views];
    return await this.#reading.sql(query, { maxRows, tables });
  }

  async *check(): AsyncGenerator<StoreCheckEvent> {
    const { integrity } = this.#reading;
    yield* checkStore({ ask: (question) => this.#askInTurn(question), integrity });
  }

  get abandon(): (() => Promise<void>) | undefined {
    return this.#reading.abandon;
  }

  async saveTopics(tree: TopicTree): Promise<void> {
    await this.#writing().saveTopics(tree);
  }

  async saveScores(topic: TopicId, scores: readonly PageScore[], every?: AuthorityScores): Promise<void> {
    await this.#writing().saveScores(topic, scores, every);
  }

  async saveImportance(pages: ReadonlyMap<number, Importance>): Promise<void> {
    await this.#writing().saveImportance(pages);
  }

  async saveVerdicts(verdicts: readonly NewVerdict[], progress?: JudgingProgress): Promise<void> {
    await this.#writing().saveVerdicts(verdicts, progress);
  }

  async saveFeatureBlock(block: number, features: Uint8Array): Promise<void> {
    await this.#writing().saveFeatureBlock(block, features);
  }

  async publish(status: CrawlStatus): Promise<void> {
    await this.#writing().publish(status);
  }

  async parcels(
    target: number,
    range: { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredParcel[]> {
    return await this.#ask((db) => readParcels(db, target, range));
  }

  async exchange(): Promise<ExchangeState> {
    return await this.#ask(readExchange);
  }

  async dropParcels(target: number, upto: number): Promise<void> {
    await this.#writing().dropParcels(target, upto);
  }

  async grants(): Promise<ReadonlyMap<number, number>> {
    return await this.#ask(readGrants);
  }

  async saveGrants(grants: ReadonlyMap<number, number>): Promise<void> {
    await this.#writing().saveGrants(grants);
  }

  async endSpread(): Promise<void> {
    await this.#writing().endSpread();
  }

  async fetches(range: { readonly after: number; readonly limit: number }): Promise<readonly StoredFetch[]> {
    return await this.#askInTurn((db) => readFetches(db, range));
  }

  async countFetches(after: number): Promise<number> {
    return await this.#ask((db) => countFetches(db, after));
  }

  async decisions(after: number): Promise<readonly (RoundRecord | SteerRecord)[]> {
    return await this.#ask((db) => readDecisions(db, after));
  }

  async followed(): Promise<ReadonlyMap<number, number>> {
    return await this.#ask(readFollowed);
  }

  async places(source: number, own: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return await this.#ask((db) => readPlaces(db, source, own));
  }

  async published(): Promise<PublishedStatus | undefined> {
    return await this.#ask(readPublished);
  }

  async takeRequests(): Promise<readonly SteerCommand[]> {
    const writer = this.#writing();
    const requests = await this.#ask(readRequests);
    if (requests.length > 0) await writer.forgetRequests(requests.map(({ id }) => id));
    return requests.flatMap(({ command }) => command ?? []);
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #close(): Promise<void> {
    await this.#writer?.flush().catch(() => {});
    // Close readers first: SQLite removes its write-ahead log only if the last connection to close may write.
    await this.#reading.close();
    await this.#writer?.close();
  }

  /** Streams many pages. If the server is lost, repeats the query once per page, starting after the last page read. */
  async *#pages<T>(read: (ask: Ask) => AsyncIterable<T>): AsyncGenerator<T> {
    let isMidway = false;
    try {
      for await (const item of read((question) => this.#askInTurn(question))) {
        if (!isMidway) this.#midway++;
        isMidway = true;
        yield item;
      }
    } catch (error) {
      throw storeError(error, this.#reading.place);
    } finally {
      if (isMidway) this.#midway--;
    }
  }

  /** Yields to signals and key presses between parts of a long read, because SQLite queries block the thread. */
  async #askInTurn<T>(question: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    await nextTurn();
    return await this.#ask(question);
  }

  async #ask<T>(question: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const askedAt = performance.now();
    for (;;) {
      try {
        return await question(this.#reading.db);
      } catch (error) {
        const isPatient = this.#writer !== undefined || this.#midway > 0;
        const deadline = askedAt + (isPatient ? this.#reconnectMs : 0);
        if (!isLostConnection(error) || performance.now() + ASK_AGAIN_MS > deadline)
          throw storeError(error, this.#reading.place);
      }
      await sleep(ASK_AGAIN_MS);
    }
  }

  #writing(): JournalWriter {
    if (this.#writer === undefined)
      throw new StoreError({ code: 'STORE_READ_ONLY', message: 'The store is open only for reading.' });
    return this.#writer;
  }
}
