export { AnalysisPool, analysisThreads } from './analysis/analysis-pool.ts';
export { Surroundings, surroundedFeatures, UNLIMITED } from './analysis/link-context.ts';
export { type AnalyzerSettings, analyzerSettings, PageAnalyzer } from './analysis/page-analyzer.ts';
export { recordDigest } from './checkpoints/digests.ts';
export { Crawl } from './crawl.ts';
export type { CrawlOptions, CrawlSummary } from './crawl-options.ts';
export { Faults } from './extensions/faults.ts';
export { errorText, extensionPlace, loadExtensions } from './extensions/load.ts';
export { runExtensions } from './extensions/missing.ts';
export { extensionTopics } from './extensions/page-extensions.ts';
export { emptyExtent, judgeAgain, type PageSource } from './judging/judge-again.ts';
export { JudgingThreads } from './judging/judging-threads.ts';
export { type PageToJudge, placeName, type RejudgedPage, type Verdicts } from './judging/page-judge.ts';
export { offlineState } from './offline-state.ts';
export type {
  Analysis,
  Analyzer,
  CheckpointDraft,
  CheckpointHeader,
  CheckpointStore,
  DecisionMode,
  Fetcher,
  Journal,
  PageContext,
  PageReader,
  ReaderQuestion,
  ReaderReply,
  StoredCheckpoint,
  Trainer,
  TrainingItem,
  TrainingRequest,
} from './ports.ts';
export { QUESTION_ORDERS, type QuestionOrder } from './questions/choose-question.ts';
export type { AskOptions } from './questions/questions.ts';
export { type WaitingLinkPlace, type WaitingPlacePorts, waitingLinks, waitingPlace } from './queue-position.ts';
export { type LinkScores, planRecheck, type RecheckPlan } from './recheck/recheck.ts';
export type { StaleExample } from './recheck/rechecking.ts';
export { type Effect, EffectSample, EffectTally } from './review-session/decision-effect.ts';
export { type DeskOptions, type TaughtPage, TrainingDesk, type Trial } from './review-session/review-session.ts';
export { type OfflineWhole, offlineWhole, type PlaceFetch, placing } from './spread/gathered.ts';
export { Granting, type GrantQuestion, sumGrants } from './spread/grants.ts';
export { Budgets } from './state/budgets.ts';
export type { Backlinks } from './state/further-links.ts';
export { readSettings, settingAt, settingsText } from './steering/setting-changes.ts';
export { TopicNames } from './steering/topic-names.ts';
export { ModelTrainer } from './training/model-trainer.ts';
export { rebuildFeatures, WholeDocuments } from './training/rebuild-features.ts';
export { type SiteMarks, siteMarks } from './training/site-marks.ts';
export { type InlineExample, queryExample } from './training/trainer-features.ts';
export { TrainerThread } from './training/trainer-thread.ts';
export type { UnusedTrainingPage } from './training/training-failures.ts';
export { paragraphsOf } from './training/training-items.ts';
