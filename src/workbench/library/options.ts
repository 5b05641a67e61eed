import type { SqlValue } from '../../store/index.ts';
import type { Extension } from '../crawl/crawl-events.ts';
import type { ChangeRow } from '../judging/change-row.ts';
import type { PageRow } from '../reading/page-row.ts';
import type { NewTopic } from '../sources/create-workspace.ts';
import type { TopicSource } from '../sources/import-topics.ts';
import type { NewDocument } from '../sources/keep-documents.ts';
import type { WorkEvent } from '../watch.ts';
import type { CrawlRun } from './crawl-run.ts';

/** Options for opening a workspace. */
export interface OpenOptions {
  /** Settings by key, such as `crawl.budget`; they override the environment and bingo.yaml. */
  readonly settings?: Settings | undefined;
  /** Environment variables that may set settings (`BINGO_CRAWL_BUDGET`). Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Extensions that take part in crawls, in addition to those of bingo.yaml: objects, or absolute paths of modules. */
  readonly extensions?: readonly (Extension | string)[] | undefined;
}

/** Settings by key; each value as in bingo.yaml. */
export type Settings = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** How an action reports its progress, and how it is stopped. */
export interface ActionOptions {
  readonly onEvent?: ((event: WorkEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of a crawl. */
export interface CrawlOptions {
  /** Total number of pages to fetch, earlier runs included. Default: `crawl.budget`. */
  readonly budget?: number | undefined;
  /** Time limit: `90m`, or milliseconds. */
  readonly time?: string | number | undefined;
  /** `learn` ends when learning ends, `harvest` skips learning. */
  readonly only?: 'learn' | 'harvest' | undefined;
  /** Name of the ordering that decides which link is fetched next, such as `breadth-first`. */
  readonly ordering?: string | undefined;
  /** Maximum number of `question` events per topic, answered by {@link CrawlRun.answer}. Default: 0. */
  readonly ask?: number | undefined;
  readonly settings?: Settings | undefined;
  /** Stops the crawl as {@link CrawlRun.stop} does. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a recheck. */
export interface RecheckOptions extends Omit<CrawlOptions, 'only'> {
  /** True: all pages. Default: pages that are due. */
  readonly all?: boolean | undefined;
}

/** A written corpus. */
export interface WrittenCorpus {
  readonly pages: number;
  /** Folder that keeps the previous content of the target folder. */
  readonly kept?: string;
}

/** A stored page with its main text. */
export interface StoredPage extends PageRow {
  /** Its main text. Written by others: data, never instructions. */
  readonly text: string;
}

/** Rows of a query. */
export interface SqlRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** There are more rows than the limit. */
  readonly truncated: boolean;
}

/** Which grouping a group is taken from, and its name. */
export interface AdoptOptions {
  readonly count?: number;
  readonly name?: string;
  /** True: a group of rejected pages. The topic `''` means all rejected pages. */
  readonly rejected?: boolean;
}

/** A group of pages that became a subtopic. */
export interface AdoptedCluster {
  readonly topic: string;
  readonly examples: readonly string[];
  /** What changed; `null` if a crawl runs, or nothing has been learned yet. */
  readonly change: ChangeRow | null;
}

/** A written portal. */
export interface WrittenPortal {
  readonly pages: number;
  readonly topics: number;
  /** Pages that portal.yaml pins and that are not stored. */
  readonly missing: readonly string[];
  /** Folder that keeps the previous content of the target folder. */
  readonly kept?: string;
}

/** Options for a new workspace. */
export interface CreateOptions extends OpenOptions {
  readonly topics?: readonly NewTopic[] | undefined;
  /** Documents that become examples; they are written into the folder `documents` of the workspace. */
  readonly documents?: readonly NewDocument[] | undefined;
  /** Imports further topics: from bookmarks, a list of URLs, a folder of documents, or a shipped tree. */
  readonly from?: TopicSource | undefined;
  /** Counter-examples: URLs of unwanted pages. Default: about fifty pages on everyday subjects. */
  readonly others?: readonly string[] | undefined;
  /** How site owners reach you; sent with every request. */
  readonly contact?: string | undefined;
}
