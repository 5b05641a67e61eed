import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  InputError,
  isBuiltInOrdering,
  type Mistake,
  type OfKind,
  ORDERINGS,
  type OrderingName,
  UsageError,
} from '../core/index.ts';
import { count, counted, safeJson } from '../kit/index.ts';
import type { LabIo } from './io.ts';
import { cacheRoot, codeDigest, pruneCache, SHARDS } from './run/analysis-cache.ts';
import { LabPool } from './run/lab-pool.ts';
import type { LabFailure, LabJob } from './run/lab-review.ts';
import { analysisCache, labelsPath, type WebSource, warcPath } from './run/loaded-web.ts';
import { type LabSettings, type RunOptions, taskAnalysis } from './run/run-task.ts';
import { recallTables } from './score/recall-table.ts';
import { htmlReport } from './score/report.ts';
import { renderResults } from './score/results.ts';
import { describeSpread, type SpreadOptions } from './score/spread-figures.ts';
import { figure, renderTables, summaryTables, type TableInput } from './score/table.ts';
import type { ScoredRun } from './score/task-run.ts';
import { type AnswerOptions, describeAnswers, describeExplore, type ExploreOptions } from './tasks/answerer.ts';
import { describeReview, type ReviewOptions } from './tasks/reviewer.ts';
import { readTasks, type Task } from './tasks/task.ts';

/** Options of `bingo lab run`. */
export interface LabRunOptions {
  /** The task file. */
  readonly tasks: string;
  /** Folder with `NAME.warc.gz` and `NAME.labels.tsv`. */
  readonly webs: string;
  /** Default: {@link DEFAULT_LAB_ORDERINGS}. */
  readonly orderings?: readonly OrderingName[];
  /** Folder for `results.json`, `table.txt` and `report.html`. */
  readonly out: string;
  /** Only these tasks, by id; a `*` at the end matches any ending. One text may list several, separated by commas. */
  readonly only?: readonly string[];
  /** Number of counter-examples given to each crawl. Default: all of the task's. */
  readonly others?: number;
  /** Worker threads. Default: one per core. Does not affect the result. */
  readonly jobs?: number;
  readonly seed?: number;
  /** If true, shows the reference figures of the task file beside ours. */
  readonly compare?: boolean;
  /** If true, also compares the crawls' own estimates of recall with the labels. */
  readonly recall?: boolean;
  /** Changes to the configuration of the crawls. */
  readonly settings?: LabSettings;
  /** Simulates a user who reviews pages of the crawls. Default: no review. */
  readonly review?: ReviewOptions;
  /** Simulates a user who answers the crawls' questions. Default: no questions. */
  readonly answers?: AnswerOptions;
  /** Simulates a user who answers questions before the crawls. Default: none. */
  readonly explore?: ExploreOptions;
  /** Simulates a spread crawl. Default: one crawl in one process. */
  readonly spread?: SpreadOptions;
  /** If true, continues with a truncated or damaged archive. Default: false. */
  readonly skipDamaged?: boolean;
}

/** The usual baselines of the field, and our default ordering. */
export const DEFAULT_LAB_ORDERINGS: readonly OrderingName[] = [
  'breadth-first',
  'random',
  'backlink',
  'pagerank',
  'best-first',
  'soft-focus',
  'confidence',
  'bingo',
  'learned',
];

/** Maximum number of tasks named in a message. */
const NAMED = 20;

const EXIT = { done: 0, failed: 1, stopped: 130 } as const;

/**
 * `bingo lab run`: crawls frozen webs under each ordering and writes results, table and report. If aborted, it writes
 * the finished runs. Resolves with the exit code.
 * @throws InputError if tasks or webs are wrong, UsageError if orderings or settings are wrong, before any crawl
 */
