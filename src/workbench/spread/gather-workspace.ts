import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { BingoError, UsageError, WorkspaceLockedError } from '../../core/index.ts';
import {
  deleteCheckpointCopy,
  deleteStore,
  lockWorkspace,
  openStore,
  type Store,
  type WorkspaceLock,
} from '../../store/index.ts';
import { appendNew } from '../gathering/new-fetches.ts';
import { shardStore } from '../gathering/shard-stores.ts';
import { foldWhole } from '../reading/folded-whole.ts';
import { quoted } from '../words/shell-words.ts';
import { removeSpread, requireSpread, SHARDS_FOLDER } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What was gathered. */
export interface Gathered {
  readonly shards: number;
  /** Pages and other fetches since the crawl was spread. */
  readonly records: number;
}

/**
 * Makes one store of a spread crawl again: what all shards fetched, in order of time, behind the records from before
 * the crawl was spread. Most of it is there already, because a worker gathers while it works. Links between shards need
 * not be kept: all pages have their links. An interrupted command continues where it stopped.
 * @param onProgress receives the number of records written so far
 * @throws UsageError if the crawl is not spread, or a process works on it
 */
export async function gatherWorkspace(
  workspace: Workspace,
  onProgress: (records: number) => void = () => {},
): Promise<Gathered> {
  const { dir, config } = workspace;
  const spread = requireSpread(dir);
  const open = new Opened();
  try {
    const home = await open.store(workspace, { ...config.store, workspace: dir });
    const shards: Store[] = [];
    for (let shard = 0; shard < spread.shards; shard++)
      shards.push(await open.store(workspace, shardStore(workspace, shard)));
    const whole = (await foldWhole(workspace, home, () => true))!;
    await appendNew(home, { shards, at: spread.at, whole }, { onProgress });
    const records = (await home.exchange()).sequence - spread.at;
    // In this order: without its marks, a crawl that is still spread would be gathered again.
    removeSpread(dir);
    await home.endSpread();
    await open.close();
    await deleteCheckpointCopy({ ...config.store, workspace: dir });
    for (let shard = 0; shard < spread.shards; shard++) await deleteStore(shardStore(workspace, shard));
    rmSync(join(dir, SHARDS_FOLDER), { recursive: true, force: true });
    return { shards: spread.shards, records };
  } finally {
    await open.close();
  }
}

/** Locked folders and stores opened for writing, so that no other process works on the crawl. */
class Opened {
  readonly #locks: WorkspaceLock[] = [];
  readonly #stores: Store[] = [];

  async store({ dir }: Workspace, options: Parameters<typeof openStore>[0]): Promise<Store> {
    try {
      this.#locks.push(lockWorkspace(options.workspace));
      const store = await openStore(options);
      this.#stores.push(store);
      return store;
    } catch (error) {
      const isBusy = error instanceof BingoError && error.code === 'STORE_BUSY';
      if (!isBusy && !(error instanceof WorkspaceLockedError)) throw error;
      throw new UsageError(
        `Another process works on this crawl. ${error.message}`,
        `End it (Ctrl-C), then: bingo gather ${quoted(dir)}`,
      );
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#stores.splice(0).map((store) => store.close()));
    for (const lock of this.#locks.splice(0)) lock.release();
  }
}
