import type { OrderingName } from '../../core/index.ts';
import type { Task } from '../tasks/task.ts';

/** Names of reference figures in task files, for each of our orderings. */
const REFERENCE_NAMES: Readonly<Partial<Record<OrderingName, string>>> = {
  'breadth-first': 'bfs',
  random: 'random',
  backlink: 'backlink',
  pagerank: 'pagerank',
  'best-first': 'bestfirst',
  'soft-focus': 'softfocus_len',
  confidence: 'svm_parent',
  'shark-search': 'shark_fix',
  bingo: 'bingo_cal',
  learned: 'hybrid',
};

/** Returns the reference's nAUC for a task and ordering; NaN if missing. */
export function referenceOf(task: Task, ordering: OrderingName): number {
  return task.baseline[REFERENCE_NAMES[ordering] ?? ordering] ?? Number.NaN;
}