export async function labRun(options: LabRunOptions, io: LabIo): Promise<number> {
  const orderings = checkOrderings(options.orderings ?? DEFAULT_LAB_ORDERINGS);
  checkSettings(options.settings ?? {});
  const given = selectTasks(await readTasks(options.tasks), options.only);
  const tasks = given.map((task) => ({ ...task, others: task.others.slice(0, options.others) }));
  const webs = tasks.flatMap(({ web, othersWeb }) => (othersWeb === undefined ? [web] : [web, othersWeb]));
  await checkWebs(webs, options.webs);
  io.err(unreadKeys(tasks));
  mkdirSync(options.out, { recursive: true });
  const { seed = 1, settings = {}, review, answers, explore, spread } = options;
  const run: RunOptions = {
    seed,
    settings,
    ...(review && { review }),
    ...(answers && { answers }),
    ...(explore && { explore }),
    ...(spread && { spread }),
  };
  const { cache, release } = openCache();
  const { webs: folder, skipDamaged = false } = options;
  const source: WebSource = { folder, cache, settings: taskAnalysis(run), code: codeDigest(), skipDamaged };
  const jobs = Math.max(1, options.jobs ?? availableParallelism());
  const pool = new LabPool(jobs, { role: 'lab', source, options: run });
  const scored: ScoredRun[] = [];
  const failures: LabFailure[] = [];
  const telling = tellingOnce(io);
  try {
    await analyzeWebs(pool, webs, source, telling, failures);
    if (failures.length === 0) await runAll(pool, tasks, orderings, telling, { scored, failures });
  } finally {
    await pool.close();
    release();
  }
  // Results of an earlier run are not overwritten by an empty result.
  if (scored.length > 0) writeOutputs(options, { tasks, orderings, scored: inOrder(scored, tasks, orderings) }, io);
  io.err(shortfall(scored.length, tasks.length * orderings.length));
  tellFailures(failures, io);
  if (io.signal.aborted) return EXIT.stopped;
  return failures.length === 0 ? EXIT.done : EXIT.failed;
}

/** Every thread that reads a damaged web reports the same failure; prints it once. */
export function tellFailures(failures: readonly LabFailure[], io: LabIo): void {
  const told = failures.map(({ message, hint }) => `${message}${hint === undefined ? '' : `\n  ${hint}`}\n`);
  for (const text of new Set(told)) io.err(text);
}

/** Returns a description of incomplete runs; `''` if all are complete. */
function shortfall(finished: number, wanted: number): string {
  if (finished === wanted) return '';
  if (finished === 0) return 'No crawl was finished; nothing was written.\n';
  return `${count(finished)} of ${counted(wanted, 'crawl')} were finished; these figures leave out the others.\n`;
}

/** Output streams, and one for damaged archives, which every thread reports. */
export interface TellingIo extends LabIo {
  readonly tellDamages: (messages: readonly string[]) => void;
}

export function tellingOnce(io: LabIo): TellingIo {
  const told = new Set<string>();
  const tellDamages = (messages: readonly string[]): void => {
    for (const message of messages) {
      if (!told.has(message)) io.err(`${message}\n`);
      told.add(message);
    }
  };
  return { ...io, tellDamages };
}

/** Analyses the webs without cached analyses, all parts in parallel. */
export async function analyzeWebs(
  pool: LabPool,
  names: readonly string[],
  source: WebSource,
  io: TellingIo,
  failures: LabFailure[],
): Promise<void> {
  const jobs = [...new Set(names)].flatMap((web) => {
    const cache = analysisCache(source, web);
    cache.touch();
    const shards = Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) => !cache.has(shard));
    return shards.map((shard) => ({ kind: 'analyze' as const, web, shard }));
  });
  if (jobs.length > 0)
    io.err(`Analysing ${[...new Set(jobs.map((job) => job.web))].join(', ')} (kept for next time)…\n`);
  await pool.run(jobs, io.signal, ({ reply }) => {
    if (reply.kind === 'error') failures.push(reply.error);
    else io.tellDamages(reply.damages);
  });
}

