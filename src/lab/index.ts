export type { AdaptedSystem, DayFigures, OpenSystem } from './adapt/adapt-days.ts';
export { type Asked, type Drift, drawQueries } from './adapt/drifting-queries.ts';
export type { LabIo } from './io.ts';
export { type AdaptWorld, type LabAdaptOptions, labAdapt } from './lab-adapt.ts';
export { CATALOGUE_GOAL, type CatalogueScore, labCatalogues } from './lab-catalogues.ts';
export { type LabOrderOptions, labOrder } from './lab-order.ts';
export { DEFAULT_LAB_ORDERINGS, type LabRunOptions, labRun } from './lab-run.ts';
export { type LabServeOptions, labServe } from './lab-serve.ts';
export { type LabTableOptions, labTable } from './lab-table.ts';
export { type LabTasksOptions, labTasks } from './lab-tasks.ts';
export { type LabTranslationsOptions, labTranslations } from './lab-translations.ts';
export {
  type MakeTasksOptions,
  makeTasks,
  redrawTasks,
  renderTasks,
  TASK_PARTS,
  type TaskMaterial,
  type TaskPart,
} from './make-tasks.ts';
export { ORDER_MEASURES, type OrderWeights } from './order/importance.ts';
export { ORDER_MODELS } from './order/models.ts';
export { BASE_ORDERINGS, QUEUE_RULES, readOrdering, type VirtualOrdering } from './order/virtual-crawl.ts';
export { type PackageWebServer, servePackageWeb } from './packages/package-server.ts';
export { buildPackageWeb, hostOfPackage, type PackageWeb } from './packages/package-web.ts';
export { CATALOGUE_KINDS, type CatalogueKind } from './park/catalogue-items.ts';
export { catalogueWeb } from './park/catalogues.ts';
export { type ParkScore, readVisits, renderScore, scorePark } from './park/park-score.ts';
export { type ParkServer, type ParkVisit, type ServeParkOptions, servePark } from './park/park-server.ts';
export {
  FARM_KINDS,
  type ParkAnswer,
  PLAUSIBLE_KINDS,
  type Place,
  TRAP_KINDS,
  type TrapKind,
} from './park/park-site.ts';
export { RELEVANT_PAGES, TrapPark } from './park/trap-park.ts';
export { type AnalyzedWeb, linkGraph, type PageAnalysis, WebAnalyst } from './run/analyzed-web.ts';
export { labelsPath } from './run/loaded-web.ts';
export { MemoryJournal } from './run/memory-journal.ts';
export { type LabSettings, type RunOptions, runTask, taskConfig } from './run/run-task.ts';
export { GROUPINGS, type Grouping } from './score/group-figures.ts';
export { changeTable, differenceTable, groupTables } from './score/group-table.ts';
export {
  averagePrecision,
  type ClassifierQuality,
  classifierQuality,
  foundCurve,
  harvestRateAt,
  type Judgement,
  recallArea,
  recallAt,
  shareOnTopic,
} from './score/measures.ts';
export { type Result, readResults, type TaskFacts } from './score/results.ts';
export type { AtCheckpoints, RunArchetype, RunMeasures } from './score/run-measures.ts';
export { bootstrapMean, type Interval, mean } from './score/statistics.ts';
export type { RunPage, ScoredRun, TaskRun } from './score/task-run.ts';
export { type DnsServer, serveDns, type Zone } from './serve/dns-server.ts';
export { drawFault, type Fault, type FaultSettings, NO_FAULTS } from './serve/faults.ts';
export { type FrozenServer, type ServeOptions, serveFrozenWeb } from './serve/frozen-server.ts';
export type { Certificate } from './serve/self-signed.ts';
export { isLabelled, type Labels, parseLabels, readLabels } from './tasks/labels.ts';
export { type FrozenCrawl, frozenCrawl, type JudgedAddress, type OwnCrawl } from './tasks/own-crawl.ts';
export { type LinkGraph, type Truth, truthOf } from './tasks/relevance.ts';
export { REVIEW_ORDERS, type ReviewOptions, type ReviewOrder } from './tasks/reviewer.ts';
export { parseTasks, readTasks, type Task, type TaskTopic, taskTree } from './tasks/task.ts';
export { ArchiveFetcher } from './web/archive-fetcher.ts';
export { type FrozenPage, FrozenWeb, type OpenWebOptions, webName } from './web/frozen-web.ts';
