import type {
  AnalyzedDocument,
  CrawlStatus,
  Ending,
  FollowedRecord,
  Importance,
  JournalRecord,
  JudgingProgress,
  PageFields,
  PageHistory,
  PageRecord,
  PageRole,
  Parcel,
  Phase,
  RoundRecord,
  SteerCommand,
  SteerRecord,
  TermCounts,
  TopicAuthorities,
  TopicEstimate,
  TopicId,
  TopicNaming,
  TopicTree,
  TrainingEntry,
  VisitRecord,
} from '../core/index.ts';
import type { CandidateLimits, Candidates, CountedPages } from './candidates.ts';
import type { ExchangeState, StoredFetch, StoredParcel } from './exchange-state.ts';
import type { JournalBeginning } from './journal-beginning.ts';
import type { PageFacets, PageWindow, WindowQuery } from './page-window.ts';
import type { MissedPages } from './read/missed.ts';
import type { StoredNews } from './read/news.ts';
import type {
  DocumentFrequencies,
  PageEnd,
  PageFilter,
  SearchAnswer,
  SearchQuery,
  UnfetchedPage,
  VoteQuery,
} from './search-query.ts';
import type { StoreCheckEvent } from './store-problem.ts';
import type { PathStep, UrlFacts } from './url-facts.ts';
import type { SqlOptions } from './waiting-links.ts';
import type { NewVerdict } from './write/verdicts.ts';

/** See {@link Store.lastRun}. */
export interface LastRun {
  /** Sequence of its first record; 0 without a run. */
  readonly sequence: number;
  /** As in its record; `''` without a run. */
  readonly settings: string;
  /** In tree order, with the root, as in bingo.yaml: without later marks of the user. */
  readonly topics: readonly {
    readonly id: TopicId;
    readonly name: string;
    readonly parent: TopicId | undefined;
    readonly good: boolean;
  }[];
}

/** Options of {@link openStore}. */
export interface StoreOptions {
  /** `sqlite` (a file in the workspace) or `mysql://user:password@host:port/database`. */
  readonly url: string;
  /** Folder of the workspace. */
  readonly workspace: string;
  /** Maximum number of records per transaction. > 0 */
  readonly batch: number;
  /** Maximum time a record waits for its transaction to begin, in ms. */
  readonly flushMs: number;
  /** If true, nothing is written or created, and a missing store is an error. Default: false. */
  readonly readOnly?: boolean;
  /** Time to wait for a lost database server, or for a program that holds the file locked, in ms. Default: a minute. */
  readonly reconnectMs?: number;
  /** Maximum size of the SQLite file in bytes. Beyond it, writing fails as on a full disk. Default: no limit. */
  readonly maxBytes?: number;
}

/**
 * The crawl's memory: journal, tables, search index. One process writes at a time (see `lockWorkspace`), any number
 * read. `append` never blocks: a separate thread writes the records in order, one batch per transaction.
 */
