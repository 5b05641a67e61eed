/**
 * Bingo as a library: crawls a workspace, searches and explains what is stored.
 *
 * @packageDocumentation
 */
export {
  BingoError,
  type ClassifierExtension as PageClassifier,
  type CrawlStatus,
  type ExtensionLink,
  type ExtensionPage,
  type ExtensionTopic,
  type ExtractorExtension as Extractor,
  type FieldValue,
  InputError,
  type JudgedExtensionPage,
  type LinkPriorities,
  type Mistake,
  type OrderingExtension as LinkOrdering,
  type PageFields,
  type PageJudgement,
  type Question,
  type QuestionAnswer,
  type SteerCommand,
  type TopicVotes,
  UsageError,
  WorkspaceLockedError,
} from '../core/index.ts';
export type { PageFacets, PageOrder, SqlValue, UnfetchedPage } from '../store/index.ts';
export type { AdaptEvent, AdaptSummary, QueryEnd } from './adapt/adapt-events.ts';
export type { AdaptOptions } from './adapt/adapt-workspace.ts';
export type { AdaptChoice } from './adapt/plan-adapt.ts';
export type { Representative, Sample } from './adapt/representatives.ts';
export type { WorkspaceCheck } from './check/check-workspace.ts';
export type { ClassifiedDocument } from './classify/classify-document.ts';
export type {
  EventSink,
  Extension,
  PageEvent,
  RoundEvent,
  VisitEvent,
  WorkspaceCrawlEvent as CrawlEvent,
  WorkspaceCrawlSummary as CrawlSummary,
} from './crawl/crawl-events.ts';
export type { UrlRow } from './explain/explain-url.ts';
export type { WorkspaceStatus } from './explain/workspace-status.ts';
export type { ExportOptions, TextFormat } from './export/page-export.ts';
export type { WritePortalOptions as PortalOptions } from './export/portal.ts';
export type { FindNews } from './find/find-workspace.ts';
export type { ServiceResult } from './find/search-service.ts';
export type { MarkResult } from './judging/apply-decisions.ts';
export type { ChangeRow, EstimateRow } from './judging/change-row.ts';
export type { Marks } from './judging/marks.ts';
export type {
  ClusterRow,
  SettingRow,
  TopicKnowledge,
  TopicRow,
} from './library/answers.ts';
export type { CrawlRun } from './library/crawl-run.ts';
export type { FindAnswer, FindEvent, FindOptions, FindRun } from './library/find-run.ts';
export {
  createWorkspace,
  type OpenWorkspace as Workspace,
  openWorkspace,
} from './library/open-workspace.ts';
export type {
  ActionOptions,
  AdoptedCluster,
  CrawlOptions,
  CreateOptions,
  OpenOptions,
  RecheckOptions,
  Settings,
  SqlRows,
  StoredPage,
  WrittenCorpus,
  WrittenPortal,
} from './library/options.ts';
export type { StandingList } from './library/standing-list.ts';
export type { DecideOptions, DecisionMaker, TopicReview } from './library/topic-review.ts';
export type { LoggedQuery, QuerySource } from './queries/query-log.ts';
export type { PageRow } from './reading/page-row.ts';
export type { Decision } from './review/decisions.ts';
export type { FoundProposal as Proposal } from './review/proposals.ts';
export type { Agreement, LoggedDecision, ReviewAudit } from './review/review-log.ts';
export type { ReviewPage, ReviewText, ReviewTopic } from './review/review-page.ts';
export type { BrowsedPages, BrowseOptions, ListedPageRow } from './search/browse-pages.ts';
export type { SearchOptions } from './search/local-search.ts';
export type { PageFilterOptions } from './search/page-filter.ts';
export type { ResultRow } from './search/result-row.ts';
export type { ResultWindow, SearchAnswer } from './search/search-stored.ts';
export type { NewTopic } from './sources/create-workspace.ts';
export type { TopicSource } from './sources/import-topics.ts';
export type { NewDocument } from './sources/keep-documents.ts';
export type { Distillation, DistillOptions } from './sql/distill.ts';
export type { Reclassification, ReclassifyOptions } from './sql/reclassify.ts';
export type { NewFinding, StandingAnswer, StandingQuery } from './standing/standing-queries.ts';
export type { RemovedPage } from './topics/remove-page.ts';
export type { WorkEvent } from './watch.ts';
export type { PageList } from './workspace/listed-pages.ts';
