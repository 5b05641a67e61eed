import type { TopicId } from '../core/index.ts';

export const PAGE_ORDERS = ['relevance', 'newest'] as const;
export type PageOrder = (typeof PAGE_ORDERS)[number];

/** Which pages of an ordered list are wanted. */
export interface WindowQuery {
  readonly order: PageOrder;
  /** Number of pages before the first. */
  readonly offset: number;
  readonly limit: number;
}

/** A page in a list. */
export interface WindowPage {
  readonly sequence: number;
  readonly url: string;
  readonly title: string;
  readonly topic: TopicId;
  readonly others: boolean;
  /** In [0,1]. */
  readonly relevance: number;
  /** Milliseconds since 1970. */
  readonly fetchedAt: number;
}

/** A part of an ordered list of pages. */
export interface PageWindow {
  /** Number of pages in the whole list. */
  readonly total: number;
  readonly pages: readonly WindowPage[];
}

/** Numbers of pages by their values, most pages first. */
export interface PageFacets {
  readonly topic: readonly FacetCount[];
  readonly site: readonly FacetCount[];
  /** Media types. */
  readonly type: readonly FacetCount[];
  readonly language: readonly FacetCount[];
  /** Days of fetching: `2026-01-31` (UTC), newest first. */
  readonly day: readonly FacetCount[];
}

export interface FacetCount {
  readonly value: string;
  readonly pages: number;
}
