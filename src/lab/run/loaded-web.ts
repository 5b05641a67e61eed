import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BingoError, type CanonicalUrl } from '../../core/index.ts';
import type { AnalyzerSettings } from '../../engine/index.ts';
import { type Labels, readLabels } from '../tasks/labels.ts';
import type { Task } from '../tasks/task.ts';
import { FrozenWeb } from '../web/frozen-web.ts';
import { AnalysisCache, SHARDS } from './analysis-cache.ts';
import { type AnalyzedWeb, type PageAnalysis, WebAnalyst } from './analyzed-web.ts';

/** Location of webs and of their cached analyses. */
export interface WebSource {
  /** Folder with `NAME.warc.gz` and `NAME.labels.tsv`. */
  readonly folder: string;
  /** Folder for analyses. */
  readonly cache: string;
  readonly settings: AnalyzerSettings;
  /** See `codeDigest`. */
  readonly code: string;
  /** If true, continues with a truncated or damaged archive. Default: false. */
  readonly skipDamaged?: boolean;
}

/**
 * Opens a web's archive.
 * @param onDamage called with unreadable parts, if the source allows damage
 * @throws WarcError if the archive is damaged and the source does not allow it
 */
export function openWeb(
  { folder, skipDamaged }: Pick<WebSource, 'folder' | 'skipDamaged'>,
  name: string,
  onDamage: (message: string) => void,
): Promise<FrozenWeb> {
  const options = skipDamaged === true ? { onDamage: ({ message }: Error) => onDamage(message) } : {};
  return FrozenWeb.open(warcPath(folder, name), options);
}

/** A web ready for runs. */
export interface LoadedWeb extends AnalyzedWeb {
  readonly labels: Labels;
}

/** Returns the path of a web's archive: `NAME.warc.gz`, else `NAME.warc.zst` or `NAME.warc`. */
export function warcPath(folder: string, name: string): string {
  const [usual, ...others] = ['.warc.gz', '.warc.zst', '.warc'].map((ending) => join(folder, `${name}${ending}`));
  return [usual!, ...others].find((path) => existsSync(path)) ?? usual!;
}

export function labelsPath(folder: string, name: string): string {
  return join(folder, `${name}.labels.tsv`);
}

/** Returns the cache of one web's analyses. */
export function analysisCache(source: WebSource, name: string): AnalysisCache {
  return new AnalysisCache(source.cache, warcPath(source.folder, name), source.settings, source.code);
}

/** Analyses one part of a web and stores it on disk. */
export async function analyzeShard(source: WebSource, web: FrozenWeb, shard: number): Promise<void> {
  const analyst = new WebAnalyst(web, source.settings);
  try {
    const analyses: [CanonicalUrl, PageAnalysis][] = [];
    for (const [i, url] of [...web.urls()].entries()) {
      const analysis = i % SHARDS === shard ? await analyst.analysisOf(url) : undefined;
      if (analysis !== undefined) analyses.push([url, analysis]);
    }
    analysisCache(source, web.name).write(shard, analyses);
  } finally {
    await analyst.close();
  }
}

/** Loads a web whose parts are all analysed, with its labels. */
export async function loadWeb(
  source: WebSource,
  name: string,
  onDamage: (message: string) => void,
): Promise<LoadedWeb> {
  return {
    ...(await loadAnalyses(source, name, onDamage)),
    labels: await readLabels(labelsPath(source.folder, name)),
  };
}

/** Loads a web whose parts are all analysed. */
export async function loadAnalyses(
  source: WebSource,
  name: string,
  onDamage: (message: string) => void,
): Promise<AnalyzedWeb> {
  const web = await openWeb(source, name, onDamage);
  const cache = analysisCache(source, name);
  const analyses = new Map<CanonicalUrl, PageAnalysis>();
  for (let shard = 0; shard < SHARDS; shard++)
    for (const [url, analysis] of cache.read(shard)) analyses.set(url, analysis);
  return { web, analyses };
}

/**
 * @param strange the web of the task's counter-examples, if it is another one
 * @throws BingoError `TASK_WEB_MISMATCH` if a page of the task is missing from the archive
 */
export function checkTask(task: Task, own: AnalyzedWeb, strange: AnalyzedWeb = own): void {
  checkPages(task, { seeds: task.seeds, examples: task.topics.flatMap((topic) => topic.examples) }, own);
  checkPages(task, { others: task.others }, strange);
}

function checkPages(
  task: Task,
  given: Readonly<Record<string, readonly CanonicalUrl[]>>,
  { web, analyses }: AnalyzedWeb,
): void {
  const missing = Object.entries(given).flatMap(([key, urls]) =>
    urls.filter((url) => !web.has(url) && !analyses.has(url)).map((url) => `  ${key}: ${url}`),
  );
  if (missing.length === 0) return;
  throw new BingoError({
    code: 'TASK_WEB_MISMATCH',
    message: `Task "${task.id}" names pages that are not in ${web.path}:\n${missing.slice(0, 10).join('\n')}`,
    hint: 'Use the tasks made for this archive.',
  });
}
