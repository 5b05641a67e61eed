export { AnalysisPool } from './analysis-pool.ts';
export { Crawl, type CrawlOptions, type CrawlSummary, type StopReason } from './crawl.ts';
export {
  type Effect,
  EffectSample,
  EffectTally,
  type JudgedPage,
  judgeAgain,
  type PageSource,
  placeName,
  type StoredPage,
  type Verdicts,
} from './effect.ts';
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
export { type RebuildOptions, type RebuiltPage, rebuildFeatures, WholeDocuments } from './rebuild-features.ts';
export { planRecheck, type RecheckPlan, recheckAt } from './recheck.ts';
export type { RecheckCounts } from './recheck-queue.ts';
export type { Nominee } from './rounds.ts';
export { Surroundings, surroundedFeatures, UNLIMITED } from './surroundings.ts';
export type { InlineExample } from './trainer-features.ts';
export { TrainerThread } from './trainer-thread.ts';
export { type DeskOptions, type TaughtPage, TrainingDesk, type Trial } from './training-desk.ts';
export { type Judgements, paragraphsOf } from './training-items.ts';
