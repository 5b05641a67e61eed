import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type OrderingName, UsageError } from '../core/index.ts';
import { safeJson } from '../kit/index.ts';
import type { LabIo } from './io.ts';
import { type Grouping, groupDifferences, groupFigures } from './score/group-figures.ts';
import { differenceTable, groupTables } from './score/group-table.ts';
import { readResults } from './score/results.ts';
import { renderTables } from './score/table.ts';

/** Options of `bingo lab table`. */
export interface LabTableOptions {
  /** Files `results.json`, or folders that hold one. */
  readonly results: readonly string[];
  readonly by: Grouping;
  /** Shows the lead of this ordering over the others, per task. */
  readonly against?: OrderingName;
  /** If true, prints one JSON object instead of tables. Default: false. */
  readonly json?: boolean;
}

/**
 * `bingo lab table`: figures of finished lab runs per group of tasks, with intervals. Resolves with the exit code.
 * @throws UnreadableFileError `RESULTS_UNREADABLE`
 * @throws UsageError if there is no run under the ordering to compare with
 */
export async function labTable({ results: given, by, against, json }: LabTableOptions, io: LabIo): Promise<number> {
  const inside = (path: string): string => join(path, 'results.json');
  const results = await readResults(given.map((path) => (existsSync(inside(path)) ? inside(path) : path)));
  const orderings = [...new Set(results.map(({ run }) => run.ordering))];
  if (against !== undefined && !orderings.includes(against))
    throw new UsageError(`These results have no run with ${against}.`, `There are runs with: ${orderings.join(', ')}.`);
  if (json === true) {
    const figures = { by, figures: groupFigures(results, by) };
    io.out(
      `${safeJson(against === undefined ? figures : { ...figures, differences: groupDifferences(results, against, by) })}\n`,
    );
    return 0;
  }
  const tables = groupTables(results, by);
  io.out(renderTables(against === undefined ? tables : [...tables, differenceTable(results, against, by)]));
  return 0;
}
