import type { FollowedRecord, PageRecord } from '../../core/index.ts';
import { type OfflineWhole, type PlaceFetch, placing } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';

/** Records read from a shard at a time: unpacking a page takes about a millisecond. */
const AT_ONCE = 8;
/** Records that wait for the store at most. */
const BACKLOG = 500;

/** A fetch of a shard that the workspace's own store does not have yet. */
export interface NewFetch {
  readonly at: number;
  readonly from: FollowedRecord;
  /** Returns its record in the workspace's own store. Called once, in order. */
  readonly place: PlaceFetch;
}

/** Where fetches are gathered from. */
export interface GatheringPlaces {
  readonly home: Pick<Store, 'followed' | 'places'>;
  /** The stores of all shards, by shard. */
  readonly shards: readonly Pick<Store, 'fetches'>[];
  /** The last record before the crawl was spread. */
  readonly at: number;
}

/**
 * Yields what the shards fetched and the workspace's own store does not have, in order of time as far as it is stored.
 * Each shard keeps its own order.
 */
export async function* newFetches({ home, shards, at }: GatheringPlaces): AsyncGenerator<NewFetch> {
  const followed = await home.followed();
  const lists = shards.map((shard, source) => fetchesOf({ home, shard, source, at }, followed.get(source) ?? at));
  const heads = await Promise.all(lists.map(async (list) => ({ list, head: (await list.next()).value })));
  for (;;) {
    let least: { readonly list: AsyncGenerator<NewFetch>; head: NewFetch | undefined } | undefined;
    for (const one of heads)
      if (one.head !== undefined && (least?.head === undefined || one.head.at < least.head.at)) least = one;
    if (least?.head === undefined) return;
    yield least.head;
    least.head = (await least.list.next()).value;
  }
}

/** How fetches are appended. */
export interface AppendLimits {
  /** Maximum number of fetches. Default: all that are stored. */
  readonly most?: number;
  /** Asked before each fetch; false ends it. Default: true. */
  readonly isWanted?: () => boolean;
  /** Receives the number of fetches appended so far. */
  readonly onProgress?: (fetches: number) => void;
}

/**
 * Appends what the shards fetched to the workspace's own store. Which record of which shard each of them is becomes
 * durable in the same transaction, so an interrupted call continues where it stopped. The caller holds the store's lock.
 * @returns the number of fetches appended
 */
export async function appendNew(
  home: Store,
  { whole, ...places }: Omit<GatheringPlaces, 'home'> & { readonly whole: OfflineWhole },
  { most = Number.POSITIVE_INFINITY, isWanted = () => true, onProgress }: AppendLimits = {},
): Promise<number> {
  let added = 0;
  for await (const { from, place } of newFetches({ ...places, home })) {
    const record = whole.add(place);
    if (record.kind === 'page') home.noteStems(stemsOf(record));
    home.append(record, undefined, from);
    if (++added >= most || !isWanted()) break;
    if (home.backlog < BACKLOG) continue;
    await home.flush();
    onProgress?.(added);
  }
  await home.flush();
  return added;
}

/** Returns the stems of a page as the store expects them. */
export function stemsOf({ document }: PageRecord): Uint8Array<ArrayBuffer> {
  const stems = document.features.terms?.features ?? '';
  return new Uint8Array(Buffer.from(stems === '' ? '' : `${stems}\n`));
}

/** Returns the number of fetches of each shard that the workspace's own store does not have. */
export async function ungatheredOf(
  home: Pick<Store, 'followed'>,
  shards: readonly Pick<Store, 'countFetches'>[],
  at: number,
): Promise<readonly number[]> {
  const followed = await home.followed();
  return await Promise.all(shards.map((shard, source) => shard.countFetches(followed.get(source) ?? at)));
}

async function* fetchesOf(
  {
    home,
    shard,
    source,
    at,
  }: Pick<GatheringPlaces, 'home' | 'at'> & { readonly shard: Pick<Store, 'fetches'>; readonly source: number },
  after: number,
): AsyncGenerator<NewFetch> {
  /** Sequence in the whole by sequence in the shard. */
  const places = new Map<number, number>();
  for (let last = after; ; ) {
    const records = await shard.fetches({ after: last, limit: AT_ONCE });
    // A visit may name a page that was gathered by an earlier call.
    const named = records.flatMap((record) => (record.kind === 'visit' && record.page > at ? [record.page] : []));
    const missing = named.filter((page) => !places.has(page));
    for (const [own, place] of await home.places(source, missing)) places.set(own, place);
    for (const record of records)
      yield {
        at: record.fetchedAt,
        from: { source, own: record.sequence },
        place: placing(record, places),
      };
    if (records.length < AT_ONCE) return;
    last = records.at(-1)!.sequence;
  }
}
