import { openStore, type Store, type StoreOptions } from '../../store/index.ts';
import { loadWorkspace, type Workspace } from '../workspace/workspace.ts';
import { namedStore, type TableNames, tableNames } from './named-store.ts';

/** Environment variables, which stand above the workspace file. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens a workspace and its store for reading, hands both over, closes them. Topics are called as bingo.yaml calls them now. */
export async function withStore<T>(
  dir: string,
  io: Environment,
  use: (store: Store, workspace: Workspace, tables: Tables) => Promise<T>,
): Promise<T> {
  const workspace = loadForReading(dir, io);
  const store = await openStore({ ...placeOf(workspace), readOnly: true });
  try {
    const names = await tableNames(store, workspace);
    return await use(namedStore(store, names), workspace, { store, names });
  } finally {
    await store.close();
  }
}

/** A store as it is, with the names that its tables have. */
export interface Tables {
  readonly store: Store;
  readonly names: TableNames;
}

/**
 * A workspace for looking at what is stored. That takes no training documents: they may have stayed where the workspace was copied from.
 * @throws UsageError, InputError as {@link loadWorkspace} does
 */
export function loadForReading(dir: string, io: Environment): Workspace {
  return loadWorkspace(dir, { env: io.env }, (path) => path);
}

/** Where a workspace keeps what it knows, for commands whose person waits: they do not wait for a lost server as long as a crawl does. */
export function placeOf({ config, dir }: Pick<Workspace, 'config' | 'dir'>): StoreOptions {
  const { url, batch, flushMs } = config.store;
  return { url, batch, flushMs, workspace: dir };
}
