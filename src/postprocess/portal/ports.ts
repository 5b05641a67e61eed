import type { DocumentFeatures, PageHistory, PageNews, PageRole, TopicId, TrainingOrigin } from '../../core/index.ts';

/** A stored page as a portal needs it. */
export interface PortalRow {
  readonly sequence: number;
  readonly url: string;
  readonly finalUrl: string;
  readonly title: string;
  readonly site: string;
  readonly role: PageRole;
  readonly topic: TopicId;
  readonly others: boolean;
  /** NaN when it was not judged. */
  readonly confidence: number;
  readonly relevance: number;
  readonly fetchedAt: number;
  /** The page it was found on; `''` for a seed. */
  readonly via: string;
  /** ISO 639-1; `''` when unknown. */
  readonly language: string;
}

/** What a portal needs of a page's content. */
export interface PortalDocument {
  readonly text: string;
  /** ISO 639-1; `''` when unknown. */
  readonly language: string;
  readonly features: DocumentFeatures;
  /** Characters of a passage that may be shown at the most; absent: no limit. */
  readonly maxSnippet?: number;
}

/** What a portal is made from; a store fits. */
export interface PortalSource {
  /** Every page once, training pages and those of OTHERS included. */
  exportPages(): AsyncIterable<PortalRow>;
  /** What rechecks told about every page. */
  histories(): AsyncIterable<Pick<PageHistory, 'sequence'> & PageNews>;
  /** Pages of one topic with their scores in [0,1], best authorities first. */
  scoredPages(
    topic: TopicId,
  ): Promise<readonly { readonly sequence: number; readonly hub: number; readonly authority: number }[]>;
  /** The pages that the topics were learned from at last. */
  training(): Promise<readonly { readonly key: string; readonly topic: TopicId; readonly origin: TrainingOrigin }[]>;
  documents(sequences: readonly number[]): Promise<ReadonlyMap<number, PortalDocument>>;
}
