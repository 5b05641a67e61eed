import type { OrderingName } from '../../core/index.ts';
import { counted } from '../../kit/index.ts';
import type { Task } from '../tasks/task.ts';
import { CHECKPOINTS } from './measures.ts';
import { referenceOf } from './reference.ts';
import type { AtCheckpoints, RunMeasures } from './run-measures.ts';
import { bootstrapMean, mean } from './statistics.ts';
import type { TaskRun } from './task-run.ts';

/** What a table shows. */
export interface TableInput {
  readonly tasks: readonly Task[];
  readonly orderings: readonly OrderingName[];
  readonly runs: readonly TaskRun[];
  /** If true, shows the reference figures of the task file beside ours. */
  readonly compare: boolean;
}

/** A table of texts; the first column is left-aligned, the others right-aligned. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** nAUC by task and ordering with means, then the means of the other measures. */
export function summaryTables(input: TableInput): readonly Table[] {
  return [taskTable(input), meanTable(input)];
}

/** Formats tables as plain text. */
export function renderTables(tables: readonly Table[]): string {
  return tables.map((table) => `${table.title}\n\n${renderRows([table.head, ...table.rows])}`).join('\n');
}

/** Formats a figure: `.523`; `–` if it does not exist. */
export function figure(value: number): string {
  if (Number.isNaN(value)) return '–';
  const text = value.toFixed(3);
  return (text === '-0.000' ? '0.000' : text).replace(/^(-?)0\./, '$1.');
}

function taskTable(input: TableInput): Table {
  const { tasks, orderings } = input;
  const webs = [...new Set(tasks.map((task) => task.web))];
  const ofWeb = (web: string): readonly Task[] => tasks.filter((task) => task.web === web);
  const byWeb = webs.length > 1 ? webs.map((web) => webRow(input, `mean ${web}`, ofWeb(web))) : [];
  return {
    title: `nAUC${input.compare ? ' (reference)' : ''}`,
    head: ['task', 'kind', 'budget', 'relevant', ...orderings],
    rows: [
      ...tasks.map((task) => taskRow(input, task)),
      ...byWeb,
      meanRow(input, `mean of ${counted(tasksWithFigure(input), 'task')}`, tasks),
      intervalRow(input),
      ...(input.compare ? [differenceRow(input)] : []),
    ],
  };
}

/** Formats the mean of some figures with its interval: `.523 (.480–.566)`. */
export function interval(values: readonly number[]): string {
  const { mean: middle, low, high, count } = bootstrapMean(values);
  return count < 2 ? figure(middle) : `${figure(middle)} (${figure(low)}–${figure(high)})`;
}

/** Returns the number of tasks in a mean. Tasks whose crawls all failed, or without relevant pages, have no figure. */
function tasksWithFigure(input: TableInput): number {
  const { tasks, orderings } = input;
  return tasks.filter((task) => orderings.some((ordering) => !Number.isNaN(nAUC(input, task, ordering)))).length;
}

function taskRow(input: TableInput, task: Task): readonly string[] {
  const scored = input.runs.find((run) => run.task === task.id)?.measures.scored;
  const cells = input.orderings.map((ordering) =>
    cell(input, nAUC(input, task, ordering), referenceOf(task, ordering)),
  );
  return [task.id, task.kind, String(task.budget), String(scored ?? '–'), ...cells];
}

function meanRow(input: TableInput, name: string, tasks: readonly Task[]): readonly string[] {
  const cells = input.orderings.map((ordering) => {
    const ours = mean(tasks.map((task) => nAUC(input, task, ordering)));
    return cell(input, ours, mean(tasks.map((task) => referenceOf(task, ordering))));
  });
  return [name, '', '', '', ...cells];
}

/** Like {@link meanRow}, with intervals instead of reference figures. */
function webRow(input: TableInput, name: string, tasks: readonly Task[]): readonly string[] {
  if (input.compare) return meanRow(input, name, tasks);
  const cells = input.orderings.map((ordering) => interval(tasks.map((task) => nAUC(input, task, ordering))));
  return [name, '', '', '', ...cells];
}

function intervalRow(input: TableInput): readonly string[] {
  const cells = input.orderings.map((ordering) => {
    const { low, high, count } = bootstrapMean(input.tasks.map((task) => nAUC(input, task, ordering)));
    return count === 0 ? '–' : `${figure(low)}–${figure(high)}`;
  });
  return ['95 % interval', '', '', '', ...cells];
}

function differenceRow(input: TableInput): readonly string[] {
  const cells = input.orderings.map((ordering) => {
    const difference = mean(input.tasks.map((task) => nAUC(input, task, ordering) - referenceOf(task, ordering)));
    return difference > 0 ? `+${figure(difference)}` : figure(difference);
  });
  return ['mean difference', '', '', '', ...cells];
}

function cell({ compare }: TableInput, ours: number, reference: number): string {
  return compare && !Number.isNaN(reference) ? `${figure(ours)} (${figure(reference)})` : figure(ours);
}

function nAUC({ runs }: TableInput, task: Task, ordering: OrderingName): number {
  return runs.find((run) => run.task === task.id && run.ordering === ordering)?.measures.nAUC ?? Number.NaN;
}

function meanTable({ runs, orderings }: TableInput): Table {
  const row = (name: string, of: (measures: RunMeasures) => number): readonly string[] => [
    name,
    ...orderings.map((o) => interval(runs.filter((run) => run.ordering === o).map((run) => of(run.measures)))),
  ];
  const rows = (name: string, of: (measures: RunMeasures) => AtCheckpoints): (readonly string[])[] =>
    CHECKPOINTS.map((percent) => row(`${name} at ${percent} %`, (measures) => of(measures)[percent]));
  return {
    title: 'Means over tasks, with 95 % intervals',
    head: ['measure', ...orderings],
    rows: [
      ...rows('recall', (m) => m.recall),
      ...rows('harvest rate', (m) => m.harvestRate),
      row('precision, first model', (m) => m.classifier.first.precision),
      row('precision, last model', (m) => m.classifier.last.precision),
      row('recall, first model', (m) => m.classifier.first.recall),
      row('recall, last model', (m) => m.classifier.last.recall),
      row('F1, first model', (m) => m.classifier.first.f1),
      row('F1, last model', (m) => m.classifier.last.f1),
      row('average precision, first model', (m) => m.classifier.first.averagePrecision),
      row('average precision, last model', (m) => m.classifier.last.averagePrecision),
      row('archetypes', (m) => m.archetypes.count),
      row('archetypes on topic', (m) => m.archetypes.onTopic),
    ],
  };
}

function renderRows(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((text, i) => (i === 0 ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0))).join('  ');
  return `${rows.map((row) => line(row).trimEnd()).join('\n')}\n`;
}
