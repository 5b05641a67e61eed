export type { CandidatePage } from './candidates.ts';
export { type CatalogQueries, catalogQueries } from './catalog.ts';
export { CheckpointFiles, type Checkpoints, copyCheckpoint } from './checkpoint-files.ts';
export {
  COLLECTION_FILE,
  type Collections,
  collectionFolder,
  collectionsOf,
  collectionUrl,
  newCollection,
  otherCollections,
  switchCollection,
} from './collections.ts';
export type {
  ExchangeState,
  StoredFetch,
  StoredParcel,
} from './exchange-state.ts';
export { BulkBayes, type BulkOptions, dropKept, type PagePosteriors } from './in-sql/classify-sql.ts';
export { distillInSql, type RankedPage, type SqlDistillation, type SqlDistillOptions } from './in-sql/distill-sql.ts';
export type { OutsideLink } from './in-sql/outside-links.ts';
export type { Scratch } from './in-sql/scratch.ts';
export type { BestPage, PageGroup } from './journal-beginning.ts';
export { lockWorkspace, type WorkspaceLock } from './lock.ts';
export { isMysqlUrl, STORE_URL, STORE_URL_HINT } from './mysql/url.ts';
export {
  copyStore,
  deleteCheckpointCopy,
  deleteCollections,
  deleteStore,
  inScratch,
  joinMembers,
  type Members,
  openCheckpoints,
  openScratch,
  openStore,
  requestSteer,
} from './open.ts';
export { isStoreEmptied } from './orphaned-store.ts';
export { PAGE_ORDERS, type PageFacets, type PageOrder } from './page-window.ts';
export { MISSED_KINDS, type MissedKind, type MissedPages } from './read/missed.ts';
export type { NewsRow, StoredNews } from './read/news.ts';
export type {
  DocumentFrequencies,
  FieldCondition,
  PageFilter,
  SearchHit,
  SearchQuery,
  UnfetchedPage,
  VoteQuery,
} from './search-query.ts';
export type {
  ExportFilter,
  ExportRow,
  LastRun,
  PackedPageRow,
  PageScore,
  ReadOptions,
  SqlResult,
  SqlValue,
  Store,
  StoreOptions,
  StoreStatus,
  TopicSummary,
} from './store.ts';
export type { StoreCheckEvent, StorePart, StoreProblem } from './store-problem.ts';
export type { PathStep, UrlFacts } from './url-facts.ts';
export { VIEWS } from './views.ts';
export { asksFrontier, type SqlOptions, type WaitingRow } from './waiting-links.ts';
