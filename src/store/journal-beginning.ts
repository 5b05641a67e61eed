import type { JournalRecord, TopicId } from '../core/index.ts';

/** What the records before a sequence amount to, without reading each of them. */
export interface JournalBeginning {
  /** Runs, phases, changes by people, and the last round, in order. */
  readonly records: readonly JournalRecord[];
  /** Pages that count for the harvest rate, in order of `part`; a part has several groups. */
  readonly pages: readonly PageGroup[];
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
