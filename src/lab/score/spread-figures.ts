import { count, counted, percent } from '../../kit/index.ts';

/** Simulated time of one fetch, ms: all shards together fetch 20 pages per second. */
export const FETCH_MS = 50;

/** A simulated spread crawl. */
export interface SpreadOptions {
  readonly shards: number;
  /** Time until what one process stores reaches another, ms. */
  readonly lagMs: number;
}

/** How the pages of a spread crawl were divided. */
export interface SpreadFigures {
  /** `site`: as `bingo spread` divides them. `host`: the web has fewer registered domains than shards. */
  readonly by: 'site' | 'host';
  /** Number of fetches, by shard. */
  readonly fetches: readonly number[];
  /** Share of the links of the fetched pages that lead to another shard. */
  readonly foreign: number;
}

/** Describes a simulated spread crawl, and how its pages were divided, in sentences. */
export function describeSpread({ shards, lagMs }: SpreadOptions, runs: readonly SpreadFigures[]): string {
  const byHost = runs.some(({ by }) => by === 'host')
    ? ` A web of fewer than ${counted(shards, 'site')} was divided by host, which \`bingo spread\` never does.`
    : '';
  const used = runs.map(({ fetches }) => fetches.filter((all) => all > 0).length);
  const tasks = [...Map.groupBy(used, (all) => all)].toSorted(([a], [b]) => b - a);
  const held = tasks.map(([all, those]) => `${count(all)} in ${counted(those.length, 'crawl')}`).join(', ');
  const foreign = runs.reduce((sum, run) => sum + run.foreign, 0) / runs.length;
  return (
    `Spread over ${counted(shards, 'shard')}; what one stores reaches others after ${count(lagMs)} ms, in which all ` +
    `fetch ${counted(lagMs / FETCH_MS, 'page')}.${byHost}\nShards that fetched pages: ${held}. ` +
    `Links to other shards: ${percent(foreign)}.`
  );
}
