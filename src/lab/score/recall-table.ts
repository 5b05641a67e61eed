import type { RecallEstimate } from '../../core/index.ts';
import { percent } from '../../kit/index.ts';
import { CHECKPOINTS, type Checkpoint } from './measures.ts';
import type { Table, TableInput } from './table.ts';
import type { TaskRun } from './task-run.ts';

/** The crawls' own estimates of recall beside recall by the labels, and how often the interval holds it. */
export function recallTables({ runs, orderings }: Pick<TableInput, 'runs' | 'orderings'>): readonly Table[] {
  return [estimateTable(runs), coverageTable(runs, orderings)];
}

/** True if the interval holds the recall by the labels. */
export function holds({ low, high }: RecallEstimate, recall: number): boolean {
  return low <= recall && recall <= high;
}

function estimateTable(runs: readonly TaskRun[]): Table {
  return {
    title: 'Estimated recall at the end, in %: estimate, interval, by the labels',
    head: ['task', 'ordering', 'estimate', 'interval', 'labels', 'holds'],
    rows: runs.map(({ task, ordering, measures: { estimated = {}, recall } }) => {
      const last = estimated[100];
      const truth = recall[100];
      if (last === undefined || Number.isNaN(truth)) return [task, ordering, '–', '–', whole(truth), '–'];
      const { share, low, high } = last;
      return [
        ...[task, ordering, whole(share), `${whole(low)}–${whole(high)}`, whole(truth)],
        holds(last, truth) ? 'yes' : truth > high ? 'no, more found' : 'no, less found',
      ];
    }),
  };
}

function coverageTable(runs: readonly TaskRun[], orderings: TableInput['orderings']): Table {
  return {
    title: 'How often the interval holds (an 80 % interval should hold four of five)',
    head: ['ordering', 'budget', 'estimates', 'hold', 'share', 'mean error'],
    rows: orderings.flatMap((ordering) =>
      CHECKPOINTS.map((at) =>
        coverageRow(
          runs.filter((run) => run.ordering === ordering),
          at,
        ),
      ),
    ),
  };
}

function coverageRow(runs: readonly TaskRun[], at: Checkpoint): readonly string[] {
  const pairs = runs.flatMap(({ measures: { estimated = {}, recall } }) => {
    const estimate = estimated[at];
    return estimate === undefined || Number.isNaN(recall[at]) ? [] : [{ estimate, truth: recall[at] }];
  });
  const held = pairs.filter(({ estimate, truth }) => holds(estimate, truth)).length;
  const error = pairs.reduce((sum, { estimate, truth }) => sum + Math.abs(estimate.share - truth), 0) / pairs.length;
  const shares = pairs.length === 0 ? ['–', '–'] : [percent(held / pairs.length), error.toFixed(2)];
  return [runs[0]?.ordering ?? '–', `${at} %`, String(pairs.length), String(held), ...shares];
}

function whole(share: number): string {
  return Number.isNaN(share) ? '–' : (100 * share).toFixed(0);
}
