import type { PointingAnchor } from '../analyze/index.ts';
import type {
  AnalyzedDocument,
  Assignment,
  CanonicalUrl,
  DocumentFeatures,
  FetchedPage,
  FetchOutcome,
  FollowedRecord,
  JournalRecord,
  OrderingName,
  PackedDocument,
  PageVote,
  Parcel,
  QuestionAnswer,
  RenderCounts,
  TermCounts,
  TopicEstimate,
  TopicId,
  TopicNaming,
  TopicTree,
  TrainingOrigin,
  WordWeights,
} from '../core/index.ts';
import type { Piece } from '../kit/index.ts';
import type { RankChange } from '../meta/index.ts';

/** What an earlier fetch returned as the page's version; '' = nothing. A fetch that sends it may return `unchanged`. */
export interface KnownVersion {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Source of pages: the network or an archive. */
export interface Fetcher {
  /**
   * Makes one request under the robots and address rules; follows no redirects. Never rejects because of a server's
   * answer.
   * @param onBegin - called when the request starts: robots.txt is known, the address has a free slot, and the
   * connection is open
   */
  fetch(url: CanonicalUrl, known?: KnownVersion, onBegin?: () => void): Promise<FetchOutcome>;
  /** Minimum interval between requests from the host's robots.txt, in ms; 0 = none, or not known yet. */
  crawlDelayMs(host: string): number;
  /** Resolves a host's name ahead of time and caches it; false if it cannot be resolved now. */
  resolve(host: string): Promise<boolean>;
  /** The address of a host, if known. Missing if requests do not use addresses. */
  addressOf?(host: string): string | undefined;
  /**
   * Resolves to true if the server of a page that answered before answers a robots.txt request now. Missing if there
   * is no network to lose.
   */
  isReachable?(url: CanonicalUrl): Promise<boolean>;
  /** Resolves to true if a fresh query to the name server finds the host. `undefined` if no name server is used. */
  isNamed?(host: string): Promise<boolean | undefined>;
  /**
   * Called when the network is back: unknown names and failed robots.txt are requested again.
   * @param wasForged true: the network faked answers, so all names and robots.txt are requested again
   */
  forget?(wasForged: boolean): void;
  /** Pages that a browser showed. Missing without a browser. */
  readonly rendered?: RenderCounts;
  /** Frees the body of this page. Missing if bodies belong to the fetcher. */
  release?(page: FetchedPage): void;
  close(): Promise<void>;
}

/** The crawl's durable record (see `JournalRecord`). Records are read in order of `sequence`, without gaps. */
export interface Journal {
  /**
   * Queues a record. It is durable once `onStored` has reported its sequence or a greater one.
   * @param leaving links for other shards, which become durable with it
   * @param followed the record of another store that it is
   */
  append(record: JournalRecord, leaving?: ReadonlyMap<number, Parcel>, followed?: FollowedRecord): void;
  /** Records queued but not yet durable. The engine pauses fetching while this is large. */
  readonly backlog: number;
  /** Returns the program that holds the store locked; `undefined` if unknown. */
  heldBy?(): string | undefined;
  /** Called with the greatest durable sequence after each commit. One listener. */
  onStored(listener: (sequence: number) => void): void;
  /**
   * Called once if writing fails permanently (full disk, lost server). Nothing after the last `onStored` is durable.
   */
  onFailed(listener: (error: Error) => void): void;
  /** Resolves when all appended records are durable. Rejects if writing failed. */
  flush(): Promise<void>;
  /** Number of records. */
  count(): Promise<number>;
  /**
   * Reads all records in order, or those after a sequence, in chunks. `document.text` and `document.features` of
   * pages are empty; links are included by default.
   */
  read(options?: { readonly links?: boolean; readonly after?: number }): AsyncIterable<readonly JournalRecord[]>;
  /** Returns the records that name topics, in order. Missing if topics never change. */
  topicNamings?(): Promise<readonly TopicNaming[]>;
  /** Returns whole documents of stored pages, for training and archetypes. Unknown sequences are left out. */
  documents(sequences: readonly number[]): Promise<ReadonlyMap<number, AnalyzedDocument>>;
}

/** What a checkpoint was made from. A crawl uses it only if all of this still matches. */
export interface CheckpointHeader {
  /** Sequence of the last record it includes. */
  readonly sequence: number;
  /** Digest of that record. */
  readonly record: string;
  readonly ordering: OrderingName;
  /** Digest of the topic tree, the settings and the local documents. */
  readonly basis: string;
}

/** A checkpoint that can be read. */
export interface StoredCheckpoint {
  readonly header: CheckpointHeader;
  /** Yields its pieces in order. Throws an Error if it is damaged. */
  read(): AsyncIterable<Piece>;
}

/** A checkpoint being written. End it with `keep` or `drop`. */
export interface CheckpointDraft {
  /** Adds a piece. Resolves when there is room for more; `undefined` if there is room already. */
  add(piece: Piece): Promise<void> | undefined;
  /** Stores the checkpoint and deletes all but the newest few. */
  keep(header: CheckpointHeader): Promise<void>;
  drop(): Promise<void>;
}

/** Store for checkpoints of the folded state. The journal does not depend on it. */
export interface CheckpointStore {
  /** Returns complete checkpoints of this program version, newest first. */
  list(): Promise<readonly StoredCheckpoint[]>;
  begin(): Promise<CheckpointDraft>;
}

/** Result of analysing and classifying one page. */
export type Analysis =
  | {
      readonly kind: 'analyzed';
      /** Without text and most features if those are packed, see `PageRecord`. */
      readonly document: AnalyzedDocument;
      readonly packed?: PackedDocument;
      readonly assignment: Assignment | undefined;
    }
  | { readonly kind: 'unusable'; readonly reason: string; readonly detail: string };

/** Which combination rule decides (BINGO! §3.5): the learning phase is stricter than harvesting. */
export type DecisionMode = 'learning' | 'harvesting';

/** What other pages reveal about a page; set if a feature space needs it. */
export interface PageContext {
  /** Anchors of links to the page, in the order found. */
  readonly anchors: readonly PointingAnchor[];
  /** The `neighbours` space: the strongest terms of linked pages. */
  readonly neighbours?: TermCounts;
}

/** Turns bodies into classified documents, off the main thread. */
export interface Analyzer {
  /** Analyses a page. `assignment` is missing without a model. Never rejects because of a page's content. */
  analyze(page: FetchedPage, mode: DecisionMode, context?: PageContext): Promise<Analysis>;
  /** Sets the model that classifies every later page. */
  setModel(blob: Uint8Array): void;
  close(): Promise<void>;
}

/** A question to a reader: is the page on topic? */
export interface ReaderQuestion {
  readonly topic: TopicId;
  /** Key of the page. */
  readonly key: string;
  readonly title: string;
  readonly text: string;
  /** Titles of the user's examples and counter-examples, without the page. */
  readonly examples: readonly string[];
  readonly counterExamples: readonly string[];
}

/** `failed`: this answer is missing. `spent`: the budget is used, no answer will follow. `why` is a sentence. */
export type ReaderReply =
  | { readonly kind: 'answer'; readonly answer: QuestionAnswer }
  | { readonly kind: 'failed' | 'spent'; readonly why: string };

/** A program that reads pages in the user's place. */
export interface PageReader {
  /** For messages. */
  readonly name: string;
  /** Never rejects. */
  answer(question: ReaderQuestion): Promise<ReaderReply>;
}

/** One training page by key. The trainer already has its features. */
export interface TrainingItem {
  readonly key: string;
  readonly topic: TopicId;
  /** True if the page is a negative example: it trains OTHERS of `topic`. */
  readonly others: boolean;
  readonly origin: TrainingOrigin;
}

export interface TrainingRequest {
  readonly items: readonly TrainingItem[];
  /** Keys of off-topic pages for inverse document frequencies. */
  readonly background: readonly string[];
  /** Keys of the most confidently accepted pages, without those in `items`. */
  readonly accepted?: readonly string[];
  /** Keys of pages that may serve as negative examples, without those in `items`. */
  readonly candidates?: readonly string[];
  /** Counter-examples of the user that are left out of `items`: the new model is tested on them. */
  readonly leftOut?: readonly TrainingItem[];
  /** The model in force, to compare with: its blob, and its held-out confidence by training key. */
  readonly before?: { readonly blob: Uint8Array; readonly heldOut: ReadonlyMap<string, number> };
  /** Number of the new model. */
  readonly model: number;
  /** Votes of page classifiers on these pages, by key. */
  readonly votes?: ReadonlyMap<string, readonly PageVote[]>;
  /** The topic tree with its current marks. Default: the tree the trainer was created with. */
  readonly tree?: TopicTree;
}

export interface TrainingResult {
  readonly blob: Uint8Array;
  /** The model's word weights for the good topics of its tree. */
  readonly words?: WordWeights;
  readonly estimates: readonly TopicEstimate[];
  /** Held-out calibrated confidence by training key. */
  readonly heldOut: ReadonlyMap<string, number>;
  /**
   * Estimates by the terms alone, if pages stand in for counter-examples of the user and `learn.spaces` has more than
   * terms: the leads of a few examples differ from those of other pages by chance.
   */
  readonly plainEstimates?: readonly TopicEstimate[];
  /** Similarity of each archetype to the user's examples of its topic, on the calibrated scale, by training key. */
  readonly likeness: ReadonlyMap<string, number>;
  /** Candidates that served as negative examples. */
  readonly standIns?: readonly string[];
  /** Ranks of the user's examples by the model in force and by the new one, over the same off-topic pages. */
  readonly ranks?: readonly RankChange[];
  /** The same over the user's counter-examples alone. */
  readonly ownRanks?: readonly RankChange[];
}

/** Trains models off the main thread. Stores the features it receives, by key. */
export interface Trainer {
  /** Adds features. Spaces added earlier stay. */
  add(key: string, features: DocumentFeatures): void;
  forget(key: string): void;
  train(request: TrainingRequest): Promise<TrainingResult>;
  /**
   * Announces a pause in training: the trainer may free memory that it can rebuild. It keeps the features it
   * received.
   */
  rest(): void;
  close(): Promise<void>;
}
