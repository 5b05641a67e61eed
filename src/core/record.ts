import type { Assignment } from './assignment.ts';
import type { AnalyzedDocument, LinkTable } from './document.ts';
import type { CanonicalUrl, TopicId } from './ids.ts';
import type { PackedDocument } from './packed/packed-document.ts';
import type { Steer } from './steer.ts';
import type { TrainingOrigin } from './topic-tree.ts';

/**
 * The journal is the crawl: every record has the next `sequence` (1, 2, 3, …), the store keeps them in that order, and
 * the engine's whole state is a fold over them. Resuming a crawl is reading its journal again.
 */
export type JournalRecord = PageRecord | VisitRecord | RoundRecord | PhaseRecord | RunRecord | SteerRecord;

/** How a URL came into the frontier; `recheck`: a stored page was looked at again, the rest of the origin is that page's. */
export const VIAS = ['seed', 'link', 'hub', 'redirect', 'sitemap', 'recheck'] as const;
export type Via = (typeof VIAS)[number];

/** The frontier entry that a fetch answered; enough to tell the path from a seed. */
export interface Origin {
  readonly via: Via;
  /** The page on which the link was found; `''` for seeds. */
  readonly from: string;
  /** The topic in whose queue the entry waited. */
  readonly topic: TopicId;
  /** Links from the seed: 0 for a seed. */
  readonly depth: number;
  /** Rejected pages in a row before this one; 0 behind an accepted page. */
  readonly tunnelDepth: number;
  /** The priority at which it was taken. */
  readonly priority: number;
}

/** What a page is for: found by the crawl, or fetched to train on. */
export type PageRole = 'crawled' | 'example' | 'others';

/** A page that was fetched, analysed and judged. */
export interface PageRecord {
  readonly kind: 'page';
  readonly sequence: number;
  readonly url: CanonicalUrl;
  /** Differs from `url` when a redirect led here; `url` is then the first URL asked for. */
  readonly finalUrl: CanonicalUrl;
  /** Every redirect on the way, `url` first, `finalUrl` left out; empty without redirects. */
  readonly redirects: readonly CanonicalUrl[];
  readonly host: string;
  readonly role: PageRole;
  readonly origin: Origin;
  readonly status: number;
  readonly contentType: string;
  readonly fetchedAt: number;
  readonly bytes: number;
  readonly address: string;
  readonly etag: string;
  readonly lastModified: string;
  readonly document: AnalyzedDocument;
  /**
   * The bulk of the document as the analysis packed it; `document` then has no text, and of its features only what the
   * engine itself reads. Its memory moves on to the store: nobody may read it after the record was appended.
   */
  readonly packed?: PackedDocument;
  readonly assignment: Assignment;
}

/** A fetch that gave no page: kept so that nothing is asked for twice and `bingo why` can tell. */
export interface VisitRecord {
  readonly kind: 'visit';
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly origin: Origin;
  /** Of rechecks alone: `unchanged`; `missing`, told that it is not there; `gone`, told so often enough to believe it. */
  readonly result: 'redirected' | 'refused' | 'failed' | 'duplicate' | 'unchanged' | 'noindex' | 'missing' | 'gone';
  /** Reason code: a `Refusal`, a failure reason, or how the duplicate was seen; for a recheck's redirect `merged` when its
   * target is a stored page; `elsewhere` for a page that is missing because it leads to another site for the time being. */
  readonly reason: string;
  readonly detail: string;
  readonly status: number;
  /** Redirect target; else `''`. */
  readonly target: string;
  /** For a duplicate: sequence of the page that has the same content; for any other recheck: of the page; else 0. */
  readonly page: number;
  /** For a failure: the entry went back to the frontier. */
  readonly retried: boolean;
  readonly fetchedAt: number;
  /** Of a page that asks not to be stored (`noindex`) but lets its links be followed: those; nothing else is kept of it. */
  readonly links?: LinkTable;
  /** ISO 639-1 code of such a page, or `''` when unknown: its links are read in it. */
  readonly language?: string;
  /** Of a recheck that found a page unchanged under another name: that. The page has it from then on; the journal tells it once. */
  readonly version?: PageVersion;
}

/** By what a server knows a version of a page; `''` = nothing. */
export interface PageVersion {
  readonly etag: string;
  readonly lastModified: string;
}

/** Reason of a visit with the result `noindex` whose links are followed. */
export const LINKS_FOLLOWED = 'links-followed';

/** One training page as a round used it. */
export interface TrainingEntry {
  /** The page's URL, or the name of a local file or query. */
  readonly key: string;
  readonly title: string;
  /** The topic; for OTHERS the node whose OTHERS it trains. */
  readonly topic: TopicId;
  readonly origin: TrainingOrigin;
  /** Held-out, calibrated confidence after this round; NaN when unknown. */
  readonly confidence: number;
}

/**
 * Where the examples of bingo.yaml stood from a round on. A person edits the tree between two processes, or before deciding on training
 * pages of a crawl that stands still: so an edit holds from a process's begin, or from those decisions on.
 */
export interface ExamplePlaces {
  /** Sequence of the first record of pages and rounds that names topics so. */
  readonly from: number;
  /** The same of what people decided. */
  readonly steersFrom: number;
  /** The topic of each example, by training key, those that later rounds brought included. */
  readonly places: ReadonlyMap<string, TopicId>;
}

