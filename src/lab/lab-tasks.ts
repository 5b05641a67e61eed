import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type CanonicalUrl, UsageError } from '../core/index.ts';
import { counted } from '../kit/index.ts';
import type { LabIo } from './io.ts';
import { analyzeWebs, checkWebs, openCache, tellFailures, tellingOnce } from './lab-run.ts';
import { type MakeTasksOptions, makeTasks, redrawTasks, renderTasks, type TaskPart } from './make-tasks.ts';
import { codeDigest } from './run/analysis-cache.ts';
import { linkGraph } from './run/analyzed-web.ts';
import { LabPool } from './run/lab-pool.ts';
import type { LabFailure } from './run/lab-review.ts';
import { type LoadedWeb, loadWeb, type WebSource } from './run/loaded-web.ts';
import { taskAnalysis } from './run/run-task.ts';
import { readTasks, type Task } from './tasks/task.ts';

/** Options of `bingo lab tasks`. */
export interface LabTasksOptions {
  /** Names of webs. */
  readonly names: readonly string[];
  /** Folder with `NAME.warc.gz` and `NAME.labels.tsv`. */
  readonly webs: string;
  /** The task file to write. */
  readonly out: string;
  readonly part: TaskPart;
  readonly seed: number;
  /** Maximum number of topics per web. */
  readonly topics: number;
  readonly examples: readonly number[];
  readonly draws: number;
  /** A task file whose topics are excluded. */
  readonly without?: string;
  /** A task file whose topics and kinds are reused; `part`, `topics` and `without` are then ignored. */
  readonly like?: string;
  readonly jobs?: number;
  /** If true, continues with a truncated or damaged archive. Default: false. */
  readonly skipDamaged?: boolean;
}

/**
 * `bingo lab tasks`: draws tasks from labelled webs and writes a task file. Equal options give equal tasks. Resolves
 * with the exit code.
 * @throws InputError if a web is missing
 */
export async function labTasks(options: LabTasksOptions, io: LabIo): Promise<number> {
  await checkWebs(options.names, options.webs);
  const known = options.without === undefined ? [] : await readTasks(options.without);
  const models = options.like === undefined ? undefined : await readTasks(options.like);
  const without = known.flatMap((task) => task.topics.flatMap((topic) => topic.labels));
  const run = { seed: options.seed, settings: {} };
  const { cache, release } = openCache();
  const { webs: folder, skipDamaged = false } = options;
  const source: WebSource = { folder, cache, settings: taskAnalysis(run), code: codeDigest(), skipDamaged };
  const jobs = Math.max(1, options.jobs ?? availableParallelism());
  const pool = new LabPool(jobs, { role: 'lab', source, options: run });
  const failures: LabFailure[] = [];
  const tasks: Task[] = [];
  const telling = tellingOnce(io);
  try {
    await analyzeWebs(pool, options.names, source, telling, failures);
    if (failures.length === 0)
      for (const name of options.names) {
        const loaded = await loadWeb(source, name, (message) => telling.tellDamages([message]));
        tasks.push(...tasksOf(name, loaded, { ...options, without }, models));
      }
  } finally {
    await pool.close();
    release();
  }
  tellFailures(failures, io);
  if (failures.length > 0) return 1;
  if (tasks.length === 0)
    throw new UsageError(
      'No topic of these webs has the right size for a task.',
      'Try fewer --examples or other webs.',
    );
  writeFileSync(options.out, renderTasks(tasks));
  io.err(`Written: ${counted(tasks.length, 'task')} to ${options.out}\n`);
  return 0;
}

function tasksOf(
  name: string,
  loaded: LoadedWeb,
  options: MakeTasksOptions,
  models: readonly Task[] | undefined,
): readonly Task[] {
  const pages = [...loaded.analyses].flatMap(([url, { kind }]): CanonicalUrl[] => (kind === 'analyzed' ? [url] : []));
  const material = { name, pages, labels: loaded.labels, links: linkGraph(loaded) };
  const tasks = models === undefined ? makeTasks(material, options) : redrawTasks(material, models, options);
  loaded.web.close();
  return tasks;
}
