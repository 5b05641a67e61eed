import type { OrderingName } from '../../core/index.ts';
import {
  type GroupFigures,
  type Grouping,
  groupDifferences,
  groupFigures,
  type ModelChange,
  NOISE,
  runChanges,
} from './group-figures.ts';
import type { Result } from './results.ts';
import { figure, type Table } from './table.ts';

/** {@link groupFigures} as tables. */
export function groupTables(results: readonly Result[], by: Grouping): readonly Table[] {
  const figures = groupFigures(results, by);
  const rowsOf = (columns: (own: GroupFigures) => readonly string[]): string[][] =>
    figures.map((own) => [`${by} ${own.group}`, own.ordering, String(own.tasks), ...columns(own)]);
  const head = ['group', 'ordering', 'tasks'];
  return [
    {
      title: 'Crawling',
      head: [...head, 'nAUC', '95 % interval', 'recall 25 %', '95 % interval', 'recall 100 %', 'worst against simple'],
      rows: rowsOf(crawlColumns),
    },
    {
      title: 'Classifier, first model and last, on the judged pages fetched',
      head: [...head, 'F1', 'last − first', 'worse', 'AP', 'last − first', 'worse', 'archetypes', 'on topic'],
      rows: rowsOf(classifierColumns),
    },
  ];
}

/** {@link groupDifferences} as a table; empty if no task was run under both. */
export function differenceTable(results: readonly Result[], a: OrderingName, by: Grouping): Table {
  const rows = groupDifferences(results, a, by).map(({ group, against, tasks, nAUC, better }) => {
    const { mean: gain, low, high } = nAUC;
    return [`${by} ${group}`, `${a} − ${against}`, String(tasks), signed(gain), range(low, high), `${better}`];
  });
  return { title: 'Differences', head: ['group', 'nAUC of', 'tasks', 'mean', '95 % interval', 'better on'], rows };
}

/** {@link runChanges} as a table; empty if the runs share no task. */
export function changeTable(
  before: readonly Result[],
  after: readonly Result[],
  by: Grouping,
  title = 'Changes, task by task',
): Table {
  const rows = runChanges(before, after, by).map((own) => [
    ...[`${by} ${own.group}`, own.ordering, own.measure, String(own.tasks)],
    `${figure(own.before)} → ${figure(own.after)}`,
    ...[signed(own.change.mean), range(own.change.low, own.change.high), `${own.better}`, `${own.worse}`],
  ]);
  const noise = figure(NOISE).slice(0, 3);
  const head = ['group', 'ordering', 'measure', 'tasks', 'before → after', 'change', '95 % interval'];
  return { title, head: [...head, `better by > ${noise}`, `worse by > ${noise}`], rows };
}

function crawlColumns({ nAUC, recall25, recall100, worstAgainstSimple }: GroupFigures): readonly string[] {
  return [
    figure(nAUC.mean),
    range(nAUC.low, nAUC.high),
    figure(recall25.mean),
    range(recall25.low, recall25.high),
    figure(recall100),
    signed(worstAgainstSimple),
  ];
}

function classifierColumns({ f1, averagePrecision, archetypes, archetypesOnTopic }: GroupFigures): readonly string[] {
  return [...changeColumns(f1), ...changeColumns(averagePrecision), figure(archetypes), figure(archetypesOnTopic)];
}

function changeColumns({ first, last, change, worse, clearlyWorse }: ModelChange): readonly string[] {
  return [
    `${figure(first)} → ${figure(last)}`,
    `${signed(change.mean)} (${range(change.low, change.high)})`,
    `${worse}; ${clearlyWorse} by > ${figure(NOISE).slice(0, 3)}`,
  ];
}

function range(low: number, high: number): string {
  return Number.isNaN(low) ? '–' : `${figure(low)} to ${figure(high)}`;
}

function signed(value: number): string {
  return value > 0 ? `+${figure(value)}` : figure(value);
}
