import { readFile } from 'node:fs/promises';
import { UnreadableFileError } from '../../core/index.ts';
import { safeJson, sanitizeText } from '../../kit/index.ts';
import type { AnswerOptions, ExploreOptions } from '../tasks/answerer.ts';
import type { ReviewOptions } from '../tasks/reviewer.ts';
import type { Task } from '../tasks/task.ts';
import type { SpreadOptions } from './spread-figures.ts';
import type { TaskRun } from './task-run.ts';

/** Facts by which tasks are grouped. */
export interface TaskFacts {
  readonly id: string;
  readonly family: string;
  readonly web: string;
  readonly kind: string;
  /** Example pages per topic; the minimum if topics differ. */
  readonly examples: number;
}

/** A task with one crawl of it. */
export interface Result {
  readonly task: TaskFacts;
  readonly run: TaskRun;
}

function taskFacts({ id, family, web, kind, topics }: Task): TaskFacts {
  return { id, family, web, kind, examples: Math.min(...topics.map((topic) => topic.examples.length)) };
}

/**
 * Returns the text of `results.json`.
 * @param user the simulated user, and how the crawls were spread
 */
export function renderResults(
  tasks: readonly Task[],
  runs: readonly TaskRun[],
  user: {
    readonly review?: ReviewOptions;
    readonly answers?: AnswerOptions;
    readonly explore?: ExploreOptions;
    readonly spread?: SpreadOptions;
  } = {},
): string {
  const list = (items: readonly unknown[]): string => items.map((item) => JSON.stringify(item)).join(',\n');
  const { review, answers, explore, spread } = user;
  const simulated = Object.entries({ explore, review, answers, spread }).map(([key, value]) =>
    value === undefined ? '' : `${JSON.stringify(key)}:${JSON.stringify(value)},`,
  );
  return `{${simulated.join('')}"tasks":[\n${list(tasks.map(taskFacts))}\n],"runs":[\n${list(runs)}\n]}\n`;
}

/**
 * Reads `results.json` of several lab runs; if a task was run twice under one ordering, the last run counts.
 * @throws UnreadableFileError `RESULTS_UNREADABLE`
 */
export async function readResults(paths: readonly string[]): Promise<readonly Result[]> {
  const results = new Map<string, Result>();
  for (const path of paths)
    for (const result of await resultsOf(path)) results.set(`${result.task.id} ${result.run.ordering}`, result);
  return [...results.values()];
}

async function resultsOf(path: string): Promise<readonly Result[]> {
  try {
    const { tasks, runs } = recordOf('the file', JSON.parse(await readFile(path, 'utf8'), unnull));
    if (!Array.isArray(tasks) || !Array.isArray(runs)) throw unreadable('it has no tasks and runs');
    if (runs.length === 0) throw unreadable('it has no run');
    const byId = new Map(tasks.map((task, i) => checkedTask(`task ${i + 1}`, task)).map((task) => [task.id, task]));
    return runs.map((run, i): Result => {
      const checked = checkedRun(`run ${i + 1}`, run);
      const task = byId.get(checked.task);
      if (task === undefined) throw unreadable(`task ${safeJson(checked.task)} is not described`);
      return { task, run: checked };
    });
  } catch (cause) {
    throw unreadable(`Cannot read the results ${path}: ${(cause as Error).message}`, cause);
  }
}

function unreadable(message: string, cause?: unknown): UnreadableFileError {
  const hint = 'Name a results.json that "bingo lab run" of this version wrote, or its folder.';
  return new UnreadableFileError({ code: 'RESULTS_UNREADABLE', message, hint, cause });
}

/** Figures of a run used in tables; each is a number, possibly NaN. */
const FIGURES = [
  'nAUC',
  'recall.25',
  'recall.100',
  'classifier.first.f1',
  'classifier.last.f1',
  'classifier.first.averagePrecision',
  'classifier.last.averagePrecision',
  'archetypes.count',
  'archetypes.onTopic',
] as const;

function checkedTask(name: string, value: unknown): TaskFacts {
  const task = recordOf(name, value);
  for (const key of ['id', 'family', 'web', 'kind']) mustBeText(`${name}, ${key}`, task[key]);
  mustBeNumber(`${name}, examples`, task.examples);
  return task as unknown as TaskFacts;
}

function checkedRun(name: string, value: unknown): TaskRun {
  const run = recordOf(name, value);
  for (const key of ['task', 'ordering']) mustBeText(`${name}, ${key}`, run[key]);
  for (const figure of FIGURES) {
    let part: unknown = run.measures;
    for (const key of figure.split('.')) part = recordOf(`${name}, measures.${figure}`, part)[key];
    mustBeNumber(`${name}, measures.${figure}`, part);
  }
  return run as unknown as TaskRun;
}

function recordOf(name: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  throw unreadable(`${name} is missing or is not an object`);
}

function mustBeText(name: string, value: unknown): void {
  if (typeof value !== 'string' || value === '' || value !== sanitizeText(value))
    throw unreadable(`${name} is missing or is not one line of text without control characters`);
}

function mustBeNumber(name: string, value: unknown): void {
  if (typeof value !== 'number') throw unreadable(`${name} is missing or is not a number`);
}

/** Restores NaN, which JSON stores as `null`. A page's topic may be `null`, too. */
function unnull(key: string, value: unknown): unknown {
  return value === null && key !== 'topic' ? Number.NaN : value;
}
