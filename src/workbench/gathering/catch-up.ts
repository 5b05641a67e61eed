import { lockWorkspace, openStore, type Store, storeWriter } from '../../store/index.ts';
import { readSpread } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { appendNew } from './new-fetches.ts';
import { openShards } from './shard-stores.ts';

/** How long a command that reads gathers first: some thousand pages. */
const CATCH_UP_MS = 3_000;

/**
 * Gathers what the shards of a spread crawl fetched since the last worker ended, so that a command that reads shows it.
 * Does nothing if a worker gathers, or if the store cannot be written: the command then shows what is there.
 */
export async function catchUp(workspace: Pick<Workspace, 'dir' | 'config'>): Promise<void> {
  const { dir, config } = workspace;
  const spread = readSpread(dir);
  if (spread === undefined || (await storeWriter(config.store)) !== undefined) return;
  const deadline = performance.now() + CATCH_UP_MS;
  const shards = await openShards(workspace, spread);
  try {
    if ((await ungathered({ ...config.store, workspace: dir }, shards.stores, spread.at)) === 0) return;
    const lock = lockWorkspace(dir);
    let home: Store | undefined;
    try {
      home = await openStore({ ...config.store, workspace: dir });
      const isWanted = (): boolean => performance.now() < deadline;
      await appendNew(home, { shards: shards.stores, at: spread.at }, { isWanted });
    } finally {
      await home?.close();
      lock.release();
    }
  } catch {
    // Another process was faster, or the folder is read-only. Damage is reported when the store is read.
  } finally {
    await shards.close();
  }
}

/** Returns the number of fetches that the workspace's own store does not have. */
async function ungathered(
  home: Parameters<typeof openStore>[0],
  shards: readonly Store[],
  at: number,
): Promise<number> {
  const store = await openStore({ ...home, readOnly: true });
  try {
    return (await ungatheredOf(store, shards, at)).reduce((all, fetches) => all + fetches, 0);
  } finally {
    await store.close();
  }
}

/** Returns the number of fetches of each shard that the workspace's own store does not have. */
export async function ungatheredOf(
  home: Pick<Store, 'followed'>,
  shards: readonly Pick<Store, 'countFetches'>[],
  at: number,
): Promise<readonly number[]> {
  const followed = await home.followed();
  return await Promise.all(shards.map((shard, source) => shard.countFetches(followed.get(source) ?? at)));
}
