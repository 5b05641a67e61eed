import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { BingoError, type PageRecord, UsageError, type VisitRecord, WorkspaceLockedError } from '../../core/index.ts';
import { deleteStore, lockWorkspace, openStore, type Store, type WorkspaceLock } from '../../store/index.ts';
import { quoted } from '../words/shell-words.ts';
import { removeSpread, requireSpread, SHARDS_FOLDER, writeSpread } from '../workspace/spread-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { shardStore } from './spread-workspace.ts';

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
 * the crawl was spread. Links between shards need not be kept: all pages have their links. An interrupted command
 * continues where it stopped: the shards do not change any more, so their order is the same again.
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
    writeSpread(dir, { ...spread, isGathering: true });
    const records = await gather(home, shards, { after: spread.at, onProgress });
    await open.close();
    removeSpread(dir);
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

/** Appends the fetches of all shards to a store. Returns their number. */
async function gather(
  home: Store,
  shards: readonly Store[],
  { after, onProgress }: { readonly after: number; readonly onProgress: (records: number) => void },
): Promise<number> {
  // What an interrupted command has stored already.
  const done = await home.count();
  let sequence = after;
  for await (const { place } of merged(shards.map((shard) => fetches(shard, after)))) {
    const record = place(++sequence);
    if (sequence <= done) continue;
    if (record.kind === 'page') home.noteStems(stemsOf(record));
    home.append(record);
    if (home.backlog < BACKLOG) continue;
    await home.flush();
    onProgress(sequence - after);
  }
  await home.flush();
  return sequence - after;
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
