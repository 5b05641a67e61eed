export { AnalysisPool } from './analysis-pool.ts';
export { Crawl, type CrawlOptions, type CrawlSummary, type StopReason } from './crawl.ts';
export { ModelTrainer, type TrainerSettings } from './model-trainer.ts';
export { type AnalyzerSettings, analyzerSettings, PageAnalyzer, pageSpaces } from './page-analyzer.ts';
export type {
  Analysis,
  Analyzer,
  DecisionMode,
  Fetcher,
  Journal,
  PageContext,
  Trainer,
  TrainingItem,
  TrainingRequest,
  TrainingResult,
} from './ports.ts';
export { type RebuildOptions, type RebuiltPage, rebuildFeatures } from './rebuild-features.ts';
export type { InlineExample } from './rounds.ts';
export { Surroundings, surroundedFeatures, UNLIMITED } from './surroundings.ts';
export { TrainerThread } from './trainer-thread.ts';
