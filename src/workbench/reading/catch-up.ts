import { lockWorkspace, openStore, type Store, type WorkspaceLock } from '../../store/index.ts';
import { appendNew, ungatheredOf } from '../gathering/new-fetches.ts';
import { openShards, type ShardStores } from '../gathering/shard-stores.ts';
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
  if (spread === undefined) return;
  const place = { ...config.store, workspace: dir };
  const deadline = performance.now() + CATCH_UP_MS;
  let shards: ShardStores | undefined;
  let reading: Store | undefined;
  let home: Store | undefined;
  let lock: WorkspaceLock | undefined;
  try {
    reading = await openStore({ ...place, readOnly: true });
    if ((await reading.writer()) !== undefined) return;
    shards = await openShards(workspace, spread);
    const counts = await ungatheredOf(reading, shards.stores, spread.at);
    if (counts.every((fetches) => fetches === 0)) return;
    lock = lockWorkspace(dir);
    home = await openStore(place);
    const isWanted = (): boolean => performance.now() < deadline;
    const whole = await foldWhole(workspace, home, isWanted);
    if (whole !== undefined) await appendNew(home, { shards: shards.stores, at: spread.at, whole }, { isWanted });
  } catch {
    // Another process was faster, or the folder is read-only. Damage is reported when the store is read.
  } finally {
    await home?.close();
    lock?.release();
    await reading?.close();
    await shards?.close();
  }
}