async function runAll(
  pool: LabPool,
  tasks: readonly Task[],
  orderings: readonly OrderingName[],
  io: TellingIo,
  results: { readonly scored: ScoredRun[]; readonly failures: LabFailure[] },
): Promise<void> {
  const jobs = tasks.flatMap((task) =>
    orderings.map((ordering): OfKind<LabJob, 'run'> => ({ kind: 'run', web: task.web, task, ordering })),
  );
  let done = 0;
  await pool.run(jobs, io.signal, ({ job, reply }) => {
    const place = `[${++done}/${jobs.length}] ${job.task.id} ${job.ordering}`;
    if (reply.kind === 'error') {
      results.failures.push({ ...reply.error, message: `${job.task.id}, ${job.ordering}: ${reply.error.message}` });
      io.err(`${place} failed\n`);
    } else if (reply.kind === 'ran') {
      io.tellDamages(reply.damages);
      results.scored.push(reply.scored);
      io.err(`${place} nAUC ${figure(reply.scored.run.measures.nAUC)}\n`);
    }
  });
}

function writeOutputs(
  options: LabRunOptions,
  result: { tasks: readonly Task[]; orderings: readonly OrderingName[]; scored: readonly ScoredRun[] },
  io: LabIo,
): void {
  const { tasks, orderings, scored } = result;
  const runs = scored.map(({ run }) => run);
  const input: TableInput = { tasks, orderings, runs, compare: options.compare ?? false };
  const reviewed = options.review === undefined ? '' : `${describeReview(options.review)}\n\n`;
  const answered = options.answers === undefined ? '' : `${describeAnswers(options.answers)}\n\n`;
  const explored = options.explore === undefined ? '' : `${describeExplore(options.explore)}\n\n`;
  const figures = runs.flatMap(({ spread }) => spread ?? []);
  const spread = options.spread === undefined ? '' : `${describeSpread(options.spread, figures)}\n\n`;
  const text = `${explored}${spread}${reviewed}${answered}${renderTables([...summaryTables(input), ...(options.recall === true ? recallTables(input) : [])])}`;
  const path = (name: string): string => join(options.out, name);
  writeFileSync(path('results.json'), renderResults(tasks, runs, options));
  writeFileSync(path('table.txt'), text);
  writeFileSync(path('report.html'), htmlReport(input, scored));
  io.out(text);
  io.err(
    `${remarks(tasks, scored)}${unreviewed(scored, options.review)}Written: ${['results.json', 'table.txt', 'report.html'].map(path).join(', ')}\n`,
  );
}

/**
 * Warns of tasks without any relevant page, for example with misspelt labels, and of page counts that differ from the
 * task file's because our analysis finds other links than its author's.
 */
function remarks(tasks: readonly Task[], scored: readonly ScoredRun[]): string {
  const lines = tasks.flatMap((task) => {
    const measures = scored.find(({ run }) => run.task === task.id)?.run.measures;
    if (measures === undefined) return [];
    const labels = task.topics.flatMap((topic) => topic.labels).join(', ');
    const none = `${task.id}: nothing can be found: no counted page is labelled ${labels} or below it.\n`;
    const differences = (['reachable', 'scored'] as const)
      .filter((key) => task[key] !== undefined && task[key] !== measures[key])
      .map(
        (key) =>
          `${task.id}: ${counted(measures[key], 'page')} ${key} by our analysis, ${task[key]} by the task file.\n`,
      );
    return measures.scored === 0 ? [none, ...differences] : differences;
  });
  return lines.join('');
}

/** Warns of unknown keys: a misspelt key would silently change nothing. */
function unreadKeys(tasks: readonly Task[]): string {
  const keys = new Set(tasks.flatMap(({ unread = [] }) => unread));
  return [...keys].map((key) => `Ignoring unknown key ${safeJson(key)} in the task file.\n`).join('');
}

