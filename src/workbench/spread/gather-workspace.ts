import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type PageRecord, UsageError, type VisitRecord, WorkspaceLockedError } from '../../core/index.ts';
import {
  collectionFolder,
  copyStore,
  lockWorkspace,
  openStore,
  type Store,
  type WorkspaceLock,
} from '../../store/index.ts';
import { quoted } from '../words/shell-words.ts';
import { removeSpread, requireSpread, SHARDS_FOLDER, type Spread, shardFolder } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { shardStore } from './spread-workspace.ts';

/** Folder of the store while it is made: an interrupted gathering leaves the shards as they are. */
const UNFINISHED = 'gathered';
const STORE_FILE = 'store.db';
/** Records that wait for the store at most. */
const BACKLOG = 500;

/** What was gathered. */
export interface Gathered {
  readonly shards: number;
  /** Pages and other fetches since the crawl was spread. */
  readonly records: number;
}

/**
 * Makes one store of a spread crawl again: what all shards fetched, in order of time, behind the records from before
 * the crawl was spread. Links between shards need not be kept: all pages have their links.
 * @param onProgress receives the number of records written so far
 * @throws UsageError if the crawl is not spread, or a process works on it
 */
export async function gatherWorkspace(
  workspace: Workspace,
  onProgress: (records: number) => void = () => {},
): Promise<Gathered> {
  const { dir } = workspace;
  const spread = requireSpread(dir);
  const locks = lockAll(dir, spread);
  try {
    const home = collectionFolder(dir);
    const folder = join(dir, SHARDS_FOLDER, UNFINISHED);
    rmSync(folder, { recursive: true, force: true });
    const records = await gathered(workspace, spread, { folder, onProgress });
    // From here on a repeated command starts again with the same records: the shards are removed last.
    for (const end of ['-wal', '-shm']) rmSync(join(home, STORE_FILE + end), { force: true });
    renameSync(join(folder, STORE_FILE), join(home, STORE_FILE));
    removeSpread(dir);
    for (const lock of locks.splice(1)) lock.release();
    rmSync(join(dir, SHARDS_FOLDER), { recursive: true, force: true });
    return { shards: spread.shards, records };
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** Locks the workspace and its shards. */
function lockAll(dir: string, { shards }: Spread): WorkspaceLock[] {
  const locks: WorkspaceLock[] = [];
  try {
    locks.push(lockWorkspace(dir));
    for (let shard = 0; shard < shards; shard++) locks.push(lockWorkspace(shardFolder(dir, shard)));
    return locks;
  } catch (error) {
    for (const lock of locks) lock.release();
    if (!(error instanceof WorkspaceLockedError)) throw error;
    throw new UsageError('Another process works on this crawl.', `End it (Ctrl-C), then: bingo gather ${quoted(dir)}`);
  }
}

/** Makes the store of a spread crawl in a folder. Returns the number of records added. */
async function gathered(
  workspace: Workspace,
  spread: Spread,
  { folder, onProgress }: { readonly folder: string; readonly onProgress: (records: number) => void },
): Promise<number> {
  const { dir, config } = workspace;
  const first = shardFolder(dir, 0);
  // A former gathering that was interrupted at its end may have replaced the workspace's own store already.
  if (!existsSync(first)) throw new UsageError(`${first} is missing.`, 'Restore a copy of the folder.');
  copyStore(collectionFolder(dir), folder);
  const stores: Store[] = [];
  const store = await openStore({ ...config.store, workspace: folder });
  try {
    for (let shard = 0; shard < spread.shards; shard++)
      stores.push(await openStore({ ...shardStore(workspace, shard), readOnly: true }));
    let sequence = await store.count();
    if (sequence > spread.at) return sequence - spread.at;
    for await (const record of merged(stores.map((one) => fetches(one, spread.at)))) {
      const placed = record.place(++sequence);
      if (placed.kind === 'page') store.noteStems(stemsOf(placed));
      store.append(placed);
      if (store.backlog < BACKLOG) continue;
      await store.flush();
      onProgress(sequence - spread.at);
    }
    await store.flush();
    return sequence - spread.at;
  } finally {
    await store.close();
    await Promise.all(stores.map((one) => one.close()));
  }
}

function stemsOf({ document }: PageRecord): Uint8Array<ArrayBuffer> {
  const stems = document.features.terms?.features ?? '';
  return new Uint8Array(Buffer.from(stems === '' ? '' : `${stems}\n`));
}

/** A fetch of a shard, to be given its place in the journal of the whole. */
interface Fetch {
  readonly at: number;
  readonly place: (sequence: number) => PageRecord | VisitRecord;
}

/** Yields the fetches of a shard since the crawl was spread, with whole documents. */
async function* fetches(store: Store, after: number): AsyncGenerator<Fetch> {
  /** Sequence in the whole by sequence in the shard. */
  const places = new Map<number, number>();
  for await (const records of store.read({ after })) {
    const found = records.filter((record) => record.kind === 'page' || record.kind === 'visit');
    const pages = found.filter((record) => record.kind === 'page').map(({ sequence }) => sequence);
    const [documents, fields] = [await store.documents(pages), await store.fields(pages)];
    for (const record of found)
      yield {
        at: record.fetchedAt,
        place: (sequence) => {
          places.set(record.sequence, sequence);
          if (record.kind === 'visit') return { ...record, sequence, page: places.get(record.page) ?? record.page };
          const document = documents.get(record.sequence) ?? record.document;
          const { given } = record.document.links;
          const links = given === undefined ? document.links : { ...document.links, given };
          const own = fields.get(record.sequence);
          return { ...record, sequence, document: { ...document, links, ...(own && { fields: own }) } };
        },
      };
  }
}

/** Yields the items of several lists in order of time. Each list keeps its own order. */
async function* merged(lists: readonly AsyncGenerator<Fetch>[]): AsyncGenerator<Fetch> {
  const heads = await Promise.all(lists.map(async (list) => ({ list, head: (await list.next()).value })));
  for (;;) {
    let least: { readonly list: AsyncGenerator<Fetch>; head: Fetch | undefined } | undefined;
    for (const one of heads)
      if (one.head !== undefined && (least?.head === undefined || one.head.at < least.head.at)) least = one;
    if (least?.head === undefined) return;
    yield least.head;
    least.head = (await least.list.next()).value;
  }
}
