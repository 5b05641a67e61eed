import { collectionsOf, collectionUrl, openStore, type Store, type StoreOptions } from '../../store/index.ts';
import { type Spread, shardFolder } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Returns the options with which the store of a shard is opened: a file, or a database beside that of the workspace. */
export function shardStore({ dir, config }: Pick<Workspace, 'dir' | 'config'>, shard: number): StoreOptions {
  const { url } = config.store;
  const own = url === 'sqlite' ? url : `${collectionUrl(url, collectionsOf(dir).current)}_s${shard}`;
  return { ...config.store, url: own, workspace: shardFolder(dir, shard) };
}

/** The stores of all shards, opened for reading. */
export interface ShardStores {
  /** By shard. */
  readonly stores: readonly Store[];
  close(): Promise<void>;
}

/** Opens the stores of all shards for reading. Their crawls may run. */
export async function openShards(
  workspace: Pick<Workspace, 'dir' | 'config'>,
  { shards }: Pick<Spread, 'shards'>,
): Promise<ShardStores> {
  const stores: Store[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(stores.map((store) => store.close()));
  };
  try {
    for (let shard = 0; shard < shards; shard++)
      stores.push(await openStore({ ...shardStore(workspace, shard), readOnly: true }));
  } catch (error) {
    await close();
    throw error;
  }
  return { stores, close };
}