/** Between which bounds a share lies with 95 % confidence; both in [0,1]. */
export interface ConfidenceRange {
  readonly low: number;
  readonly high: number;
}

/** How well a topic is recognised, by held-out pages. */
export type TopicGrade = 'good' | 'fair' | 'weak' | 'too few examples';

/** Quality estimate of one topic's classifier after a round. */
export interface TopicEstimate {
  readonly topic: TopicId;
  readonly positives: number;
  readonly negatives: number;
  /** xi-alpha precision and recall (Joachims 2000), in [0,1]; NaN when undefined. */
  readonly xiAlphaPrecision: number;
  readonly xiAlphaRecall: number;
  /** Held-out: leave-one-out or 5-fold. */
  readonly heldOutPrecision: number;
  readonly heldOutRecall: number;
  readonly heldOutMethod: 'leave-one-out' | '5-fold' | 'none';
  /**
   * Where the two lie with 95 % confidence, by the number of training pages alone (Wilson's interval); absent in rounds of
   * older versions. It knows nothing of how unlike the training pages the web is.
   */
  readonly heldOutPrecisionRange?: ConfidenceRange;
  readonly heldOutRecallRange?: ConfidenceRange;
  /** Area under the ROC curve over held-out scores: 0.5 is chance. */
  readonly heldOutAuc: number;
  /** How far above off-topic pages the user's examples stand when held out, in [0,1]; the drift guard's figure. */
  readonly exampleRank: number;
  readonly features: number;
}

/** Hubs and authorities of one topic that are kept as its best, by a round or by hand. */
export const KEPT_SCORES = 100;

/** Hub and authority scores of one page within its topic's base set, each in [0,1]. */
export interface LinkScore {
  readonly topic: TopicId;
  readonly url: string;
  readonly hub: number;
  readonly authority: number;
}

/** Authority of every page of a topic that has some. */
export interface TopicAuthorities {
  readonly topic: TopicId;
  /** Sequences of pages. */
  readonly pages: readonly number[];
  /** In [0,1], one for each page. */
  readonly scores: readonly number[];
}

/** What words say for (> 0) or against pages of some topics: `weights[i]` belongs to the stem whose `hash32` is `hashes[i]`. */
export interface WordWeights {
  readonly topics: readonly TopicId[];
  readonly hashes: Uint32Array;
  /** On the calibrated scale. */
  readonly weights: Float64Array;
}

/** What is kept of a round: all but the words, which the model's bytes tell as well. */
export function withoutWords({ words: _, ...kept }: RoundRecord): RoundRecord {
  return kept;
}

/** A retraining: the model, what it was trained on, how good it is, what changed. */
export interface RoundRecord {
  readonly kind: 'round';
  readonly sequence: number;
  /** 1, 2, 3, …; the number that assignments carry. */
  readonly model: number;
  /** The serialized model. */
  readonly blob: Uint8Array;
  /** What it says of words, where whoever trained it had that at hand. Never stored. */
  readonly words?: WordWeights;
  readonly training: readonly TrainingEntry[];
  readonly estimates: readonly TopicEstimate[];
  readonly admitted: readonly { readonly key: string; readonly topic: TopicId; readonly origin: TrainingOrigin }[];
  readonly dropped: readonly { readonly key: string; readonly topic: TopicId }[];
  /** Candidates that the drift guard took back, since they are unlike the user's examples; absent in rounds of older versions. */
  readonly refused?: readonly { readonly key: string; readonly topic: TopicId }[];
  /** Best hubs and authorities of each topic when the round began, best first, at most 100 of each a topic. */
  readonly links: readonly LinkScore[];
  /** Authorities of all pages of some topics, for the store to keep beside `links`. The journal does not tell them again. */
  readonly authorities?: readonly TopicAuthorities[];
  /** Unvisited links of the best hubs, moved to the front of their topic's queue. */
  readonly boosted: readonly { readonly url: CanonicalUrl; readonly topic: TopicId; readonly from: string }[];
  /** The drift guard undid the round: `blob` is the model before, `admitted` was not kept. */
  readonly undone: boolean;
  readonly reason: string;
  readonly at: number;
  /** Sequence of the last judgement of a page that training knew of; absent in rounds of older versions. */
  readonly judgedAt?: number;
}

export type Phase = 'bootstrap' | 'learning' | 'harvesting' | 'done';

/** Phases as a person is told of them. */
export const PHASE_NAMES: Readonly<Record<Phase, string>> = {
  bootstrap: 'fetching training pages',
  learning: 'learning phase',
  harvesting: 'harvesting phase',
  done: 'done',
};

/** A phase began. */
export interface PhaseRecord {
  readonly kind: 'phase';
  readonly sequence: number;
  readonly phase: Phase;
  readonly reason: string;
  readonly at: number;
}

/** A process began to work on the crawl: a new crawl or a resumed one. */
export interface RunRecord {
  readonly kind: 'run';
  readonly sequence: number;
  readonly at: number;
  /** The settings in force, as JSON, for the record. */
  readonly settings: string;
}

/** A person changed something while the crawl ran. */
export interface SteerRecord {
  readonly kind: 'steer';
  readonly sequence: number;
  readonly command: Steer;
  readonly at: number;
}
