import { openStore, type Store, type StoreOptions } from '../../store/index.ts';
import { loadWorkspace, type Workspace } from '../workspace/workspace.ts';
import { catchUp } from './catch-up.ts';
import { namedStore, type TableNames, tableNames } from './named-store.ts';

/** Environment variables, which override the workspace file. */
export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Opens a workspace and its store for reading, passes both to a function, and closes them. Topics have their current
 * names of bingo.yaml.
 */
export async function withStore<T>(
  dir: string,
  io: Environment,
  use: (store: Store, workspace: Workspace, tables: Tables) => Promise<T>,
): Promise<T> {
  const workspace = loadForReading(dir, io);
  return await readingStore(workspace, async (store) => {
    const names = await tableNames(store, workspace);
    return await use(namedStore(store, names), workspace, { store, names });
  });
}

/** Opens the store of a workspace for reading, passes it to a function, and closes it. Topics have their stored names. */
export async function readingStore<T>(
  workspace: Pick<Workspace, 'dir' | 'tree' | 'known' | 'config'>,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  await catchUp(workspace);
  const store = await openStore({ ...placeOf(workspace), readOnly: true });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** A store with the topic names of its tables. */
export interface Tables {
  readonly store: Store;
  readonly names: TableNames;
}

/**
 * Loads a workspace for reading what is stored. Training documents may be missing: they may have stayed where the
 * workspace was copied from.
 * @param flags settings by key, which override the workspace file
 * @throws UsageError, InputError as {@link loadWorkspace} does
 */
export function loadForReading(dir: string, io: Environment, flags?: ReadonlyMap<string, string>): Workspace {
  return loadWorkspace(dir, { env: io.env, ...(flags && { flags }) }, (path) => path);
}

/** Store options of a workspace for interactive commands: they wait less long for a lost server than a crawl does. */
export function placeOf({ config, dir }: Pick<Workspace, 'config' | 'dir'>): StoreOptions {
  const { url, batch, flushMs } = config.store;
  return { url, batch, flushMs, workspace: dir };
}
