import type {
  PageFields,
  PageHistory,
  PageNews,
  PageRole,
  TermCounts,
  TopicId,
  TrainingOrigin,
} from '../../core/index.ts';

/** Fields of a stored page used by a portal. */
export interface PortalRow {
  readonly sequence: number;
  readonly url: string;
  readonly finalUrl: string;
  readonly title: string;
  readonly site: string;
  readonly role: PageRole;
  readonly topic: TopicId;
  readonly others: boolean;
  /** NaN if it was not classified. */
  readonly confidence: number;
  readonly relevance: number;
  readonly fetchedAt: number;
  /** The page on which it was found; `''` for a seed. */
  readonly via: string;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  /** What the page says about itself, see `BIBLIOGRAPHY_FIELDS`. */
  readonly fields?: PageFields;
}

/** Parts of a page's content used by a portal. */
export interface PageText {
  readonly text: string;
  readonly terms?: TermCounts;
  /** Maximum snippet length in characters; absent: no limit. */
  readonly maxSnippet?: number;
}

/** A small picture of a page: its file name, and its bytes. */
export interface Thumbnail {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Returns the pictures at some addresses; those that cannot be shown are missing. */
export type ThumbnailSource = (urls: readonly string[]) => Promise<ReadonlyMap<string, Thumbnail>>;

/** Source of a portal, such as a store. */
export interface PortalSource {
  /** Yields every page once, with training pages and those of OTHERS. */
  exportPages(): AsyncIterable<PortalRow>;
  /** Yields recheck results of every page. */
  histories(): AsyncIterable<Pick<PageHistory, 'sequence'> & PageNews>;
  /** Returns pages of one topic with their scores in [0,1], best authorities first. */
  scoredPages(
    topic: TopicId,
  ): Promise<readonly { readonly sequence: number; readonly hub: number; readonly authority: number }[]>;
  /** Yields links of some pages to stored pages. */
  pageLinks(pages: readonly number[]): AsyncIterable<readonly { readonly from: number; readonly to: number }[]>;
  /** Returns the training pages of the last round. */
  training(): Promise<readonly { readonly key: string; readonly topic: TopicId; readonly origin: TrainingOrigin }[]>;
  words(sequences: readonly number[]): Promise<ReadonlyMap<number, PageText>>;
}