export interface Store {
  /**
   * Queues a record. It is durable once `onStored` has reported its sequence.
   * @param leaving links for other shards, which become durable in the same transaction
   * @param followed the record of another store that it is; noted in the same transaction
   * @throws RangeError if the record's `sequence` does not follow the previous one
   */
  append(record: JournalRecord, leaving?: ReadonlyMap<number, Parcel>, followed?: FollowedRecord): void;
  /** Queues stems of the pages appended next, in UTF-8, each followed by a line break. */
  noteStems(stems: Uint8Array<ArrayBuffer>): void;
  /** Number of queued records that are not yet durable. */
  readonly backlog: number;
  /** Returns the program that holds the store locked, such as `sqlite3 (pid 4711)`; `undefined` if unknown. */
  heldBy(): string | undefined;
  /** Returns the process that writes to a store on a server, if any. For SQLite, the lock of its folder says so. */
  writer(): Promise<string | undefined>;
  /** Sets the listener that receives the greatest durable sequence after each commit. One listener. */
  onStored(listener: (sequence: number) => void): void;
  /** Sets the listener for a final write failure; nothing after the last `onStored` is durable. One listener. */
  onFailed(listener: (error: Error) => void): void;
  /** Resolves when all appended records are durable. Rejects if writing failed. */
  flush(): Promise<void>;
  /** Number of records. */
  count(): Promise<number>;
  /**
   * Yields all records in order, in chunks; timers and key presses are handled between chunks. Text and features of
   * pages are empty.
   */
  read(options?: ReadOptions): AsyncIterable<readonly JournalRecord[]>;
  /** Yields only rounds, in order. They hold the models, but are few and quick to read. */
  rounds(): AsyncIterable<RoundRecord>;
  /** Returns every topic name that a training round used. */
  trainedTopics(): Promise<readonly TopicId[]>;
  /** Returns the records that name topics, in order. */
  topicNamings(): Promise<readonly TopicNaming[]>;
  /** Returns the last process that worked on the crawl, and the topic tree as last saved. */
  lastRun(): Promise<LastRun>;
  /** Returns whole documents of stored pages; unknown sequences are absent. */
  documents(sequences: readonly number[]): Promise<ReadonlyMap<number, AnalyzedDocument>>;
  /** Returns the text and the terms of stored pages, without the rest of their documents. */
  words(sequences: readonly number[]): Promise<ReadonlyMap<number, PageWords>>;
  /** Returns stored pages with their packed documents, to be judged again; unknown sequences are absent. */
  packedPages(sequences: readonly number[]): Promise<readonly PackedPageRow[]>;
  /** Returns the same without documents. */
  storedPages(sequences: readonly number[]): Promise<readonly StoredPageRow[]>;
  /** Returns the packed features of a block of pages, see `packFeatureBlock`; `undefined` without any. */
  featureBlock(block: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Lists the pages not replaced by a newer fetch, with training pages. */
  currentPages(): Promise<CurrentPages>;
  /** Returns how far the last judging of all pages came, if it was saved. */
  judgingProgress(): Promise<JudgingProgress | undefined>;
  /** Returns the topics for which every judged page has scores; `undefined` if pages have scores for different topics. */
  scoredTopics(): Promise<ReadonlySet<TopicId> | undefined>;
  /** Returns texts of stored pages, for search and snippets; unknown sequences are absent. */
  texts(sequences: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Returns the same without what stands beside the main text (captions, bylines, comments), for exports. */
  mainTexts(sequences: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Returns the maximum snippet length that pages allow, 0 for none; pages without a limit are absent. */
  snippetLimits(sequences: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /** Returns topics that stored pages have, or whose OTHERS they are in, by the names of the last crawl or decision. */
  pageTopics(): Promise<readonly TopicId[]>;
  /** Returns the languages of stored pages, as detected by the analysis (ISO 639-1; `''`: unknown). */
  languages(): Promise<readonly string[]>;
  /**
   * Returns stems of stored pages that start with one of these beginnings, shortest first. `undefined` if an older
   * version wrote the store and no crawl has opened it since.
   */
  stemsFrom(...beginnings: readonly string[]): Promise<readonly string[] | undefined>;
  /** Finds stored pages that contain the words: the candidates for ranking. */
  search(query: SearchQuery): Promise<SearchAnswer>;
  /** Counts the stored pages with each of these stems. */
  documentFrequencies(stems: readonly string[]): Promise<DocumentFrequencies>;
  /** Returns addresses that were not fetched yet, best first, by the votes of anchors for the words of a query. */
  unfetched(query: VoteQuery, limit: number): Promise<readonly UnfetchedPage[]>;
  /** Yields every page not replaced by a newer fetch, with training pages, in order of fetching. */
  exportPages(filter?: ExportFilter): AsyncIterable<ExportRow>;
  /** Returns a part of the current pages that pass a filter. Pages that are gone and counter-examples are left out. */
  pageWindow(filter: PageFilter, query: WindowQuery): Promise<PageWindow>;
  /** Counts the same pages by topic, site, media type, language and day. */
  pageFacets(filter: PageFilter): Promise<PageFacets>;
  /** Returns the names of all fields of pages, in alphabetical order. */
  fieldNames(): Promise<readonly string[]>;
  /** Returns the bibliographic record and the fields of extractors of some pages; pages without any are absent. */
  fields(sequences: readonly number[]): Promise<ReadonlyMap<number, PageFields>>;
  /** Yields the recheck results of every page not replaced, with training pages, in order of fetching. */
  histories(): AsyncIterable<PageHistory>;
  /**
   * Yields links between stored pages, in order of the linking page; repeated links are repeated.
   * @param pages linking pages, ascending; default: all
   */
  pageLinks(pages?: readonly number[]): AsyncIterable<readonly PageLink[]>;
  /** Returns stored pages with a link score in the latest distillation of a topic, best authorities first. */
  scoredPages(topic: TopicId): Promise<readonly ScoredPage[]>;
  /** Returns the pages on which the last round trained. */
  training(): Promise<readonly TrainingEntry[]>;
  status(): Promise<StoreStatus>;
  /** Returns what relevant pages link to and the crawl does not have, most links first. */
  missed(limit: number): Promise<readonly MissedPages[]>;
  /** Returns what the records after one sequence, up to another, brought. */
  news(after: number, until: number): Promise<StoredNews>;
  /** Returns what the records up to a sequence amount to, without reading each of them. */
  beginning(until: number, parts: number): Promise<JournalBeginning>;
  /** Returns the phases and training rounds of the crawl, in order. */
  milestones(): Promise<readonly Milestone[]>;
  /** Returns the path of the crawl to this URL: the seed first, the URL last; empty if it was never fetched. */
  pathTo(url: string): Promise<readonly PathStep[]>;
  /** Returns the page to which a canonical URL led, like {@link lookup}, but cheap enough for many URLs. */
  pageOf(url: string): Promise<PageRecord | undefined>;
  /** Returns everything known about one canonical URL. Walks over the links of all pages. */
  lookup(url: string): Promise<UrlFacts>;
  /** Returns false if pages were added since {@link saveImportance}. */
  isImportanceCurrent(): Promise<boolean>;
  /** Returns the user's changes from the journal, such as marks and blocked hosts, oldest first. */
  steers(): Promise<readonly SteerCommand[]>;
  /** Counts known URLs on a host and the hosts below it that were never fetched. */
  countUnfetched(site: string): Promise<number>;
  /** Returns the pages that count against budgets, by topic and host. */
  countedPages(): Promise<readonly CountedPages[]>;
  /** Returns pages whose verdicts a user may want to check. */
  candidates(limits: CandidateLimits): Promise<Candidates>;
  /**
   * Runs one read-only query.
   * @throws BingoError `SQL_READ_ONLY` if the statement could write, `SQL_INVALID` if the database rejects it
   */
  sql(query: string, options: SqlOptions): Promise<SqlResult>;
  /** Compares what the store holds more than once, and yields what does not match. Writes nothing; a crawl may run. */
  check(): AsyncIterable<StoreCheckEvent>;
  /**
   * Makes the server stop all running queries of {@link sql}, which would otherwise continue after this process ends.
   * These queries never settle. `undefined` without a server: a query then blocks the thread and ends with the
   * process.
   */
  readonly abandon?: (() => Promise<void>) | undefined;

  /** Replaces the `topic` table, so that queries can name topics; removes link scores of other topics. */
  saveTopics(tree: TopicTree): Promise<void>;
  /** Replaces the link scores of one topic; with `every`, also the authorities of all its pages. Atomic. */
  saveScores(topic: TopicId, scores: readonly PageScore[], every?: AuthorityScores): Promise<void>;
  /** Replaces the importance of all pages. Atomic. */
  saveImportance(pages: ReadonlyMap<number, Importance>): Promise<void>;
  /**
   * Replaces the current verdicts on stored pages. Atomic. `read` still returns the verdicts of the crawl at fetch
   * time. Pages that are not stored are skipped.
   * @param progress replaces the saved progress of judging all pages, in the same transaction
   */
  saveVerdicts(verdicts: readonly NewVerdict[], progress?: JudgingProgress): Promise<void>;
  /**
   * Saves the packed features of a block of pages, unless they are too large. They follow from the pages' documents, and may
   * be missing.
   */
  saveFeatureBlock(block: number, features: Uint8Array): Promise<void>;
  /** Publishes the current status to other processes, replacing the previous one. */
  publish(status: CrawlStatus): Promise<void>;
  /** Returns the last published status and its time, in ms since 1970; `undefined` if no status was published. */
  published(): Promise<PublishedStatus | undefined>;
  /** Returns commands from other processes (`requestSteer`), oldest first. Each command is returned once. */
  takeRequests(): Promise<readonly SteerCommand[]>;
  /** Returns the parcels for another shard, and for all, that were stored after a record, oldest first. */
  parcels(target: number, range: { readonly after: number; readonly limit: number }): Promise<readonly StoredParcel[]>;
  /** Returns what this store has sent to other shards and received from them. */
  exchange(): Promise<ExchangeState>;
  /** Removes parcels for another shard, or for all, that were received. */
  dropParcels(target: number, upto: number): Promise<void>;
  /** Returns the number of pages that each shard may fetch since the crawl was spread. */
  grants(): Promise<ReadonlyMap<number, number>>;
  /** Replaces these numbers. Atomic. */
  saveGrants(grants: ReadonlyMap<number, number>): Promise<void>;
  /** Removes what only a spread crawl needs: grants, and which records of other stores this store has. */
  endSpread(): Promise<void>;
  /** Returns the first pages and visits after a record, with whole documents and fields. */
  fetches(range: { readonly after: number; readonly limit: number }): Promise<readonly StoredFetch[]>;
  /** Counts the pages and visits after a record. */
  countFetches(after: number): Promise<number>;
  /** Returns the rounds and the user's changes after a record, in order. */
  decisions(after: number): Promise<readonly (RoundRecord | SteerRecord)[]>;
  /** Returns the last record that this store has of each other store, by source. */
  followed(): Promise<ReadonlyMap<number, number>>;
  /** Returns the sequences that records of another store have in this one; records that it does not have are absent. */
  places(source: number, own: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /**
   * Makes appended records durable if possible, and frees all resources. Never rejects, even after a failed write or
   * if called twice.
   */
  close(): Promise<void>;
}

/** A new phase, or a training round. */
export interface Milestone {
  readonly sequence: number;
  readonly kind: 'phase' | 'round';
  /** The phase; for a round the number of its model, with `undone` if it was rolled back. */
  readonly name: string;
}

/** Which records to read. */
export interface ReadOptions {
  /** Only records with a greater sequence. Default: 0, all. */
  readonly after?: number;
  /** If false, links of pages are empty as well. Default: true. */
  readonly links?: boolean;
}

export interface PublishedStatus {
  readonly at: number;
  readonly status: CrawlStatus;
}

/** Hub and authority score of one page, each in [0,1]. */
export interface PageScore {
  readonly url: string;
  readonly hub: number;
  readonly authority: number;
}

/** Authorities of all pages of a topic, not only the best. */
export type AuthorityScores = Omit<TopicAuthorities, 'topic'>;

/** Which pages to export; without any condition, all. */
export interface ExportFilter extends PageFilter {
  /** Only pages of exactly this topic, not of its subtopics; pages in its OTHERS are included. */
  readonly topic?: TopicId;
  /** Only accepted pages that the crawl found itself: no OTHERS, no training pages. */
  readonly relevant?: boolean;
  /** If false, leaves out pages that no longer exist according to rechecks. Default: true. */
  readonly ended?: boolean;
  /** If true, each page is followed by its other addresses: redirects to it and copies of it. Default: false. */
  readonly copies?: boolean;
}

/** Sequences of stored pages, ascending. */
export interface CurrentPages {
  readonly accepted: Float64Array;
  readonly rejected: Float64Array;
}

/** A stored page to be judged again. */
export interface StoredPageRow
  extends Pick<ExportRow, 'sequence' | 'url' | 'finalUrl' | 'title' | 'role' | 'topic' | 'others' | 'relevance'> {
  /** Page classifiers voted on it. */
  readonly hasVotes: boolean;
}

/** The same with its packed document. */
export interface PackedPageRow extends StoredPageRow {
  /** See `packDocument`. */
  readonly content: Uint8Array<ArrayBuffer>;
}

/** What a stored page says. */
export interface PageWords {
  readonly text: string;
  /** Absent if the page was stored without them. */
  readonly terms?: TermCounts;
  /** Maximum snippet length in characters; absent: no limit. */
  readonly maxSnippet?: number;
}

/** A link between two stored pages, by their sequences. */
export interface PageLink {
  readonly from: number;
  readonly to: number;
}

export interface ScoredPage {
  readonly sequence: number;
  readonly hub: number;
  readonly authority: number;
}

/** One page as `bingo export` writes it. */
export interface ExportRow {
  readonly url: string;
  readonly finalUrl: string;
  readonly title: string;
  readonly role: PageRole;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly confidence: number;
  readonly relevance: number;
  readonly depth: number;
  readonly tunnelDepth: number;
  readonly sequence: number;
  readonly fetchedAt: number;
  readonly status: number;
  readonly contentType: string;
  /** The page on which it was found; `''` for seeds. */
  readonly via: string;
  /** Registered domain. */
  readonly site: string;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  /** The bibliographic record and fields that extractors added, if any. */
  readonly fields?: PageFields;
  /** The page of which this address, `url`, is another name; absent for pages themselves. */
  readonly duplicateOf?: string;
  /** As of the end of the last crawl; absent for pages that it did not rate. */
  readonly importance?: Importance;
  /** Absent while the page exists. */
  readonly end?: PageEnd;
}

/**
 * Totals over the store. Pages are those found by the crawl, without training pages and sitemaps, unless said
 * otherwise.
 */
export interface StoreStatus {
  readonly records: number;
  readonly pages: number;
  /** Stored training pages: examples and OTHERS. */
  readonly trainingPages: number;
  /** Seed pages that are not examples: they count for the harvest rate, but not for any budget. */
  readonly seeds: number;
  /** Pages, and fetches that count like pages: copies, and pages that ask not to be stored. */
  readonly fetched: number;
  /** Pages accepted into a topic, and their share of all fetched; NaN without pages. */
  readonly relevant: number;
  readonly harvestRate: number;
  /**
   * Pages of topics that no longer exist according to rechecks, by kind of ending; searches and portals leave them
   * out.
   */
  readonly left: Readonly<Record<Ending, number>>;
  readonly phase: Phase | undefined;
  readonly topics: readonly TopicSummary[];
  readonly hosts: number;
  readonly sites: number;
  /** Hosts whose pages mostly copy another host, most copies first, at most ten. */
  readonly mirrors: readonly { readonly host: string; readonly original: string; readonly copies: number }[];
  /** Fetches without a page, most frequent first. */
  readonly visits: readonly {
    readonly result: VisitRecord['result'];
    readonly reason: string;
    /** HTTP status if it is the reason; else 0. */
    readonly status: number;
    readonly count: number;
  }[];
  /** URLs seen in any way: fetched, rejected, or found as a link target. */
  readonly knownUrls: number;
  /** Requested URLs, with training pages: pages, redirects, rejections, failures. */
  readonly visitedUrls: number;
  /** Links on stored pages, counting repeated links. */
  readonly linksExtracted: number;
  /** Greatest number of links from a seed to a page; 0 without pages. */
  readonly maxDepth: number;
  /** Estimates per topic by the last training round. */
  readonly estimates: readonly TopicEstimate[];
  readonly rounds: number;
  readonly runs: number;
  /** Milliseconds since 1970; `undefined` without pages. */
  readonly firstFetchedAt: number | undefined;
  readonly lastFetchedAt: number | undefined;
}

export interface TopicSummary {
  readonly topic: TopicId;
  readonly accepted: number;
  /** Pages in OTHERS of this topic. */
  readonly others: number;
  /** Over accepted pages; NaN without pages. */
  readonly meanConfidence: number;
  readonly meanRelevance: number;
}

export type SqlValue = string | number | bigint | null | Uint8Array;

/** Answer to a query. `rows` can be iterated once; iterate it or call `close`. */
export interface SqlResult {
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<readonly SqlValue[]>;
  /** Set after the iteration: true if there were more than `maxRows` rows. */
  readonly truncated: boolean;
  close(): Promise<void>;
}
