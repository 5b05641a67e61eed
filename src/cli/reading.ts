import { safeJson } from '../core/index.ts';
import { openStore, type Store, type StoreOptions } from '../store/index.ts';
import type { Io } from './command.ts';
import { loadWorkspace, type Workspace } from './workspace/workspace.ts';

/** Opens a workspace and its store for reading, hands both over, closes them. */
export async function withStore<T>(
  dir: string,
  io: Io,
  use: (store: Store, workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = loadWorkspace(dir, { env: io.env });
  const store = await openStore({ ...placeOf(workspace), readOnly: true });
  try {
    return await use(store, workspace);
  } finally {
    await store.close();
  }
}

/** Where a workspace keeps what it knows, for commands whose person waits: they do not wait for a lost server as long as a crawl does. */
export function placeOf({ config, dir }: Pick<Workspace, 'config' | 'dir'>): StoreOptions {
  const { url, batch, flushMs } = config.store;
  return { url, batch, flushMs, workspace: dir };
}

/** A JSON array with one item a line, written as the items come. */
export async function writeJsonArray(io: Io, items: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
  let separator = '[\n';
  for await (const item of items) {
    await io.out(`${separator}${safeJson(item)}`);
    separator = ',\n';
  }
  await io.out(separator === '[\n' ? '[]\n' : '\n]\n');
}
