import type {
  AnalyzedDocument,
  CrawlStatus,
  Ending,
  ExamplePlaces,
  JournalRecord,
  PageHistory,
  PageRecord,
  PageRole,
  Phase,
  RoundRecord,
  SteerCommand,
  TopicAuthorities,
  TopicEstimate,
  TopicId,
  TopicTree,
  TrainingEntry,
  Via,
  VisitRecord,
} from '../core/index.ts';
import type { PageEnd, PageFilter, SearchAnswer, SearchQuery } from './search-query.ts';
import type { NewVerdict } from './write/verdicts.ts';

/** See {@link Store.lastRun}. */
export interface LastRun {
  /** Of its first record; 0: there was none. */
  readonly sequence: number;
  /** As its record has them; `''`: there was none. */
  readonly settings: string;
  /** In tree order, the root included, as bingo.yaml had them: without the marks that people gave. */
  readonly topics: readonly {
    readonly id: TopicId;
    readonly name: string;
    readonly parent: TopicId | undefined;
    readonly good: boolean;
  }[];
}

/** How {@link openStore} finds and opens a store. */
export interface StoreOptions {
  /** `sqlite` (a file in the workspace) or `mysql://user:password@host:port/database`. */
  readonly url: string;
  /** Folder of the workspace. */
  readonly workspace: string;
  /** Records in one transaction at the most. > 0 */
  readonly batch: number;
  /** A record waits at most this long for its transaction to begin, in ms. */
  readonly flushMs: number;
  /** True: nothing is written or created; a store that does not exist is an error. Default: false. */
  readonly readOnly?: boolean;
  /** A lost database server is waited for this long, in ms. Default: a minute. */
  readonly reconnectMs?: number;
  /** Size in bytes beyond which the SQLite file does not grow: writing then fails as on a full disk. Default: none. */
  readonly maxBytes?: number;
}

/**
 * The crawl's memory: journal, tables, search index. One process writes at a time (see `lockWorkspace`), any number
 * read. `append` never blocks; what it takes is written by a thread of its own, in order, a batch a transaction.
 */
