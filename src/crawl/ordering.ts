import type { Assignment, CanonicalUrl, Link, OrderingName, TopicId, Via, WordWeights } from '../core/index.ts';
import type { Fields } from '../kit/index.ts';
import type { UrlKey } from './url-key.ts';

/** A URL waiting to be fetched, in the queue of one topic. */
export interface FrontierEntry {
  readonly url: CanonicalUrl;
  /** Host with port, as politeness counts it. */
  readonly host: string;
  readonly topic: TopicId;
  readonly priority: number;
  /** Links from the seed. */
  readonly depth: number;
  /** Rejected pages in a row before this one. */
  readonly tunnelDepth: number;
  readonly via: Via;
  /** The page that offered it at its present priority; `''` for seeds. */
  readonly from: string;
  /** Failed tries so far. */
  readonly tries: number;
  /** URLs that redirected here, first one first. */
  readonly redirects: readonly CanonicalUrl[];
}

/** A page after its verdict, as orderings learn from it. */
export interface JudgedPage {
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly host: string;
  readonly title: string;
  /** ISO 639-1 code, or `''` when unknown. Its links are taken to speak the same: their anchors, what is around them, their URLs. */
  readonly language: string;
  readonly assignment: Assignment;
  /** The entry it was fetched for; `undefined` for training pages that were not taken from the frontier. */
  readonly entry: FrontierEntry | undefined;
  readonly links: readonly Link[];
}

/** A link that the focus rule lets through, offered to the ordering. */
export interface LinkOffer {
  readonly url: CanonicalUrl;
  readonly host: string;
  readonly topic: TopicId;
  readonly link: Link;
  readonly page: JudgedPage;
  readonly depth: number;
  readonly tunnelDepth: number;
}

/**
 * Which pages' links are followed while harvesting: `soft`, those of any good topic, and with tunnelling a few behind
 * rejected pages (BINGO! §3.3); `hard`, those of good topics alone (Focused crawling §3.1).
 */
export type FocusMode = 'soft' | 'hard';

/**
 * Decides what is fetched next. Contract: for every page, in order of `sequence`, the engine calls `judged` once and
 * then `priorityOf` once for each followed link; then `changes`, and moves those entries. `gone` is called when an
 * entry leaves the frontier for any reason (taken, evicted). An ordering keeps state for live entries and fetched
 * pages alone, and repeats exactly when the same calls are made again (that is how a crawl resumes).
 */
export interface Ordering {
  readonly name: OrderingName;
  /** True: links pass through the focus rule first (accept, tunnelling). False: every link is offered. */
  readonly focused: boolean;
  /** True: its priorities hold in the learning phase too, which is depth-first otherwise (BINGO! §2.6). */
  readonly ordersLearning?: boolean;
  /** The focus that a focused ordering wants while harvesting. Default: `soft`. */
  readonly focusMode?: FocusMode;
  /** Reads the links of the page that `judged` is called with next, in parts: a page may have thousands. Need not be called. */
  reading?(page: JudgedPage): Iterable<void>;
  judged(page: JudgedPage): void;
  /** The entry's priority given this and all earlier offers of the same URL. Finite. */
  priorityOf(offer: LinkOffer): number;
  /** Entries whose priority changed since the last call, by their URLs. */
  changes(): Iterable<readonly [UrlKey, number]>;
  gone(url: CanonicalUrl): void;
  /** A round's best hubs, by the URLs of their pages; until the next round they are better than any others. */
  hubsFound?(urls: ReadonlySet<CanonicalUrl>): void;
  /** A new page model: what words say of pages. */
  modelChanged?(words: WordWeights): void;
  /** Its state for a checkpoint, between two pages (see `Saved`). Absent: it has none. */
  exchange?(fields: Fields): void;
}
