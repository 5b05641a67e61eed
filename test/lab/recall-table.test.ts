import { expect, test } from 'vitest';
import { recallTables } from '../../src/lab/score/recall-table.ts';
import type { TaskRun } from '../../src/lab/score/task-run.ts';

const run = (task: string, recall: number, estimate?: readonly [share: number, low: number, high: number]): TaskRun => {
  const [share = 0, low = 0, high = 0] = estimate ?? [];
  const measures = {
    recall: { 10: 0.1, 25: 0.2, 50: 0.3, 100: recall },
    estimated: estimate === undefined ? {} : { 100: { share, low, high } },
  };
  return { task, ordering: 'learned', fetched: [], archetypes: [], measures } as unknown as TaskRun;
};

test('shows estimates beside labels, and how often the interval holds', () => {
  const runs = [run('a', 0.8, [0.7, 0.5, 0.9]), run('b', 0.92, [0.7, 0.5, 0.9]), run('c', 0.9)];
  const [estimates, coverage] = recallTables({ runs, orderings: ['learned'] });
  expect(estimates?.rows).toEqual([
    ['a', 'learned', '70', '50–90', '80', 'yes'],
    ['b', 'learned', '70', '50–90', '92', 'no, more found'],
    ['c', 'learned', '–', '–', '90', '–'],
  ]);
  expect(coverage?.rows.at(-1)).toEqual(['learned', '100 %', '2', '1', '50 %', '0.16']);
  expect(coverage?.rows[0]).toEqual(['learned', '10 %', '0', '0', '–', '–']);
});
