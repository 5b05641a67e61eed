import type { OrderingName } from '../../core/index.ts';
import type { RunArchetype, RunMeasures } from './run-measures.ts';

/** One page of a run, in the order of fetching. */
export interface RunPage {
  /** As the archive writes it. */
  readonly url: string;
  /** The topic that the crawl put it into; `null` for OTHERS. */
  readonly topic: string | null;
  readonly confidence: number;
}

/** One crawl of one task under one ordering, as `results.json` keeps it. */
export interface TaskRun {
  readonly task: string;
  readonly ordering: OrderingName;
  readonly fetched: readonly RunPage[];
  readonly archetypes: readonly RunArchetype[];
  readonly measures: RunMeasures;
}

/** A run with its curve, which the report draws. */
export interface ScoredRun {
  readonly run: TaskRun;
  /** Relevant pages found after each fetch; the first item is 0. */
  readonly curve: Uint32Array;
}
