import type { ShardStanding } from '../../core/index.ts';

/** Maximum number of pages granted at a time: a shard that finds no more links keeps what it has not used. */
const MOST = 50;

/** What decides who may fetch more. */
export interface GrantQuestion {
  readonly shards: number;
  /** Pages that may be fetched since the crawl was spread. */
  readonly budget: number;
  /** Pages granted so far, by shard. Their sum is at most the budget. */
  readonly granted: ReadonlyMap<number, number>;
  /** By shard; a shard that published nothing is missing. */
  readonly standings: ReadonlyMap<number, ShardStanding>;
  /** Pages fetched before the crawl was spread. */
  readonly fetchedBefore: number;
}

/**
 * Grants further pages to shards that have links and have nearly used what they were granted, best waiting link first.
 * @returns `undefined` if nothing changes
 */
export function nextGrants({
  shards,
  budget,
  granted,
  standings,
  fetchedBefore,
}: GrantQuestion): ReadonlyMap<number, number> | undefined {
  const next = new Map(granted);
  let left = budget - sum(granted);
  const needy = [...standings].filter(([, { waiting }]) => waiting > 0).toSorted(([, a], [, b]) => b.best - a.best);
  for (const [shard, { fetched, waiting }] of needy) {
    if (left <= 0) break;
    const most = Math.min(MOST, Math.max(1, Math.floor(left / (2 * shards))), waiting);
    const unused = fetchedBefore + (next.get(shard) ?? 0) - fetched;
    if (unused > most / 2) continue;
    next.set(shard, (next.get(shard) ?? 0) + most);
    left -= most;
  }
  return sum(next) === sum(granted) ? undefined : next;
}

/** Returns the pages granted to all shards. */
export function sum(granted: ReadonlyMap<number, number>): number {
  return [...granted.values()].reduce((all, pages) => all + pages, 0);
}
