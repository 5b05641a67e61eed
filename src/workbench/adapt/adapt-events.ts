import type { CrawlEvent, OfKind } from '../../core/index.ts';
import type { StandingAnswer } from '../standing/standing-queries.ts';
import type { WorkEvent } from '../watch.ts';
import type { Representative } from './representatives.ts';

/** Why no further crawl was made for a query. */
export type QueryEnd = 'converged' | 'iterations' | 'time' | 'no hits';

/** What an adaptation reports. */
export type AdaptEvent =
  /** The queries are known. `isResumed`: an adaptation that was interrupted continues. */
  | {
      readonly kind: 'planned';
      readonly queries: readonly Representative[];
      readonly pages: number;
      readonly isResumed: boolean;
    }
  /** A crawl for a query begins. Numbers are from 1; `overlap` is missing in the first iteration. */
  | {
      readonly kind: 'query';
      readonly query: string;
      readonly number: number;
      readonly of: number;
      readonly iteration: number;
      readonly starts: number;
      readonly overlap?: number;
    }
  | { readonly kind: 'query-ended'; readonly query: string; readonly why: QueryEnd }
  /** Pages of the new collection so far, about once a second. */
  | { readonly kind: 'progress'; readonly pages: number; readonly of: number }
  | OfKind<CrawlEvent, 'alarm'>
  | WorkEvent
  /** The new collection is in use. */
  | { readonly kind: 'replaced'; readonly pages: number };

/** The outcome of an adaptation. */
export interface AdaptSummary {
  /** False: it was stopped, the old collection is in use, and the same command continues. */
  readonly isReplaced: boolean;
  readonly queries: readonly (Representative & {
    readonly iterations: number;
    /** `null` if it was stopped before. */
    readonly ended: QueryEnd | null;
  })[];
  /** Pages of the new collection, training pages excluded, and how many of them the old one lacks. */
  readonly pages: number;
  readonly newPages: number;
  /** Accepted pages. */
  readonly relevant: number;
  /** Marks of the user whose pages could not be fetched. */
  readonly lostMarks: readonly string[];
  readonly elapsedMs: number;
  /** What standing queries found for the first time. */
  readonly standing: readonly StandingAnswer[];
}

/** What an adaptation would do, and what it costs at most. */
export interface AdaptPlan {
  readonly queries: readonly Representative[];
  /** Pages of the new collection, at most. */
  readonly pages: number;
  readonly pagesPerQuery: number;
  /** Training pages, which are fetched again. */
  readonly trainingPages: number;
  /** Bytes on the disk until the older collection is deleted. `null` for a store on a server. */
  readonly bytes: number | null;
  /** By the speed of the last crawl; `null` if that is unknown. */
  readonly ms: number | null;
  /** An adaptation was interrupted; it continues with its own queries. */
  readonly isResumed: boolean;
}
