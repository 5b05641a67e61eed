import type { Assignment } from './assignment.ts';
import type { AnalyzedDocument, Link, LinkTable } from './document.ts';
import type { CanonicalUrl, TopicId } from './ids.ts';
import type { PackedDocument } from './packed/packed-document.ts';
import type { Steer } from './steer.ts';
import type { TrainingOrigin } from './topic-tree.ts';

/**
 * The journal is the crawl: every record has the next `sequence` (1, 2, 3, …), the store keeps them in that order,
 * and the engine's whole state is computed from them. Resuming a crawl reads its journal again.
 */
export type JournalRecord =
  | PageRecord
  | VisitRecord
  | RoundRecord
  | PhaseRecord
  | RunRecord
  | SteerRecord
  | InboxRecord;

/** How a URL entered the frontier; `recheck`: a stored page is fetched again, with the rest of the origin unchanged. */
export const VIAS = ['seed', 'link', 'hub', 'redirect', 'sitemap', 'recheck'] as const;
export type Via = (typeof VIAS)[number];

/** The frontier entry of a fetch; enough to reconstruct the path from a seed. */
export interface Origin {
  readonly via: Via;
  /** The page on which the link was found; `''` for seeds. */
  readonly from: string;
  /** The topic in whose queue the entry was. */
  readonly topic: TopicId;
  /** Links from the seed: 0 for a seed. */
  readonly depth: number;
  /** Number of rejected pages in a row before this one; 0 after an accepted page. */
  readonly tunnelDepth: number;
  /** The priority at which it was taken from the queue. */
  readonly priority: number;
}

/** Purpose of a page: found by the crawl, or fetched for training. */
export type PageRole = 'crawled' | 'example' | 'others';

/** A page that was fetched, analysed and classified. */
export interface PageRecord {
  readonly kind: 'page';
  readonly sequence: number;
  readonly url: CanonicalUrl;
  /** Differs from `url` after a redirect; `url` is then the first URL requested. */
  readonly finalUrl: CanonicalUrl;
  /** Every redirect on the way, starting with `url`, without `finalUrl`; empty without redirects. */
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
   * The large parts of the document, packed by the analysis. `document` then has no text, and only the features that
   * the engine itself reads. The memory is transferred to the store: do not read it after the record was appended.
   */
  readonly packed?: PackedDocument;
  readonly assignment: Assignment;
}

/** A fetch without a page. Recorded so that nothing is fetched twice and `bingo why` can explain it. */
export interface VisitRecord {
  readonly kind: 'visit';
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly origin: Origin;
  /** Only for rechecks: `unchanged`; `missing`, reported as not found; `gone`, reported often enough to count. */
  readonly result: 'redirected' | 'refused' | 'failed' | 'duplicate' | 'unchanged' | 'noindex' | 'missing' | 'gone';
  /**
   * Reason code: a `Refusal`, a failure reason, or how the duplicate was detected. For a recheck's redirect, `merged`
   * if its target is a stored page; `elsewhere` for a page that is missing because it temporarily redirects to
   * another site.
   */
  readonly reason: string;
  readonly detail: string;
  readonly status: number;
  /** Redirect target; else `''`. */
  readonly target: string;
  /** For a duplicate: sequence of the page with the same content; for other rechecks: of the page; else 0. */
  readonly page: number;
  /** For a failure: true if the entry returned to the frontier. */
  readonly retried: boolean;
  readonly fetchedAt: number;
  /** Links of a page that asks not to be stored (`noindex`) but allows following links; nothing else is kept. */
  readonly links?: LinkTable;
  /** ISO 639-1 code of this page, or `''` if unknown; used to read its links. */
  readonly language?: string;
  /** New version name of a page that a recheck found unchanged. The journal holds it once. */
  readonly version?: PageVersion;
}

/** How a server identifies a version of a page; `''` = unknown. */
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
  /** The topic; for OTHERS, the node whose OTHERS it trains. */
  readonly topic: TopicId;
  readonly origin: TrainingOrigin;
  /** Held-out, calibrated confidence after this round; NaN if unknown. */
  readonly confidence: number;
}

