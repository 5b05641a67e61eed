import type {
  Config,
  CrawlEvent,
  CrawlStatus,
  PageHistory,
  RecheckCounts,
  ShardOf,
  StopReason,
  TopicPaths,
  TopicTree,
} from '../core/index.ts';
import type { CheckpointPace } from './checkpoints/checkpointing.ts';
import type { RunExtension } from './extensions/missing.ts';
import type { Analyzer, CheckpointStore, Fetcher, Journal, Trainer } from './ports.ts';
import type { AskOptions } from './questions/questions.ts';
import type { StaleExample } from './recheck/rechecking.ts';
import type { SpentBudgets } from './state/budgets.ts';
import type { Backlinks } from './state/further-links.ts';
import type { InlineExample } from './training/trainer-features.ts';
import type { UnusedTrainingPage } from './training/training-failures.ts';

/** Everything a crawl needs. The caller creates and closes the parts. */
export interface CrawlOptions {
  readonly tree: TopicTree;
  /** Topics of the tree by id. Default: as the journal names them. */
  readonly topics?: TopicPaths | undefined;
  readonly config: Config;
  readonly fetcher: Fetcher;
  readonly analyzer: Analyzer;
  readonly trainer: Trainer;
  readonly journal: Journal;
  /** If missing, a resumed crawl reads its journal from the first record. */
  readonly checkpoints?: CheckpointStore;
  readonly checkpointPace?: CheckpointPace;
  /** Training documents that are not web pages: local files and queries, already analysed. */
  readonly inline?: readonly InlineExample[];
  /** Links from elsewhere: `crawl.backlinks`. */
  readonly backlinks?: Backlinks | undefined;
  /** Extensions with a module that take part. */
  readonly extensions?: readonly RunExtension[] | undefined;
  /** Run only the learning phase, or skip it. */
  readonly only?: 'learn' | 'harvest' | undefined;
  /** Stored pages to fetch again while harvesting, most overdue first. They do not count towards the budget. */
  readonly recheck?: readonly PageHistory[] | undefined;
  /** End once they and the pages they newly link to are fetched, whatever remains of the budget. */
  readonly onlyRecheck?: boolean | undefined;
  /**
   * End harvesting if it finds nothing any more: at once; or after three alarms, the first of which asks the user.
   * Default: never.
   */
  readonly endWhen?: 'barren' | 'alarms' | undefined;
  /**
   * Part of a spread crawl. `home`: it fetches nothing and learns from what the shards fetch. `shard`: it learns nothing
   * and adopts what `home` has learned. Default: neither.
   */
  readonly part?: 'home' | 'shard' | undefined;
  /** Returns the shard that fetches a host, of so many. Default: by the registered domain. */
  readonly shardOf?: ShardOf | undefined;
  /** Number of crawls that request hosts of the same addresses. Default: 1. */
  readonly sharers?: number | undefined;
  /** Ask the user about pages while crawling. Default: no questions. */
  readonly ask?: AskOptions | undefined;
  /** Milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
  readonly onEvent?: (event: CrawlEvent) => void;
}

export interface CrawlSummary {
  readonly reason: StopReason;
  /**
   * False if the run was stopped while reading the journal. Nothing was done, and `status` and `spent` cover part of
   * the journal.
   */
  readonly isResumed: boolean;
  readonly status: CrawlStatus;
  /** Pages to fetch in all, as the user set it. `status` has less if the run only rechecks. */
  readonly budget: number;
  /** Pages fetched by this run. */
  readonly fetchedNow: number;
  /**
   * True if the basis for judging stored pages changed since they were last judged: see
   * `CrawlState.isReclassificationDue`.
   */
  readonly isReclassificationDue: boolean;
  /** True if the run was stopped before its last round was made; the next run makes it. */
  readonly isRoundLeft: boolean;
  readonly spent: SpentBudgets;
  /** Training pages that could not be fetched and so teach nothing; examples first. */
  readonly unusedTraining: readonly UnusedTrainingPage[];
  /** Counts of the recheck; missing if nothing was rechecked. */
  readonly recheck?: RecheckCounts;
  /** Examples whose content changed according to the recheck; missing if nothing was rechecked. */
  readonly staleExamples?: readonly StaleExample[];
}
