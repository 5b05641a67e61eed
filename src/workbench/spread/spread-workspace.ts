import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_SHARDS, UsageError } from '../../core/index.ts';
import { collectionFolder, copyStore, openStore } from '../../store/index.ts';
import { quoted } from '../words/shell-words.ts';
import { readSpread, SHARDS_FOLDER, type Spread, shardFolder, writeSpread } from '../workspace/spread-file.ts';
import { claimWorkspace, type Workspace } from '../workspace/workspace.ts';

/** Name of the folder while the shards are made: an interrupted spread leaves nothing that counts. */
const UNFINISHED = 'shards.new';

/**
 * Spreads a crawl that has learned over shards: copies of its store, each of which fetches a part of the sites from
 * then on. The workspace's own store stays as it is.
 * @throws UsageError if the crawl is spread already, has not learned yet, or its store is on a server
 */
export async function spreadWorkspace(workspace: Workspace, shards: number): Promise<Spread> {
  const { dir, config } = workspace;
  if (!Number.isSafeInteger(shards) || shards < 2 || shards > MAX_SHARDS)
    throw new UsageError(`A crawl has 2 to ${MAX_SHARDS} shards, not ${shards}.`);
  if (config.store.url !== 'sqlite')
    throw new UsageError('A crawl whose store is on a server cannot be spread yet.', 'Use a workspace with SQLite.');
  const lock = await claimWorkspace(dir);
  try {
    if (readSpread(dir) !== undefined)
      throw new UsageError(`The crawl of ${dir} is spread already.`, `bingo work ${quoted(dir)} continues it.`);
    const home = await openStore({ ...config.store, workspace: dir });
    const { phase, fetched, records } = await home.status().finally(() => home.close());
    if (phase !== 'harvesting')
      throw new UsageError(
        'Only a crawl that has finished learning can be spread.',
        `First: bingo crawl ${quoted(dir)} --budget 500`,
      );
    const made = join(dir, UNFINISHED);
    for (const old of [made, join(dir, SHARDS_FOLDER)]) rmSync(old, { recursive: true, force: true });
    for (let shard = 0; shard < shards; shard++) {
      const folder = join(made, String(shard));
      copyStore(collectionFolder(dir), folder);
      const store = await openStore({ ...config.store, workspace: folder });
      try {
        store.append({
          kind: 'steer',
          sequence: records + 1,
          at: Date.now(),
          command: { kind: 'begin-shard', shard, shards },
        });
        await store.flush();
      } finally {
        await store.close();
      }
    }
    renameSync(made, join(dir, SHARDS_FOLDER));
    const spread = { shards, at: records, fetched };
    writeSpread(dir, spread);
    return spread;
  } finally {
    lock.release();
  }
}

/** Returns the options with which the store of a shard is opened. */
export function shardStore({ dir, config }: Workspace, shard: number): Parameters<typeof openStore>[0] {
  return { ...config.store, workspace: shardFolder(dir, shard) };
}
