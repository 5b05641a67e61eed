import type { Contender } from './contenders.ts';
import type { CrawlRun } from './run.ts';
import { table } from './table.ts';

/** Upper ends of the columns in which turns are counted, in ms. */
const TURN_ENDS = [2, 5, 10, 20, 50, 100];
const LONGEST = 5;

/** How long the main thread of each crawler computed at a stretch, all of its runs together. */
export function turnsTable(contenders: readonly Contender[], runs: readonly CrawlRun[]): string {
  const rows = contenders.map(({ key, title }) => {
    const turns = runs.flatMap((run) => (run.contender === key ? run.turns : [])).sort((a, b) => b - a);
    const counts = [...TURN_ENDS, Infinity].map((end, i) => {
      const from = TURN_ENDS[i - 1] ?? 0;
      return String(turns.filter((ms) => ms > from && ms <= end).length);
    });
    return [title, ...counts, turns.slice(0, LONGEST).map(Math.round).join(', ')];
  });
  const ends = TURN_ENDS.map((end, i) => (i === 0 ? `turns of 0 to ${end} ms` : `to ${end}`));
  return table(['crawler', ...ends, 'more', `${LONGEST} longest, ms`], rows);
}