/** A record that names a topic, see `name-topic`. */
export interface TopicNaming {
  readonly sequence: number;
  readonly id: string;
  /** Its path in later records; the root: it was removed. */
  readonly topic: TopicId;
}

/** The 95 % confidence interval of a share; both bounds in [0,1]. */
export interface ConfidenceRange {
  readonly low: number;
  readonly high: number;
}

/** How well a topic is recognised, measured on held-out pages. */
export type TopicGrade = 'good' | 'fair' | 'weak' | 'too few examples';

/** Quality estimate of one topic's classifier after a round. */
export interface TopicEstimate {
  readonly topic: TopicId;
  readonly positives: number;
  readonly negatives: number;
  /** xi-alpha precision and recall (Joachims 2000), in [0,1]; NaN if undefined. */
  readonly xiAlphaPrecision: number;
  readonly xiAlphaRecall: number;
  /** Held-out: leave-one-out or 5-fold. */
  readonly heldOutPrecision: number;
  readonly heldOutRecall: number;
  readonly heldOutMethod: 'leave-one-out' | '5-fold' | 'none';
  /**
   * 95 % confidence intervals of the two, from the number of training pages (Wilson's interval); absent in rounds of
   * older versions. They ignore how much the web differs from the training pages.
   */
  readonly heldOutPrecisionRange?: ConfidenceRange;
  readonly heldOutRecallRange?: ConfidenceRange;
  /** Area under the ROC curve over held-out scores: 0.5 is chance. */
  readonly heldOutAuc: number;
  /** Rank of the user's held-out examples among off-topic pages, in [0,1]; used by the drift guard. */
  readonly exampleRank: number;
  readonly features: number;
}

/** Number of best hubs and authorities kept per topic. */
export const KEPT_SCORES = 100;

/** Hub and authority scores of one page within its topic's base set, each in [0,1]. */
export interface LinkScore {
  readonly topic: TopicId;
  readonly url: string;
  readonly hub: number;
  readonly authority: number;
}

/** Authority of every page of a topic with a score. */
export interface TopicAuthorities {
  readonly topic: TopicId;
  /** Sequences of pages. */
  readonly pages: readonly number[];
  /** In [0,1], one per page. */
  readonly scores: readonly number[];
}

/**
 * Weight of words for (> 0) or against pages of some topics: `weights[i]` belongs to the stem whose `hash32` is
 * `hashes[i]`.
 */
export interface WordWeights {
  readonly topics: readonly TopicId[];
  readonly hashes: Uint32Array;
  /** On the calibrated scale. */
  readonly weights: Float64Array;
}

/** Returns where the text of a fetch is stored: for a duplicate, the sequence of its original. */
export function originalPlace(record: JournalRecord): number {
  return record.kind === 'visit' && record.result === 'duplicate' ? record.page : record.sequence;
}

/** Returns the stored part of a round: everything but the words, which the model's bytes also contain. */
export function withoutWords({ words: _, ...kept }: RoundRecord): RoundRecord {
  return kept;
}

/** A retraining: the model, its training pages, its quality, the changes. */
export interface RoundRecord {
  readonly kind: 'round';
  readonly sequence: number;
  /** 1, 2, 3, …; the number that assignments carry. */
  readonly model: number;
  /** The serialized model. */
  readonly blob: Uint8Array;
  /** Word weights of the model, if already computed. Never stored. */
  readonly words?: WordWeights;
  readonly training: readonly TrainingEntry[];
  readonly estimates: readonly TopicEstimate[];
  readonly admitted: readonly { readonly key: string; readonly topic: TopicId; readonly origin: TrainingOrigin }[];
  readonly dropped: readonly { readonly key: string; readonly topic: TopicId }[];
  /**
   * Candidates rejected by the drift guard because they are unlike the user's examples; absent in rounds of older
   * versions.
   */
  readonly refused?: readonly { readonly key: string; readonly topic: TopicId }[];
  /** Best hubs and authorities of each topic at the start of the round, best first, at most 100 of each per topic. */
  readonly links: readonly LinkScore[];
  /**
   * Authorities of all pages of some topics, stored in addition to `links`. Reading the journal does not return them.
   */
  readonly authorities?: readonly TopicAuthorities[];
  /** Unvisited links of the best hubs, moved to the front of their topic's queue. */
  readonly boosted: readonly { readonly url: CanonicalUrl; readonly topic: TopicId; readonly from: string }[];
  /** The drift guard rolled back the round: `blob` is the previous model, `admitted` was discarded. */
  readonly undone: boolean;
  readonly reason: string;
  readonly at: number;
  /** Sequence of the last user decision on a page that training used; absent in rounds of older versions. */
  readonly judgedAt?: number;
}

