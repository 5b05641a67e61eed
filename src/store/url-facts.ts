import type { PageRecord, PageRole, TopicId, Via, VisitRecord } from '../core/index.ts';

/** One fetch on the path from a seed. */
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
  /** Anchor text on the previous page, `''` if unknown. */
  readonly anchor: string;
  readonly depth: number;
  readonly tunnelDepth: number;
  readonly priority: number;
  readonly fetchedAt: number;
}

/** What the store knows about a URL; all fields are empty if it was never seen. */
export interface UrlFacts {
  /** The page to which it led: directly, by a redirect, or as a duplicate. Text and features are empty. */
  readonly page: PageRecord | undefined;
  /** How the URL relates to that page. */
  readonly as: AliasReason | undefined;
  /** Fetches of this URL without a page, in order. */
  readonly visits: readonly VisitRecord[];
  /** Pages that link to it, oldest first, at most 100. */
  readonly linkedFrom: readonly {
    readonly sequence: number;
    readonly url: string;
    readonly anchor: string;
    /** Role of the fetched page: links of `others` are never followed. */
    readonly role: PageRole;
    /** The page asks not to follow the link. */
    readonly nofollow: boolean;
  }[];
  /** For a URL that was never fetched: the last fetch from its host, if it failed because of the host. */
  readonly hostTrouble: VisitRecord | undefined;
}

/** How a URL relates to a page: its own URL, a redirect, or a copy of the page. */
export type AliasReason = 'page' | 'redirect' | 'duplicate';
