import { safeJson } from '../core/index.ts';
import { openStore, type Store, type StoreOptions } from '../store/index.ts';
import type { Io } from './command.ts';
import { namedStore, type TableNames, tableNames } from './named-store.ts';
import { loadWorkspace, type Workspace } from './workspace/workspace.ts';

/** Opens a workspace and its store for reading, hands both over, closes them. Topics are called as bingo.yaml calls them now. */
export async function withStore<T>(
  dir: string,
  io: Io,
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
export function loadForReading(dir: string, io: Pick<Io, 'env'>): Workspace {
  return loadWorkspace(dir, { env: io.env }, (path) => path);
}

/** Where a workspace keeps what it knows, for commands whose person waits: they do not wait for a lost server as long as a crawl does. */
export function placeOf({ config, dir }: Pick<Workspace, 'config' | 'dir'>): StoreOptions {
  const { url, batch, flushMs } = config.store;
  return { url, batch, flushMs, workspace: dir };
}

/** A JSON array with one item a line, written as the items come. */
export async function writeJsonArray(io: Io, items: AsyncIterable<unknown> | Iterable<unknown>): Promise<void> {
  for await (const text of inChunks(jsonArray(items))) await io.out(text);
}

async function* jsonArray(items: AsyncIterable<unknown> | Iterable<unknown>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const item of items) {
    yield `${separator}${safeJson(item)}`;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

const CHUNK_CHARS = 65_536;
/** What comes slowly is not kept back for long. */
const CHUNK_MS = 200;

/** Short texts put together: to write each alone costs more than to make it. The first one, and what comes after a while, goes at once. */
export async function* inChunks(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  let wroteAt = Number.NEGATIVE_INFINITY;
  for await (const text of texts) {
    chunk += text;
    if (chunk.length < CHUNK_CHARS && performance.now() - wroteAt < CHUNK_MS) continue;
    yield chunk;
    chunk = '';
    wroteAt = performance.now();
  }
  if (chunk !== '') yield chunk;
}
