import type { CanonicalUrl, JournalRecord, TopicId } from '../core/index.ts';

/** What the records before a sequence amount to, without reading each of them. */
export interface JournalBeginning {
  /** Runs, phases, changes by people, and the last round, in order. */
  readonly records: readonly JournalRecord[];
  /** Pages that count for the harvest rate, in order of `part`; a part has several groups. */
  readonly pages: readonly PageGroup[];
  /** The most relevant accepted pages, best first. */
  readonly best: readonly BestPage[];
}

/** An accepted page, as its stored verdict says. */
export interface BestPage {
  readonly sequence: number;
  readonly finalUrl: CanonicalUrl;
  readonly title: string;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly confidence: number;
  /** In [0,1]. */
  readonly relevance: number;
}

/** Pages of one part of the journal with the same verdict. */
export interface PageGroup {
  /** Which of so many equal parts of the sequences. */
  readonly part: number;
  readonly topic: TopicId;
  readonly others: boolean;
  /** Tenth of the shown relevance, see `relevanceBin`. */
  readonly bin: number;
  readonly pages: number;
  /** Sum over the pages. */
  readonly relevance: number;
}
