import { lockWorkspace, openStore, type Store, storeWriter } from '../../store/index.ts';
import { appendNew, ungatheredOf } from '../gathering/new-fetches.ts';
import { openShards } from '../gathering/shard-stores.ts';
import { readSpread } from '../workspace/spread-file.ts';
import { foldWhole, type WholePlace } from './folded-whole.ts';

/** How long a command that reads gathers first: some thousand pages. */
const CATCH_UP_MS = 3_000;

/**
 * Gathers what the shards of a spread crawl fetched since the last worker ended, so that a command that reads shows it.
 * Does nothing if a worker gathers, or if the store cannot be written: the command then shows what is there.
 */
export async function catchUp(workspace: WholePlace): Promise<void> {
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
      const whole = await foldWhole(workspace, home, isWanted);
      if (whole !== undefined) await appendNew(home, { shards: shards.stores, at: spread.at, whole }, { isWanted });
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