export interface Store {
  /**
   * Queues a record; durable once `onStored` has named its sequence.
   * @throws RangeError when the record's `sequence` does not follow the one before
   */
  append(record: JournalRecord): void;
  /** Queues stems of pages that are appended next, in UTF-8, a line break behind each. */
  noteStems(stems: Uint8Array<ArrayBuffer>): void;
  /** Records queued and not yet durable. */
  readonly backlog: number;
  /** Called with the greatest durable sequence after each commit. One listener. */
  onStored(listener: (sequence: number) => void): void;
  /** Called once when writing fails for good; nothing after the last `onStored` is durable. One listener. */
  onFailed(listener: (error: Error) => void): void;
  /** Resolves when all that was appended is durable. Rejects when writing failed. */
  flush(): Promise<void>;
  /** Number of records. */
  count(): Promise<number>;
  /** All records in order, in chunks, between which timers and keys have their turn; text and features of pages are left empty. */
  read(options?: ReadOptions): AsyncIterable<readonly JournalRecord[]>;
  /** Rounds alone, in order: with their models they are few, and quickly read however many pages there are. */
  rounds(): AsyncIterable<RoundRecord>;
  /** Where examples stood, round by round; a round in which none stands elsewhere than before is left out. */
  examplePlaces(): Promise<readonly ExamplePlaces[]>;
  /** The last process that worked on the crawl, and the topic tree as it was saved last. */
  lastRun(): Promise<LastRun>;
  /** Whole documents of stored pages; unknown sequences are absent. */
  documents(sequences: readonly number[]): Promise<ReadonlyMap<number, AnalyzedDocument>>;
  /** Main texts of stored pages, for snippets; unknown sequences are absent. */
  texts(sequences: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Characters of a passage that pages let anybody show, 0 for none; pages that set no limit are absent. */
  snippetLimits(sequences: readonly number[]): Promise<ReadonlyMap<number, number>>;

  /** Topics that stored pages have, or are OTHERS of; the tables go by the names of the last crawl or decision. */
  pageTopics(): Promise<readonly TopicId[]>;
  /** Languages of stored pages, as analysis told them (ISO 639-1; `''`: unknown). */
  languages(): Promise<readonly string[]>;
  /**
   * Stems of stored pages that begin in one of these ways, the shortest first; `undefined` where an older version wrote the store, and no crawl has opened it
   * since.
   */
  stemsFrom(...beginnings: readonly string[]): Promise<readonly string[] | undefined>;
  /** Stored pages that hold some words: the candidates for a ranking. */
  search(query: SearchQuery): Promise<SearchAnswer>;
  /** Every page that was not replaced by a newer fetch, training pages included, in order of fetching. */
  exportPages(filter?: ExportFilter): AsyncIterable<ExportRow>;
  /** What rechecks told about every page that was not replaced, training pages included, in order of fetching. */
  histories(): AsyncIterable<PageHistory>;
  /** Links from stored page to stored page, in order of the linking page; one that leads there twice comes twice. */
  pageLinks(): AsyncIterable<readonly PageLink[]>;
  /** Stored pages with a link score in the latest distillation of a topic, best authorities first. */
  scoredPages(topic: TopicId): Promise<readonly ScoredPage[]>;
  /** The pages on which the last round trained. */
  training(): Promise<readonly TrainingEntry[]>;
  status(): Promise<StoreStatus>;
  /** How the crawl came from a seed to this URL: the seed first, the URL last; empty when it was never fetched. */
  pathTo(url: string): Promise<readonly PathStep[]>;
  /** The page that a canonical URL led to, as {@link lookup} tells it, for whoever asks about many. */
  pageOf(url: string): Promise<PageRecord | undefined>;
  /** All that is known of one canonical URL. Walks over the links of all pages. */
  lookup(url: string): Promise<UrlFacts>;
  /**
   * Runs one query that only reads.
   * @throws BingoError `SQL_READ_ONLY` when the statement could write, `SQL_INVALID` when the database refuses it
   */
  sql(query: string, options: { readonly maxRows: number }): Promise<SqlResult>;
  /**
   * Tells the server to leave off every query of {@link sql} that it still works at, since it would go on after this process has ended. Nobody
   * hears of those queries again. `undefined` where no server answers: a query holds the thread then, and ends with the process.
   */
  readonly abandon?: (() => Promise<void>) | undefined;

  /** Replaces the `topic` table, so that queries can name topics; link scores of others are forgotten. */
  saveTopics(tree: TopicTree): Promise<void>;
  /** Replaces the link scores of one topic; with `every`, also the authorities of all its pages. All of it or none. */
  saveScores(topic: TopicId, scores: readonly PageScore[], every?: AuthorityScores): Promise<void>;
  /**
   * Puts new verdicts on stored pages in place of those that hold; all of one call or none. `read` goes on telling what the
   * crawl said when it fetched them. A page that is not stored is passed over.
   */
  saveVerdicts(verdicts: readonly NewVerdict[]): Promise<void>;
  /** Tells other processes the numbers of this moment, in place of those told before. */
  publish(status: CrawlStatus): Promise<void>;
  /** What the crawl told last, and when it did, in ms since 1970; `undefined` when it never did. */
  published(): Promise<PublishedStatus | undefined>;
  /** What other processes asked the crawl to do (`requestSteer`), oldest first. Each request is given once. */
  takeRequests(): Promise<readonly SteerCommand[]>;
  /** Makes durable what was appended, if it can, and lets go of everything. Never rejects for a write that failed, nor when called again. */
  close(): Promise<void>;
}

/** Which records to read. */
export interface ReadOptions {
  /** Only those with a greater sequence. Default: 0, all. */
  readonly after?: number;
  /** False: links of pages are left empty as well. Default: true. */
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

/** Authorities of pages beyond the best. */
export type AuthorityScores = Omit<TopicAuthorities, 'topic'>;

/** Which pages to export; nothing given: all. */
export interface ExportFilter extends PageFilter {
  /** Only pages of this very topic, not of those below it; those in its OTHERS included. */
  readonly topic?: TopicId;
  /** Only pages accepted into a topic that the crawl found itself: no OTHERS, no training pages. */
  readonly relevant?: boolean;
  /** False: no pages that left, as far as rechecks told. Default: true. */
  readonly ended?: boolean;
  /** Behind each page its other addresses: redirects to it and copies of it. Default: false. */
  readonly copies?: boolean;
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
  /** The page it was found on; `''` for seeds. */
  readonly via: string;
  /** Registered domain. */
  readonly site: string;
  /** ISO 639-1; `''` when unknown. */
  readonly language: string;
  /** The page that this address, `url`, is another name of; absent for pages themselves. */
  readonly duplicateOf?: string;
  /** Absent while it is there. */
  readonly end?: PageEnd;
}

/** Sums over the store. Pages are those the crawl found, training pages and sitemaps left out, unless said otherwise. */
export interface StoreStatus {
  readonly records: number;
  readonly pages: number;
  /** Stored training pages: examples and OTHERS. */
  readonly trainingPages: number;
  /** Of the pages, those of seeds that are no examples: they are in the harvest rate, but no budget counts them. */
  readonly seeds: number;
  /** Pages, and fetches that count like pages: copies, and pages that ask not to be stored. */
  readonly fetched: number;
  /** Pages accepted into a topic, and their share of those fetched; NaN without any. */
  readonly relevant: number;
  readonly harvestRate: number;
  /** Pages of topics that left since, by how, as rechecks found; searches and portals leave them out. */
  readonly left: Readonly<Record<Ending, number>>;
  readonly phase: Phase | undefined;
  readonly topics: readonly TopicSummary[];
  readonly hosts: number;
  readonly sites: number;
  /** Hosts most of whose pages are those of another host, most copies first, at most ten. */
  readonly mirrors: readonly { readonly host: string; readonly original: string; readonly copies: number }[];
  /** Fetches that gave no page, most frequent first. */
  readonly visits: readonly {
    readonly result: VisitRecord['result'];
    readonly reason: string;
    /** HTTP status where that is the reason; else 0. */
    readonly status: number;
    readonly count: number;
  }[];
  /** URLs seen in any way: fetched, refused, or as the target of a link. */
  readonly knownUrls: number;
  /** URLs that were asked for, of the crawl and of training pages: pages, redirects, refusals, failures. */
  readonly visitedUrls: number;
  /** Links on stored pages, each as often as a page has it. */
  readonly linksExtracted: number;
  /** Most links in a row from a seed to a page; 0 without pages. */
  readonly maxDepth: number;
  /** Estimates of the topics by the last round that trained. */
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
  /** Pages that went to OTHERS under this topic. */
  readonly others: number;
  /** Over accepted pages; NaN without any. */
  readonly meanConfidence: number;
  readonly meanRelevance: number;
}

/** One fetch on the way from a seed. */
export interface PathStep {
  readonly kind: 'page' | 'visit';
  readonly sequence: number;
  readonly url: string;
  /** Title of a page; result and reason of a visit. */
  readonly title: string;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly confidence: number;
  readonly relevance: number;
  readonly via: Via;
  /** Anchor text on the page before, `''` when it is not known. */
  readonly anchor: string;
  readonly depth: number;
  readonly tunnelDepth: number;
  readonly priority: number;
  readonly fetchedAt: number;
}

/** What the store knows of a URL; all empty when it was never seen. */
export interface UrlFacts {
  /** The page it led to, whether by this URL, a redirect, or as a duplicate. Text and features are left empty. */
  readonly page: PageRecord | undefined;
  /** How the URL belongs to that page. */
  readonly as: AliasReason | undefined;
  /** Fetches of this URL that gave no page, in order. */
  readonly visits: readonly VisitRecord[];
  /** Pages that link to it, first found first, at most 100. */
  readonly linkedFrom: readonly {
    readonly sequence: number;
    readonly url: string;
    readonly anchor: string;
    /** What the page was fetched as: links of `others` are never followed. */
    readonly role: PageRole;
    /** The page asks not to follow the link. */
    readonly nofollow: boolean;
  }[];
  /** For a URL that was never fetched: the last fetch from its host, when that failed for the host's sake. */
  readonly hostTrouble: VisitRecord | undefined;
}

/** How a URL belongs to a page: as its own, by a redirect, or by a copy of the page. */
export type AliasReason = 'page' | 'redirect' | 'duplicate';

export type SqlValue = string | number | bigint | null | Uint8Array;

/** The answer to a query. `rows` can be walked once; walk it or `close` it. */
export interface SqlResult {
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<readonly SqlValue[]>;
  /** After the walk: there was more than `maxRows`. */
  readonly truncated: boolean;
  close(): Promise<void>;
}
