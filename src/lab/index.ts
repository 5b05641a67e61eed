export { type AnalyzedWeb, linkGraph, type PageAnalysis, WebAnalyst } from './analyzed-web.ts';
export { ArchiveFetcher } from './archive-fetcher.ts';
export { type DnsServer, serveDns, type Zone } from './dns-server.ts';
export { drawFault, type Fault, type FaultSettings, NO_FAULTS } from './faults.ts';
export { type FrozenServer, type ServeOptions, serveFrozenWeb } from './frozen-server.ts';
export { type FrozenPage, FrozenWeb, type OpenWebOptions } from './frozen-web.ts';
export { differenceTable, GROUPINGS, type Grouping, groupTables } from './group-table.ts';
export type { LabIo } from './io.ts';
export { DEFAULT_LAB_ORDERINGS, type LabRunOptions, labRun } from './lab-run.ts';
export { type LabServeOptions, labServe } from './lab-serve.ts';
export { type LabTableOptions, labTable } from './lab-table.ts';
export { type LabTasksOptions, labTasks } from './lab-tasks.ts';
export { isLabelled, type Labels, parseLabels, readLabels } from './labels.ts';
export {
  type MakeTasksOptions,
  makeTasks,
  redrawTasks,
  renderTasks,
  TASK_PARTS,
  type TaskMaterial,
  type TaskPart,
} from './make-tasks.ts';
export {
  averagePrecision,
  type ClassifierQuality,
  classifierQuality,
  foundAfter,
  foundCurve,
  harvestRateAt,
  type Judgement,
  recallArea,
  recallAt,
  shareOnTopic,
} from './measures.ts';
export { MemoryJournal } from './memory-journal.ts';
export {
  buildPackageWeb,
  hostOfPackage,
  type PackageWeb,
  type PackageWebServer,
  servePackageWeb,
} from './package-web.ts';
export { type ParkScore, readVisits, renderScore, scorePark } from './park/park-score.ts';
export { type ParkServer, type ParkVisit, type ServeParkOptions, servePark } from './park/park-server.ts';
export { FARM_KINDS, type ParkAnswer, type Place, TRAP_KINDS, type TrapKind } from './park/park-site.ts';
export { RELEVANT_PAGES, TrapPark } from './park/trap-park.ts';
export { type LinkGraph, reach, type Truth, truthOf } from './relevance.ts';
export { type Result, readResults, type TaskFacts } from './results.ts';
export type { AtCheckpoints, RunMeasures } from './run-measures.ts';
export { type LabSettings, type RunOptions, runTask, type ScoredRun, taskConfig } from './run-task.ts';
export { type Certificate, selfSigned } from './self-signed.ts';
export { bootstrapMean, type Interval, mean } from './statistics.ts';
export { parseTasks, readTasks, type Task, type TaskTopic, taskTree } from './task.ts';
export type { RunArchetype, RunPage, TaskRun } from './task-run.ts';
export { type ReadWarcOptions, readWarc, type WarcRecord } from './warc.ts';
export { WarcError } from './warc-error.ts';
