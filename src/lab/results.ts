import { readFile } from 'node:fs/promises';
import { BingoError } from '../core/index.ts';
import type { Task } from './task.ts';
import type { TaskRun } from './task-run.ts';

/** What the figures of a task are grouped by. */
export interface TaskFacts {
  readonly id: string;
  readonly family: string;
  readonly web: string;
  readonly kind: string;
  /** Example pages of each topic; of topics with different numbers the least. */
  readonly examples: number;
}

/** A task with one crawl of it. */
export interface Result {
  readonly task: TaskFacts;
  readonly run: TaskRun;
}

export function taskFacts({ id, family, web, kind, topics }: Task): TaskFacts {
  return { id, family, web, kind, examples: Math.min(...topics.map((topic) => topic.examples.length)) };
}

/** The text of `results.json`. */
export function renderResults(tasks: readonly Task[], runs: readonly TaskRun[]): string {
  const list = (items: readonly unknown[]): string => items.map((item) => JSON.stringify(item)).join(',\n');
  return `{"tasks":[\n${list(tasks.map(taskFacts))}\n],"runs":[\n${list(runs)}\n]}\n`;
}

/**
 * Reads `results.json` of some lab runs; of a task that was run under one ordering twice, the last one counts.
 * @throws BingoError `RESULTS_UNREADABLE`
 */
export async function readResults(paths: readonly string[]): Promise<readonly Result[]> {
  const results = new Map<string, Result>();
  for (const path of paths)
    for (const result of await resultsOf(path)) results.set(`${result.task.id} ${result.run.ordering}`, result);
  return [...results.values()];
}

async function resultsOf(path: string): Promise<readonly Result[]> {
  try {
    const { tasks, runs } = JSON.parse(await readFile(path, 'utf8'), unnull) as {
      readonly tasks: readonly TaskFacts[];
      readonly runs: readonly TaskRun[];
    };
    if (!Array.isArray(tasks) || !Array.isArray(runs)) throw new Error('it holds no tasks and runs');
    const byId = new Map(tasks.map((task) => [task.id, task]));
    return runs.map((run) => {
      const task = byId.get(run.task);
      if (task === undefined) throw new Error(`task "${run.task}" is not described`);
      return { task, run };
    });
  } catch (cause) {
    throw new BingoError({
      code: 'RESULTS_UNREADABLE',
      message: `Cannot read the results ${path}: ${(cause as Error).message}`,
      hint: 'Name the results.json of a "bingo lab run" of this version, or the folder that holds it.',
      cause,
    });
  }
}

/** JSON has no NaN: a figure that does not exist is written as `null`. A page's topic may be `null`, too. */
function unnull(key: string, value: unknown): unknown {
  return value === null && key !== 'topic' ? Number.NaN : value;
}
