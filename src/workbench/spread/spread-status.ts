import type { Store } from '../../store/index.ts';
import { ungatheredOf } from '../gathering/new-fetches.ts';
import { openShards } from '../gathering/shard-stores.ts';
import { readSpread } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A worker publishes about four times a second. */
const SILENT_MS = 5_000;

/** How far a shard of a spread crawl is. */
export interface ShardRow {
  readonly shard: number;
  /** Process that crawls it; `null` if none does. */
  readonly pid: number | null;
  /** Fetches that count against the budget since the crawl was spread. */
  readonly fetched: number;
  /** Links that wait; `null` before the first worker. */
  readonly waiting: number | null;
  /** Greatest priority of a link that may be requested now; `null` without one. */
  readonly best: number | null;
  /** Parcels of links from other shards that it has not received yet. */
  readonly behind: number;
  /** Fetches that search and the other commands that read do not show yet. */
  readonly ungathered: number;
}

/** Returns how far each shard is; `undefined` if the crawl is not spread. A crawl may run. */
export async function shardRows(
  workspace: Workspace,
  home: Pick<Store, 'followed'>,
  now: number = Date.now(),
): Promise<readonly ShardRow[] | undefined> {
  const spread = readSpread(workspace.dir);
  if (spread === undefined) return undefined;
  const { stores, close } = await openShards(workspace, spread);
  try {
    const ungathered = await ungatheredOf(home, stores, spread.at);
    const states = await Promise.all(stores.map((store) => store.exchange()));
    return await Promise.all(
      stores.map(async (store, shard): Promise<ShardRow> => {
        const published = await store.published();
        const { waiting = null, next = [], fetched = spread.fetched, pid = null } = published?.status.shard ?? {};
        const isLive = now - (published?.at ?? 0) < SILENT_MS && published?.status.phase !== 'done';
        const behind = await Promise.all(
          stores.map(async (source, from) => {
            const after = states[shard]!.received.get(from) ?? 0;
            return from === shard ? 0 : (await source.parcels(shard, { after, limit: 1_000 })).length;
          }),
        );
        return {
          ...{ shard, waiting, fetched: fetched - spread.fetched },
          pid: isLive ? pid : null,
          best: next[0] ?? null,
          ungathered: ungathered[shard]!,
          behind: behind.reduce((all, parcels) => all + parcels, 0),
        };
      }),
    );
  } finally {
    await close();
  }
}
