import type { ShardStanding } from '../../core/index.ts';

/** Time over which the speed of the shards is measured. */
const PACE_MS = 1_000;
/** Looks at the shards that this time covers at least: on a slow machine, grants are under way longer. */
const LEAST_LOOKS = 4;
/** Times as many pages are granted ahead as are fetched in that time: grants and figures are under way so long. */
const AHEAD = 1.5;

/** A shard that uses no grant for so long does not keep the others waiting. */
const STUCK_MS = 3_000;

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
 * Divides the budget: the best links that any shard may request soon are granted, as one frontier would take them. Only
 * as many are granted ahead as the shards together fetch in little more than a second, so that a better link found
 * meanwhile is not late. Links that must wait for their hosts take no grants from others.
 */
export class Granting {
  /** Since when each shard has fetched so many pages. */
  readonly #fetchedLast = new Map<number, { readonly at: number; readonly fetched: number }>();
  /** Pages fetched by all shards, by look. */
  readonly #samples: { readonly at: number; readonly fetched: number }[] = [];

  /**
   * @param now ms, of a clock that never runs backwards
   * @returns the pages granted to each shard; `undefined` if nothing changes
   */
  next(
    { shards, budget, granted, standings, fetchedBefore }: GrantQuestion,
    now: number,
  ): ReadonlyMap<number, number> | undefined {
    const unused = new Map<number, number>();
    let underWay = 0;
    let fetchedByAll = 0;
    for (const [shard, { fetched, next }] of standings) {
      const left = Math.max(0, fetchedBefore + (granted.get(shard) ?? 0) - fetched);
      fetchedByAll += fetched - fetchedBefore;
      const isStuck = this.#isStuck(shard, fetched, { left, now });
      unused.set(shard, isStuck ? next.length : left);
      if (!isStuck) underWay += Math.min(left, next.length);
    }
    const wanted = [...standings].flatMap(([shard, { next }]) =>
      next.slice(unused.get(shard)).map((priority) => ({ shard, priority })),
    );
    const ahead = shards + Math.ceil(AHEAD * this.#pace(fetchedByAll, now)) - underWay;
    const left = budget - sumGrants(granted);
    const best = wanted.toSorted((a, b) => b.priority - a.priority).slice(0, Math.max(0, Math.min(ahead, left)));
    if (best.length === 0) return undefined;
    const next = new Map(granted);
    for (const { shard } of best) next.set(shard, (next.get(shard) ?? 0) + 1);
    return next;
  }

  /** True if the shard has not used its grants for long: its process may be paused or lost. */
  #isStuck(shard: number, fetched: number, { left, now }: { readonly left: number; readonly now: number }): boolean {
    const last = this.#fetchedLast.get(shard);
    if (left === 0 || last?.fetched !== fetched) this.#fetchedLast.set(shard, { at: now, fetched });
    return now - (this.#fetchedLast.get(shard)?.at ?? now) > STUCK_MS;
  }

  /** Returns the number of pages fetched in the last second, or during the last looks if they take longer. */
  #pace(fetched: number, now: number): number {
    const samples = this.#samples;
    samples.push({ at: now, fetched });
    while (samples.length > LEAST_LOOKS && samples[1]!.at <= now - PACE_MS) samples.shift();
    return fetched - samples[0]!.fetched;
  }
}

/** Returns the pages granted to all shards. */
export function sumGrants(granted: ReadonlyMap<number, number>): number {
  return [...granted.values()].reduce((all, pages) => all + pages, 0);
}