/** Warns of crawls that ended before any review. */
function unreviewed(scored: readonly ScoredRun[], review: ReviewOptions | undefined): string {
  if (review === undefined) return '';
  const runs = scored.map(({ run }) => run).filter(({ measures }) => measures.fetches < review.after);
  const lines = runs.map(
    ({ task, ordering, measures }) =>
      `${task} ${ordering}: not reviewed. It ended after ${counted(measures.fetches, 'fetch')}, and --review-after is ${review.after}.\n`,
  );
  return lines.join('');
}

/** Sorts runs in order of the request, not of completion. */
function inOrder(
  scored: readonly ScoredRun[],
  tasks: readonly Task[],
  orderings: readonly OrderingName[],
): readonly ScoredRun[] {
  return tasks.flatMap((task) =>
    orderings.flatMap((name) => scored.filter(({ run }) => run.task === task.id && run.ordering === name)),
  );
}

function checkOrderings(names: readonly OrderingName[]): readonly OrderingName[] {
  const unknown = names.filter((name) => !isBuiltInOrdering(name));
  if (unknown.length > 0 || names.length === 0)
    throw new UsageError(`Expected orderings, got "${unknown.join(', ')}".`, `Known are: ${ORDERINGS.join(', ')}.`);
  return [...new Set(names)];
}

/**
 * Rejects settings for the network: waiting by a simulated clock never ends, and parallel fetches finish in varying
 * order.
 */
function checkSettings({ crawl = {}, network = {} }: LabSettings): void {
  if (crawl.ordering !== undefined)
    throw new UsageError('A lab run does not use crawl.ordering.', 'Name the orderings to compare: --orderings.');
  const [key] = Object.keys(network);
  if (key !== undefined)
    throw new UsageError(
      `network.${key} has no effect in the lab: it reads pages from an archive, one at a time, without waiting.`,
      'Leave it out, or serve the web and crawl it: bingo lab serve --help',
    );
}

function selectTasks(tasks: readonly Task[], only: readonly string[] | undefined): readonly Task[] {
  if (only === undefined || only.length === 0) return tasks;
  const matches = (id: string, name: string): boolean =>
    name.endsWith('*') ? id.startsWith(name.slice(0, -1)) : id === name;
  const isKnown = (name: string): boolean => tasks.some(({ id }) => matches(id, name));
  // An id may itself contain a comma.
  const names = only.flatMap((text) => (isKnown(text) ? [text] : text.split(',').map((name) => name.trim())));
  const unknown = names.filter((name) => !isKnown(name));
  if (unknown.length > 0)
    throw new UsageError(
      `The task file has no task "${unknown.join('", "')}".`,
      `It has: ${listed(tasks.map((task) => task.id))}.`,
    );
  return tasks.filter((task) => names.some((name) => matches(task.id, name)));
}

/** Lists the first names, and the number of the others. */
function listed(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return rest <= 1 ? names.join(', ') : `${names.slice(0, NAMED).join(', ')}, and ${rest} more`;
}

/** @throws InputError with the missing files */
export async function checkWebs(names: readonly string[], folder: string): Promise<void> {
  const mistakes: Mistake[] = [];
  for (const path of [...new Set(names)].flatMap((web) => [warcPath(folder, web), labelsPath(folder, web)]))
    await access(path).catch(() =>
      mistakes.push({ file: path, message: 'The file does not exist or is not readable.' }),
    );
  if (mistakes.length > 0) throw new InputError(`The tasks need webs that are not in ${folder}`, mistakes);
}

/** Opens the user's cache folder, or a temporary one for this run. */
export function openCache(): { readonly cache: string; readonly release: () => void } {
  const root = cacheRoot();
  if (root !== undefined) return { cache: root, release: () => pruneCache(root, Date.now()) };
  const once = mkdtempSync(join(tmpdir(), 'bingo-lab-once-'));
  return { cache: once, release: () => rmSync(once, { recursive: true, force: true }) };
}
