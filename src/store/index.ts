export {
  type BayesClass,
  type BayesNode,
  BulkBayes,
  type BulkOptions,
  dropKept,
  type PagePosteriors,
} from './classify-sql.ts';
export { distillInSql, type RankedPage, type SqlDistillation, type SqlDistillOptions } from './distill-sql.ts';
export { isStoreEmptied } from './left-behind.ts';
export { lockWorkspace, type WorkspaceLock } from './lock.ts';
export { SCHEMA_VERSION } from './migrations.ts';
export { isMysqlUrl, STORE_URL, STORE_URL_HINT } from './mysql/url.ts';
export { inScratch, openScratch, openStore, requestSteer } from './open.ts';
export type { Scratch } from './scratch.ts';
export {
  ALIAS_REASONS,
  type AliasReason,
  type AuthorityScores,
  type ExportFilter,
  type ExportRow,
  type PageFilter,
  type PageLink,
  type PageScore,
  type PathStep,
  type PublishedStatus,
  type ReadOptions,
  type ScoredPage,
  type SearchAnswer,
  type SearchHit,
  type SearchQuery,
  type SearchTerm,
  type SqlResult,
  type SqlValue,
  type Store,
  type StoreOptions,
  type StoreStatus,
  type TopicSummary,
  type UrlFacts,
} from './store.ts';
export type { NewVerdict } from './verdicts.ts';
export { VIEWS, type ViewName } from './views.ts';
