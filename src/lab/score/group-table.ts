import type { OrderingName } from '../../core/index.ts';
import type { Result, TaskFacts } from './results.ts';
import type { RunMeasures } from './run-measures.ts';
import { bootstrapMean, type Interval, mean } from './statistics.ts';
import { figure, type Table } from './table.ts';

/** What tasks can be grouped by. */
export const GROUPINGS = ['all', 'web', 'kind', 'examples'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** AP or F1 that moved by no more stayed as it was. */
const NOISE = 0.02;

/**
 * Figures of each ordering over groups of tasks, with 95 % intervals. Tasks of one family are no independent witnesses:
 * their mean is one value, and the bootstrap draws families.
 */
export function groupTables(results: readonly Result[], by: Grouping): readonly Table[] {
  const orderings = [...new Set(results.map(({ run }) => run.ordering))];
  const groups = [...new Set(results.map(({ task }) => keyOf(task, by)))].sort(byNumberThenName);
  const rowsOf = (columns: (own: readonly Result[]) => readonly string[]): string[][] =>
    groups.flatMap((group) =>
      orderings.map((ordering) => {
        const own = results.filter(({ task, run }) => keyOf(task, by) === group && run.ordering === ordering);
        return [`${by} ${group}`, ordering, String(own.length), ...columns(own)];
      }),
    );
  const head = ['group', 'ordering', 'tasks'];
  return [
    {
      title: 'Crawling',
      head: [...head, 'nAUC', '95 % interval', 'recall 25 %', '95 % interval', 'recall 100 %', 'worst against simple'],
      rows: rowsOf((own) => crawlColumns(own, results)),
    },
    {
      title: 'Classifier, first model and last, on the judged pages fetched',
      head: [...head, 'F1', 'last − first', 'worse', 'AP', 'last − first', 'worse', 'archetypes', 'on topic'],
      rows: rowsOf(classifierColumns),
    },
  ];
}

/** By how much an ordering beats another on the same tasks, with its interval; empty when no task was run under both. */
export function differenceTable(results: readonly Result[], a: OrderingName, by: Grouping): Table {
  const orderings = [...new Set(results.map(({ run }) => run.ordering))].filter((name) => name !== a);
  const groups = [...new Set(results.map(({ task }) => keyOf(task, by)))].sort(byNumberThenName);
  const rows = groups.flatMap((group) =>
    orderings.flatMap((b) => {
      const pairs = results
        .filter(({ task, run }) => run.ordering === a && keyOf(task, by) === group)
        .flatMap(({ task, run }) => {
          const other = results.find((result) => result.task.id === task.id && result.run.ordering === b);
          return other === undefined ? [] : [{ task, value: run.measures.nAUC - other.run.measures.nAUC }];
        });
      const better = pairs.filter(({ value }) => value > 0).length;
      const { mean: gain, low, high } = familyMean(pairs);
      if (pairs.length === 0) return [];
      return [[`${by} ${group}`, `${a} − ${b}`, String(pairs.length), signed(gain), range(low, high), `${better}`]];
    }),
  );
  return { title: 'Differences', head: ['group', 'nAUC of', 'tasks', 'mean', '95 % interval', 'better on'], rows };
}

function keyOf(task: TaskFacts, by: Grouping): string {
  return by === 'all' ? 'tasks' : String(task[by]);
}

function byNumberThenName(a: string, b: string): number {
  return Number(a) - Number(b) || (a < b ? -1 : a > b ? 1 : 0);
}

function crawlColumns(own: readonly Result[], all: readonly Result[]): readonly string[] {
  const nAUC = over(own, (measures) => measures.nAUC);
  const quarter = over(own, (measures) => measures.recall[25]);
  return [
    figure(nAUC.mean),
    range(nAUC.low, nAUC.high),
    figure(quarter.mean),
    range(quarter.low, quarter.high),
    figure(over(own, (measures) => measures.recall[100]).mean),
    signed(worstAgainstSimple(own, all)),
  ];
}

/** Least lead over the better of breadth-first and best-first on the same task; NaN where neither was run. */
function worstAgainstSimple(own: readonly Result[], all: readonly Result[]): number {
  const leads = own.flatMap(({ task, run }) => {
    const simple = all
      .filter(({ task: { id }, run: { ordering } }) => id === task.id && SIMPLE.includes(ordering))
      .map((result) => result.run.measures.nAUC);
    const lead = run.measures.nAUC - Math.max(...simple);
    // Of a task of which nothing can be found there is none.
    return simple.length === 0 || Number.isNaN(lead) ? [] : [lead];
  });
  return leads.length === 0 ? Number.NaN : Math.min(...leads);
}

const SIMPLE: readonly OrderingName[] = ['breadth-first', 'best-first'];

function classifierColumns(own: readonly Result[]): readonly string[] {
  return [
    ...changeColumns(own, ({ classifier: { first, last } }) => [first.f1, last.f1]),
    ...changeColumns(own, ({ classifier: { first, last } }) => [first.averagePrecision, last.averagePrecision]),
    figure(over(own, ({ archetypes }) => archetypes.count).mean),
    figure(over(own, ({ archetypes }) => archetypes.onTopic).mean),
  ];
}

function changeColumns(own: readonly Result[], of: (measures: RunMeasures) => [number, number]): readonly string[] {
  const pairs = own.map(({ run }) => of(run.measures));
  const changes = pairs.map(([first, last]) => last - first);
  const byFamily = (values: readonly number[]): Interval =>
    familyMean(own.map(({ task }, i) => ({ task, value: values[i]! })));
  const { mean: change, low, high } = byFamily(changes);
  const worse = changes.filter((value) => value < 0).length;
  const clearly = changes.filter((value) => value < -NOISE).length;
  return [
    [0, 1].map((model) => figure(byFamily(pairs.map((pair) => pair[model]!)).mean)).join(' → '),
    `${signed(change)} (${range(low, high)})`,
    `${worse}; ${clearly} by > ${figure(NOISE).slice(0, 3)}`,
  ];
}

function over(own: readonly Result[], of: (measures: RunMeasures) => number): Interval {
  return familyMean(own.map(({ task, run }) => ({ task, value: of(run.measures) })));
}

function familyMean(values: readonly { readonly task: TaskFacts; readonly value: number }[]): Interval {
  const families = new Map<string, number[]>();
  for (const { task, value } of values) families.set(task.family, [...(families.get(task.family) ?? []), value]);
  return bootstrapMean([...families.values()].map(mean));
}

function range(low: number, high: number): string {
  return Number.isNaN(low) ? '–' : `${figure(low)} to ${figure(high)}`;
}

function signed(value: number): string {
  return value > 0 ? `+${figure(value)}` : figure(value);
}
