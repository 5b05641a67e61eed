import type { Config } from '../core/index.ts';
import { safeJson } from '../core/index.ts';
import { openStore, type Store } from '../store/index.ts';
import type { Io } from './command.ts';
import { loadWorkspace, type Workspace } from './workspace/workspace.ts';

/** Opens a workspace and its store for reading, hands both over, closes them. */
export async function withStore<T>(
  dir: string,
  io: Io,
  use: (store: Store, workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = loadWorkspace(dir, { env: io.env });
  const store = await openStore({ ...placeOf(workspace.config), workspace: workspace.dir, readOnly: true });
  try {
    return await use(store, workspace);
  } finally {
    await store.close();
  }
}

function placeOf({ store }: Config): Pick<Config['store'], 'url' | 'batch' | 'flushMs'> {
  return { url: store.url, batch: store.batch, flushMs: store.flushMs };
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
