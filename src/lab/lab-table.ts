import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type OrderingName, UsageError } from '../core/index.ts';
import { safeJson } from '../kit/index.ts';
import type { LabIo } from './io.ts';
import { type Grouping, groupDifferences, groupFigures, runChanges } from './score/group-figures.ts';
import { changeTable, differenceTable, groupTables } from './score/group-table.ts';
import { type Result, readResults } from './score/results.ts';
import { renderTables } from './score/table.ts';

/** Options of `bingo lab table`. */
export interface LabTableOptions {
  /** Files `results.json`, or folders that hold one. */
  readonly results: readonly string[];
  readonly by: Grouping;
  /** Shows the lead of this ordering over the others, per task. */
  readonly against?: OrderingName;
  /** Results of an earlier run, to compare task by task. */
  readonly before?: string;
  /** Shows the differences of each other web from this one, for tasks that differ in the web alone. */
  readonly againstWeb?: string;
  /** If true, prints one JSON object instead of tables. Default: false. */
  readonly json?: boolean;
}

/**
 * `bingo lab table`: figures of finished lab runs per group of tasks, with intervals. Resolves with the exit code.
 * @throws UnreadableFileError `RESULTS_UNREADABLE`
 * @throws UsageError if there is no run under the ordering to compare with, or no task in both runs
 */
export async function labTable(options: LabTableOptions, io: LabIo): Promise<number> {
  const { results: given, by, against, againstWeb, before: earlier, json } = options;
  const results = await readResults(given.map(resultsFile));
  const orderings = [...new Set(results.map(({ run }) => run.ordering))];
  if (against !== undefined && !orderings.includes(against))
    throw new UsageError(`These results have no run with ${against}.`, `There are runs with: ${orderings.join(', ')}.`);
  const before = earlier === undefined ? undefined : await readResults([resultsFile(earlier)]);
  if (before !== undefined && runChanges(before, results, by).length === 0)
    throw new UsageError('The two runs share no task and ordering.', 'Run the same tasks with and without a change.');
  const onWeb = againstWeb === undefined ? undefined : onOtherWebs(results, againstWeb);
  if (onWeb?.length === 0)
    throw new UsageError(`No task of ${againstWeb} is on another web, too.`, 'See "bingo lab translations".');
  if (json === true) {
    const differences = against === undefined ? {} : { differences: groupDifferences(results, against, by) };
    const changes = before === undefined ? {} : { changes: runChanges(before, results, by) };
    const webs = onWeb === undefined ? {} : { webs: runChanges(onWeb, results, 'web') };
    io.out(`${safeJson({ by, figures: groupFigures(results, by), ...differences, ...changes, ...webs })}\n`);
    return 0;
  }
  const tables = [
    ...groupTables(results, by),
    ...(against === undefined ? [] : [differenceTable(results, against, by)]),
    ...(before === undefined ? [] : [changeTable(before, results, by)]),
    ...(onWeb === undefined
      ? []
      : [changeTable(onWeb, results, 'web', `Differences from ${againstWeb}, task by task`)]),
  ];
  io.out(renderTables(tables));
  return 0;
}

function resultsFile(path: string): string {
  const inside = join(path, 'results.json');
  return existsSync(inside) ? inside : path;
}

/** Returns the results on one web under the ids that the same tasks have on each other web. */
function onOtherWebs(results: readonly Result[], web: string): readonly Result[] {
  const others = [...new Set(results.map(({ task }) => task.web))].filter((name) => name !== web);
  const ids = new Set(results.map(({ task }) => task.id));
  return results
    .filter(({ task }) => task.web === web && task.id.startsWith(`${web}/`))
    .flatMap(({ task, run }) =>
      others.flatMap((other) => {
        const id = other + task.id.slice(web.length);
        return ids.has(id) ? [{ task: { ...task, id, web: other }, run: { ...run, task: id } }] : [];
      }),
    );
}
