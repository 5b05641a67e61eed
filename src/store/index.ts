export {
  type BayesClass,
  type BayesNode,
  BulkBayes,
  type BulkOptions,
  dropKept,
  type PagePosteriors,
} from './in-sql/classify-sql.ts';
export { distillInSql, type RankedPage, type SqlDistillation, type SqlDistillOptions } from './in-sql/distill-sql.ts';
export type { Scratch } from './in-sql/scratch.ts';
export { isStoreEmptied } from './left-behind.ts';
export { lockWorkspace, type WorkspaceLock } from './lock.ts';
export { isMysqlUrl, STORE_URL, STORE_URL_HINT } from './mysql/url.ts';
export { inScratch, openScratch, openStore, requestSteer } from './open.ts';
export type {
  AliasReason,
  AuthorityScores,
  ExportFilter,
  ExportRow,
  LastRun,
  PageFilter,
  PageLink,
  PageScore,
  PathStep,
  PublishedStatus,
  ReadOptions,
  ScoredPage,
  SearchAnswer,
  SearchHit,
  SearchQuery,
  SearchTerm,
  SqlResult,
  SqlValue,
  Store,
  StoreOptions,
  StoreStatus,
  TopicSummary,
  UrlFacts,
} from './store.ts';
export { VIEWS, type ViewName } from './views.ts';
export type { NewVerdict } from './write/verdicts.ts';
