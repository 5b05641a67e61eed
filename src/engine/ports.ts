import type { PointingAnchor } from '../analyze/index.ts';
import type {
  AnalyzedDocument,
  Assignment,
  CanonicalUrl,
  DocumentFeatures,
  ExamplePlaces,
  FetchedPage,
  FetchOutcome,
  JournalRecord,
  OrderingName,
  PackedDocument,
  TermCounts,
  TopicEstimate,
  TopicId,
  TopicTree,
  TrainingOrigin,
  WordWeights,
} from '../core/index.ts';
import type { Piece } from '../kit/index.ts';

/** What an earlier fetch of a page said of its version; `''` = nothing. With it a fetch may come out as `unchanged`. */
export interface KnownVersion {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** Where pages come from: the network, or an archive. */
export interface Fetcher {
  /**
   * One request, no redirects followed, robots and address rules applied. Never rejects for what the web does.
   * @param onBegin - told when it really begins: robots.txt is known, the address has room, and there is a connection
   */
  fetch(url: CanonicalUrl, known?: KnownVersion, onBegin?: () => void): Promise<FetchOutcome>;
  /** Least time between two requests that the host's robots.txt asks for, in ms; 0 = none, or not known yet. */
  crawlDelayMs(host: string): number;
  /** Resolves a host's name ahead of time and caches it; false when it cannot be resolved now. */
  resolve(host: string): Promise<boolean>;
  /** The address of a host, as far as it is known now. Absent: requests do not go to addresses. */
  addressOf?(host: string): string | undefined;
  /** Whether the server of a page that answered before does so now: asks for its robots.txt. Absent: there is no network to lose. */
  isReachable?(url: CanonicalUrl): Promise<boolean>;
  /** Whether the name server knows a host's name, asked for anew. `undefined`: nobody is asked for it. */
  isNamed?(host: string): Promise<boolean | undefined>;
  /**
   * The network is back after it was lost: names that were not known and robots.txt that could not be had are asked for again.
   * @param wasForged it gave answers of its own: all names and robots.txt are
   */
  forget?(wasForged: boolean): void;
  /** Nobody will look at the body of this page again: its memory may go. Absent: bodies are the fetcher's own. */
  release?(page: FetchedPage): void;
  close(): Promise<void>;
}

/** The crawl's memory (see `JournalRecord`). Records come back in order of `sequence`, without gaps. */
export interface Journal {
  /** Queues a record; it is durable once `onStored` has named a sequence at least as great. */
  append(record: JournalRecord): void;
  /** Records queued and not yet durable; the engine pauses fetching while this is large. */
  readonly backlog: number;
  /** Called with the greatest durable sequence after each commit. One listener. */
  onStored(listener: (sequence: number) => void): void;
  /** Called once when writing fails for good (full disk, lost server); nothing after the last `onStored` is durable. */
  onFailed(listener: (error: Error) => void): void;
  /** Resolves when all that was appended is durable. Rejects when writing failed. */
  flush(): Promise<void>;
  /** Number of records. */
  count(): Promise<number>;
  /**
   * All records in order, or those after a sequence, in chunks. A page's `document.text` and `document.features` come back empty; links
   * do not, unless they are not wanted.
   */
  read(options?: { readonly links?: boolean; readonly after?: number }): AsyncIterable<readonly JournalRecord[]>;
  /**
   * Where examples stood, round by round; a round without news of that is left out. Absent: they have always stood where the tree has
   * them.
   */
  examplePlaces?(): Promise<readonly ExamplePlaces[]>;
  /** Whole documents of stored pages, for training and archetypes. Unknown sequences are absent from the result. */
  documents(sequences: readonly number[]): Promise<ReadonlyMap<number, AnalyzedDocument>>;
}

/** What a checkpoint was made from. A crawl uses it only if all of this is still so. */
export interface CheckpointHeader {
  /** The last record that it holds. */
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
  /** Its pieces in order. Throws an Error if it is damaged. */
  read(): AsyncIterable<Piece>;
}

/** A checkpoint that is being written. One of `keep` and `drop` ends it. */
export interface CheckpointDraft {
  /** Resolves when there is room for more; `undefined`: there is. */
  add(piece: Piece): Promise<void> | undefined;
  /** Keeps it, and drops all but the newest few. */
  keep(header: CheckpointHeader): Promise<void>;
  drop(): Promise<void>;
}

/** Keeps checkpoints of the folded state. The journal does not need them. */
export interface CheckpointStore {
  /** Whole ones of this program, the newest first. */
  list(): Promise<readonly StoredCheckpoint[]>;
  begin(): Promise<CheckpointDraft>;
}

/** How analysis and classification of one page went. */
export type Analysis =
  | {
      readonly kind: 'analyzed';
      /** Without text and most features where these are packed, see `PageRecord`. */
      readonly document: AnalyzedDocument;
      readonly packed?: PackedDocument;
      readonly assignment: Assignment | undefined;
    }
  | { readonly kind: 'unusable'; readonly reason: string; readonly detail: string };

/** Which combination rule decides (BINGO! §3.5): the learning phase is stricter than harvesting. */
export type DecisionMode = 'learning' | 'harvesting';

/** What other pages say of a page; given where a feature space is built from it. */
export interface PageContext {
  /** Anchors of links that point to it, first found first. */
  readonly anchors: readonly PointingAnchor[];
  /** The `neighbours` space: the strongest terms of the pages around it. */
  readonly neighbours?: TermCounts;
}

/** Turns bodies into judged documents, off the main thread. */
export interface Analyzer {
  /** `assignment` is absent while there is no model. Never rejects for what a page holds. */
  analyze(page: FetchedPage, mode: DecisionMode, context?: PageContext): Promise<Analysis>;
  /** Every page handed in after this call is judged by this model. */
  setModel(blob: Uint8Array): void;
  close(): Promise<void>;
}

/** One training page by key; the trainer already holds its features. */
export interface TrainingItem {
  readonly key: string;
  readonly topic: TopicId;
  /** True: it trains OTHERS of `topic`. */
  readonly others: boolean;
  readonly origin: TrainingOrigin;
}

export interface TrainingRequest {
  readonly items: readonly TrainingItem[];
  /** Keys of off-topic pages for idf. */
  readonly background: readonly string[];
  /** Keys of the surest accepted pages, those of `items` left out. */
  readonly accepted?: readonly string[];
  /** Keys of pages of which some are to stand in for OTHERS, those of `items` left out. */
  readonly candidates?: readonly string[];
  /** Number of the new model. */
  readonly model: number;
  /** The topic tree with its marks as they are now. Default: the tree that the trainer was made with. */
  readonly tree?: TopicTree;
}

export interface TrainingResult {
  readonly blob: Uint8Array;
  /** What the model says of words, for the good topics of its tree. */
  readonly words?: WordWeights;
  readonly estimates: readonly TopicEstimate[];
  /** Held-out calibrated confidence by training key. */
  readonly heldOut: ReadonlyMap<string, number>;
  /** How much each archetype is like a person's examples of its topic, on the calibrated scale, by training key. */
  readonly likeness: ReadonlyMap<string, number>;
  /** Those of the candidates that stood in for OTHERS. */
  readonly standIns?: readonly string[];
}

/** Trains models, off the main thread. Keeps the features it was given, by key. */
export interface Trainer {
  /** Spaces given before and not now are kept. */
  add(key: string, features: DocumentFeatures): void;
  forget(key: string): void;
  train(request: TrainingRequest): Promise<TrainingResult>;
  /** Nothing is to be trained for a while: a trainer may give back memory that it can have again. It goes on holding what it was given. */
  rest(): void;
  close(): Promise<void>;
}