export type Phase = 'bootstrap' | 'learning' | 'harvesting' | 'done';

/** Phases by the names shown to the user. */
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

/** A process started to work on the crawl, new or resumed. */
export interface RunRecord {
  readonly kind: 'run';
  readonly sequence: number;
  readonly at: number;
  /** The settings in force, as JSON. */
  readonly settings: string;
}

/** The user changed something while the crawl ran. */
export interface SteerRecord {
  readonly kind: 'steer';
  readonly sequence: number;
  readonly command: Steer;
  readonly at: number;
}

/** What one shard sends to another, or to all others. */
export interface Parcel {
  /** Pages with those of their links that lead to the other shard. */
  readonly pages: readonly SentPage[];
  /** Addresses to which pages of this shard redirect. */
  readonly redirects: readonly SentEntry[];
  /** What its pages taught about links. */
  readonly lessons: readonly Lesson[];
}

/** Joins parcels for one shard, in order. */
export function joinParcels(parcels: readonly Parcel[]): Parcel {
  return {
    pages: parcels.flatMap(({ pages }) => pages),
    redirects: parcels.flatMap(({ redirects }) => redirects),
    lessons: parcels.flatMap(({ lessons }) => lessons),
  };
}

/** A judged page, as far as following its links needs it. */
export interface SentPage {
  readonly url: CanonicalUrl;
  readonly host: string;
  readonly title: string;
  readonly language: string;
  readonly assignment: Assignment;
  readonly entry: SentEntry | undefined;
  readonly links: readonly Link[];
  readonly orderedBy?: string;
  /** All its links. */
  readonly whole: WholePage;
}

/** What the shard that judged a page knows about all its links. */
export interface WholePage {
  /** Number of links. */
  readonly links: number;
  /** Links to fetched pages: where on the page each stands, in 32nds of it, and the relevance of its page. */
  readonly known: readonly (readonly [stretch: number, relevance: number])[];
}

/** What a fetched page taught about links. All shards learn from it. */
export interface Lesson {
  readonly url: CanonicalUrl;
  /** Relevance of the page. */
  readonly relevance: number;
  /** What was known about the link to the page before it was fetched; `undefined` if no link led to it. */
  readonly link: FollowedLink | undefined;
  /** Hashes of the page's words that are still rare in the crawl, ascending. */
  readonly words: readonly number[];
  /** Some of its links to fetched pages. */
  readonly known: readonly KnownLink[];
}

/** A link to a fetched page. */
export interface KnownLink {
  /** As in {@link FollowedLink}. */
  readonly words: readonly (readonly number[])[];
  /** Of the page behind it. */
  readonly relevance: number;
}

/** A link as the model of an ordering saw it. */
export interface FollowedLink {
  readonly features: readonly number[];
  /** Hashes of the words of its texts. */
  readonly words: readonly (readonly number[])[];
  /** Keys of the pages that offered it, and where on each it stands, in 32nds of the page. */
  readonly offers: readonly (readonly [page: number, stretch: number])[];
}

/** An address, and how it was found. */
export interface SentEntry extends Origin {
  readonly url: CanonicalUrl;
  readonly host: string;
}

/** Links arrived from another shard of a spread crawl. */
export interface InboxRecord {
  readonly kind: 'inbox';
  readonly sequence: number;
  /** The shard that sent them. */
  readonly source: number;
  /** Sequence of the record there with which they were stored; later parcels have greater ones. */
  readonly upto: number;
  readonly parcel: Parcel;
  readonly at: number;
}
