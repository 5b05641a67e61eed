import type {
  Assignment,
  CanonicalUrl,
  Lesson,
  Link,
  OrderingName,
  TopicId,
  Via,
  WholePage,
  WordWeights,
} from '../core/index.ts';
import type { Fields } from '../kit/index.ts';
import type { UrlKey } from './url-key.ts';

/** A URL waiting to be fetched, in the queue of one topic. */
export interface FrontierEntry {
  readonly url: CanonicalUrl;
  /** Host with port, as used for politeness. */
  readonly host: string;
  readonly topic: TopicId;
  readonly priority: number;
  /** Number of links from the seed. */
  readonly depth: number;
  /** Consecutive rejected pages before this one. */
  readonly tunnelDepth: number;
  readonly via: Via;
  /** The page that offered it with its current priority; `''` for seeds. */
  readonly from: string;
  /** Failed tries so far. */
  readonly tries: number;
  /** URLs that redirected here, in order. */
  readonly redirects: readonly CanonicalUrl[];
}

/** A judged page, as orderings learn from it. */
export interface JudgedPage {
  readonly sequence: number;
  readonly url: CanonicalUrl;
  readonly host: string;
  readonly title: string;
  /**
   * ISO 639-1 code, or `''` if unknown. Anchors, surrounding text and URLs of its links are assumed to be in the same
   * language.
   */
  readonly language: string;
  readonly assignment: Assignment;
  /** The entry it was fetched for; `undefined` for training pages that did not come from the frontier. */
  readonly entry: FrontierEntry | undefined;
  readonly links: readonly Link[];
  /** The extension that gave its links priorities, if any. */
  readonly orderedBy?: string;
  /** Only for a page that another shard judged: `links` are some of these. */
  readonly whole?: WholePage;
}

/** A link that passed the focus rule, offered to the ordering. */
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
 * Decides whose links are followed while harvesting. `soft`: links of pages of any good topic and, with tunnelling, a
 * few steps behind rejected pages (BINGO! §3.3). `hard`: only links of pages of good topics (Focused crawling §3.1).
 */
export type FocusMode = 'soft' | 'hard';

/**
 * Decides what is fetched next. Contract: for every page, in order of `sequence`, the engine calls `judged` once,
 * then `priorityOf` once per followed link, then `changes`, and moves the changed entries. `gone` is called if an
 * entry leaves the frontier for any reason (taken, evicted). An ordering keeps state only for live entries and
 * fetched pages. It repeats exactly if the same calls are made again, which is how a crawl resumes.
 */
export interface Ordering {
  readonly name: OrderingName;
  /** True: links must pass the focus rule first (accept, tunnelling). False: every link is offered. */
  readonly focused: boolean;
  /** True: its priorities also apply in the learning phase, which is depth-first otherwise (BINGO! §2.6). */
  readonly ordersLearning?: boolean;
  /** The focus of a focused ordering while harvesting. Default: `soft`. */
  readonly focusMode?: FocusMode;
  /**
   * Reads the links of the page that `judged` receives next, in parts, since a page may have thousands. Optional to
   * call.
   */
  reading?(page: JudgedPage): Iterable<void>;
  judged(page: JudgedPage): void;
  /** Returns the entry's priority, given this and all earlier offers of the same URL. Finite. */
  priorityOf(offer: LinkOffer): number;
  /** Returns entries whose priority changed since the last call, by URL key. */
  changes(): Iterable<readonly [UrlKey, number]>;
  gone(url: CanonicalUrl): void;
  /** Sets a round's best hubs, by page URL. They rank above all others until the next round. */
  hubsFound?(urls: ReadonlySet<CanonicalUrl>): void;
  /** Sets the word weights of a new page model. */
  modelChanged?(words: WordWeights): void;
  /** Returns what other shards may learn from the page that `judged` received last. */
  lesson?(page: JudgedPage): Lesson;
  /** Returns what is known about the links of that page, for another shard that gets some of them. */
  wholeOf?(page: JudgedPage): WholePage;
  /** Learns from a page of another shard. Unlike with `judged`, its links are not offered. */
  learn?(lesson: Lesson): void;
  /** Saves or restores its state for a checkpoint, between two pages (see `Saved`). Absent: it has no state. */
  exchange?(fields: Fields): void;
}
