import type { OrderingName } from '../../core/index.ts';
import type { Result, TaskFacts } from './results.ts';
import type { RunMeasures } from './run-measures.ts';
import { bootstrapMean, type Interval, mean } from './statistics.ts';

/** Groupings of tasks. */
export const GROUPINGS = ['all', 'web', 'kind', 'examples'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A smaller change of AP or F1 counts as none. */
export const NOISE = 0.02;

/** A mean with its 95 % interval; all NaN if no task has the figure. `count`: number of task families. */
type Figure = Interval;

/** A measure of the classifier for the first and the last model. */
export interface ModelChange {
  readonly first: number;
  readonly last: number;
  /** Last minus first. */
  readonly change: Figure;
  /** Number of tasks whose last model is worse, and worse by more than {@link NOISE}. */
  readonly worse: number;
  readonly clearlyWorse: number;
}

/** Results of an ordering on a group of tasks. */
export interface GroupFigures {
  /** A web, a kind, a number of examples; `tasks` for all together. */
  readonly group: string;
  readonly ordering: OrderingName;
  readonly tasks: number;
  readonly nAUC: Figure;
  readonly recall25: Figure;
  readonly recall100: number;
  /** Lowest lead in nAUC over the better of breadth-first and best-first on the same task; NaN if neither was run. */
  readonly worstAgainstSimple: number;
  readonly f1: ModelChange;
  readonly averagePrecision: ModelChange;
  readonly archetypes: number;
  readonly archetypesOnTopic: number;
}

/** Lead of an ordering over another on the same tasks. */
export interface GroupDifference {
  readonly group: string;
  readonly ordering: OrderingName;
  readonly against: OrderingName;
  /** Number of tasks run under both. > 0 */
  readonly tasks: number;
  readonly nAUC: Figure;
  /** Number of tasks on which it is better. */
  readonly better: number;
}

/**
 * Computes figures of each ordering per group of tasks. Tasks of one family are not independent: their mean is one
 * value, and the bootstrap draws families.
 */
export function groupFigures(results: readonly Result[], by: Grouping): readonly GroupFigures[] {
  const orderings = [...new Set(results.map(({ run }) => run.ordering))];
  return groupsOf(results, by).flatMap((group) =>
    orderings.map((ordering) => {
      const own = results.filter(({ task, run }) => keyOf(task, by) === group && run.ordering === ordering);
      const { f1, averagePrecision } = changesOf(own);
      return {
        ...{ group, ordering, tasks: own.length },
        nAUC: over(own, (measures) => measures.nAUC),
        recall25: over(own, (measures) => measures.recall[25]),
        recall100: over(own, (measures) => measures.recall[100]).mean,
        worstAgainstSimple: worstAgainstSimple(own, results),
        ...{ f1, averagePrecision },
        archetypes: over(own, ({ archetypes }) => archetypes.count).mean,
        archetypesOnTopic: over(own, ({ archetypes }) => archetypes.onTopic).mean,
      };
    }),
  );
}

/** Returns the leads of an ordering over each other one; empty if no task was run under both. */
export function groupDifferences(
  results: readonly Result[],
  ordering: OrderingName,
  by: Grouping,
): readonly GroupDifference[] {
  const others = [...new Set(results.map(({ run }) => run.ordering))].filter((name) => name !== ordering);
  return groupsOf(results, by).flatMap((group) =>
    others.flatMap((against) => {
      const pairs = results
        .filter(({ task, run }) => run.ordering === ordering && keyOf(task, by) === group)
        .flatMap(({ task, run }) => {
          const other = results.find((result) => result.task.id === task.id && result.run.ordering === against);
          return other === undefined ? [] : [{ task, value: run.measures.nAUC - other.run.measures.nAUC }];
        });
      if (pairs.length === 0) return [];
      const better = pairs.filter(({ value }) => value > 0).length;
      return [{ group, ordering, against, tasks: pairs.length, nAUC: familyMean(pairs), better }];
    }),
  );
}

/** Change of a measure between two runs of the same tasks under the same ordering. */
export interface RunChange {
  readonly group: string;
  readonly ordering: OrderingName;
  readonly measure: string;
  /** Number of tasks in both runs. > 0 */
  readonly tasks: number;
  readonly before: number;
  readonly after: number;
  readonly change: Figure;
  /** Number of tasks that are better and worse by more than {@link NOISE}. */
  readonly better: number;
  readonly worse: number;
}

const CHANGED: readonly (readonly [string, (measures: RunMeasures) => number])[] = [
  ['nAUC', ({ nAUC }) => nAUC],
  ['recall at 25 %', ({ recall }) => recall[25]],
  ['recall at 100 %', ({ recall }) => recall[100]],
  ['F1, last model', ({ classifier }) => classifier.last.f1],
  ['AP, first model', ({ classifier }) => classifier.first.averagePrecision],
  ['AP, last model', ({ classifier }) => classifier.last.averagePrecision],
];

/** Compares two runs task by task; the bootstrap draws families of tasks, so that the interval is of paired changes. */
export function runChanges(before: readonly Result[], after: readonly Result[], by: Grouping): readonly RunChange[] {
  const keyed = new Map(before.map((result) => [runKey(result), result]));
  const pairs = after.flatMap((now) => {
    const earlier = keyed.get(runKey(now));
    return earlier === undefined ? [] : [{ now, earlier }];
  });
  const orderings = [...new Set(pairs.map(({ now }) => now.run.ordering))];
  return groupsOf(after, by).flatMap((group) =>
    orderings.flatMap((ordering) => {
      const own = pairs.filter(({ now }) => keyOf(now.task, by) === group && now.run.ordering === ordering);
      return own.length === 0
        ? []
        : CHANGED.map(([measure, of]) => ({ group, ordering, measure, ...changeIn(own, of) }));
    }),
  );
}

function runKey({ task, run }: Result): string {
  return `${task.id} ${run.ordering}`;
}

function changeIn(
  pairs: readonly { readonly now: Result; readonly earlier: Result }[],
  of: (measures: RunMeasures) => number,
): Omit<RunChange, 'group' | 'ordering' | 'measure'> {
  const changes = pairs.map(({ now, earlier }) => ({
    task: now.task,
    value: of(now.run.measures) - of(earlier.run.measures),
  }));
  return {
    tasks: pairs.length,
    before: over(
      pairs.map(({ earlier }) => earlier),
      of,
    ).mean,
    after: over(
      pairs.map(({ now }) => now),
      of,
    ).mean,
    change: familyMean(changes),
    better: changes.filter(({ value }) => value > NOISE).length,
    worse: changes.filter(({ value }) => value < -NOISE).length,
  };
}

function groupsOf(results: readonly Result[], by: Grouping): readonly string[] {
  return [...new Set(results.map(({ task }) => keyOf(task, by)))].sort(byNumberThenName);
}

function keyOf(task: TaskFacts, by: Grouping): string {
  return by === 'all' ? 'tasks' : String(task[by]);
}

function byNumberThenName(a: string, b: string): number {
  return Number(a) - Number(b) || (a < b ? -1 : a > b ? 1 : 0);
}

/** Returns the lowest lead over the better of breadth-first and best-first on the same task; NaN if neither was run. */
function worstAgainstSimple(own: readonly Result[], all: readonly Result[]): number {
  const leads = own.flatMap(({ task, run }) => {
    const simple = all
      .filter(({ task: { id }, run: { ordering } }) => id === task.id && SIMPLE.includes(ordering))
      .map((result) => result.run.measures.nAUC);
    const lead = run.measures.nAUC - Math.max(...simple);
    // A task without relevant pages has no lead.
    return simple.length === 0 || Number.isNaN(lead) ? [] : [lead];
  });
  return leads.length === 0 ? Number.NaN : Math.min(...leads);
}

const SIMPLE: readonly OrderingName[] = ['breadth-first', 'best-first'];

function changesOf(own: readonly Result[]): Pick<GroupFigures, 'f1' | 'averagePrecision'> {
  return {
    f1: changeOf(own, ({ classifier: { first, last } }) => [first.f1, last.f1]),
    averagePrecision: changeOf(own, ({ classifier: { first, last } }) => [
      first.averagePrecision,
      last.averagePrecision,
    ]),
  };
}

function changeOf(own: readonly Result[], of: (measures: RunMeasures) => readonly [number, number]): ModelChange {
  const pairs = own.map(({ run }) => of(run.measures));
  const changes = pairs.map(([first, last]) => last - first);
  const byFamily = (values: readonly number[]): Figure =>
    familyMean(own.map(({ task }, i) => ({ task, value: values[i]! })));
  return {
    first: byFamily(pairs.map(([first]) => first)).mean,
    last: byFamily(pairs.map(([, last]) => last)).mean,
    change: byFamily(changes),
    worse: changes.filter((value) => value < 0).length,
    clearlyWorse: changes.filter((value) => value < -NOISE).length,
  };
}

function over(own: readonly Result[], of: (measures: RunMeasures) => number): Figure {
  return familyMean(own.map(({ task, run }) => ({ task, value: of(run.measures) })));
}

function familyMean(values: readonly { readonly task: TaskFacts; readonly value: number }[]): Figure {
  const families = Map.groupBy(values, ({ task }) => task.family);
  return bootstrapMean([...families.values()].map((own) => mean(own.map(({ value }) => value))));
}
