import { MAX_SHARDS, UsageError } from '../../core/index.ts';
import { collectionFolder, copyCheckpoint, copyStore, openStore } from '../../store/index.ts';
import { shardStore } from '../gathering/shard-stores.ts';
import { foldWhole } from '../reading/folded-whole.ts';
import { quoted } from '../words/shell-words.ts';
import { checkAddressLimit, type Spread, shardFolder, writeSpread } from '../workspace/spread-file.ts';
import { claimWorkspace, type Workspace } from '../workspace/workspace.ts';

/**
 * Spreads a crawl that has learned over shards: copies of its store, each of which fetches a part of the sites from
 * then on. The workspace's own store stays as it is. An interrupted command leaves nothing that counts.
 * @throws UsageError if the crawl is spread already, or has not learned yet
 */
export async function spreadWorkspace(workspace: Workspace, shards: number): Promise<Spread> {
  const { dir, config } = workspace;
  if (!Number.isSafeInteger(shards) || shards < 1 || shards > MAX_SHARDS)
    throw new UsageError(`A crawl has 1 to ${MAX_SHARDS} shards, not ${shards}.`);
  checkAddressLimit(shards, config.network);
  const lock = await claimWorkspace(dir);
  try {
    const home = { ...config.store, workspace: dir };
    const store = await openStore(home);
    try {
      const { phase, records } = await store.status();
      if (phase !== 'harvesting')
        throw new UsageError(
          'Only a crawl that has finished learning can be spread.',
          `First: bingo crawl ${quoted(dir)} --budget 500`,
        );
      const { fetched } = (await foldWhole(workspace, store, () => true))!;
      // What an interrupted command left would count as fetched or granted.
      await store.endSpread();
      for (let shard = 0; shard < shards; shard++) {
        const copy = shardStore(workspace, shard);
        await copyStore(home, copy);
        await copyCheckpoint(collectionFolder(dir), shardFolder(dir, shard));
        await beginShard(workspace, { shard, shards, at: records });
      }
      const spread = { shards, at: records, fetched };
      writeSpread(dir, spread);
      return spread;
    } finally {
      await store.close();
    }
  } finally {
    lock.release();
  }
}

async function beginShard(
  workspace: Workspace,
  { shard, shards, at }: { readonly shard: number; readonly shards: number; readonly at: number },
): Promise<void> {
  const store = await openStore(shardStore(workspace, shard));
  try {
    const command = { kind: 'begin-shard', shard, shards } as const;
    store.append({ kind: 'steer', sequence: at + 1, at: Date.now(), command });
    await store.flush();
  } finally {
    await store.close();
  }
}
