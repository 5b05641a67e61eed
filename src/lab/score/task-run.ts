import type { OrderingName } from '../../core/index.ts';
import type { RunArchetype, RunMeasures } from './run-measures.ts';
import type { SpreadFigures } from './spread-figures.ts';

/** One page of a run, in the order of fetching. */
export interface RunPage {
  /** As written in the archive. */
  readonly url: string;
  /** The topic assigned by the crawl; `null` for OTHERS. */
  readonly topic: string | null;
  readonly confidence: number;
}

/** One crawl of one task under one ordering, as stored in `results.json`. */
export interface TaskRun {
  readonly task: string;
  readonly ordering: OrderingName;
  readonly fetched: readonly RunPage[];
  readonly archetypes: readonly RunArchetype[];
  readonly measures: RunMeasures;
  /** Missing unless the crawl was spread. */
  readonly spread?: SpreadFigures;
}

/** A run with its curve, for the report. */
export interface ScoredRun {
  readonly run: TaskRun;
  /** Relevant pages found after each fetch; the first item is 0. */
  readonly curve: Uint32Array;
}
