import { count } from '../../core/index.ts';
import type { StoreStatus } from '../../store/index.ts';
import { sanitizeForTerminal } from '../terminal.ts';

const FAILURES_SHOWN = 6;

/** The most frequent reasons why fetches gave no page. */
export function failureLines(found: StoreStatus): string[] {
  const top = found.visits.filter(({ result }) => result !== 'unchanged').slice(0, FAILURES_SHOWN);
  if (top.length === 0) return [];
  const lines = top.map(
    ({ result, reason, count: n }) => `  ${count(n).padStart(7)}  ${sanitizeForTerminal(`${result} ${reason}`)}`,
  );
  return ['', 'Fetches that gave no page:', ...lines];
}
