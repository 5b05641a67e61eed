import { type Kysely, sql } from 'kysely';
import type { InboxRecord } from '../../core/index.ts';
import type { ExchangeState, StoredParcel } from '../exchange-state.ts';
import { unpackParcel } from '../rows/parcel-codec.ts';
import type { Tables } from '../schema.ts';

type Db = Kysely<Tables>;

/** Returns parcels for a shard, oldest first. */
export async function readParcels(
  db: Db,
  target: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly StoredParcel[]> {
  const rows = await db
    .selectFrom('parcel')
    .select(['sequence', 'data'])
    .where('target', '=', target)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  return rows.map(({ sequence, data }) => ({ sequence, parcel: unpackParcel(data) }));
}

/** Returns what a store has sent and received. */
export async function readExchange(db: Db): Promise<ExchangeState> {
  const sent = await db
    .selectFrom('parcel')
    .select(['target', sql<number>`max(sequence)`.as('last')])
    .groupBy('target')
    .execute();
  const received = await db
    .selectFrom('inbox')
    .select(['source', sql<number>`max(upto)`.as('upto')])
    .groupBy('source')
    .execute();
  const last = await db
    .selectFrom('journal')
    .select(sql<number>`coalesce(max(sequence), 0)`.as('last'))
    .executeTakeFirstOrThrow();
  return {
    sequence: Number(last.last),
    sent: new Map(sent.map(({ target, last }) => [target, Number(last)])),
    received: new Map(received.map(({ source, upto }) => [source, Number(upto)])),
  };
}

/** Returns the records of a range with links of other shards. */
export async function readInbox(db: Db, first: number, last: number): Promise<InboxRecord[]> {
  const rows = await db
    .selectFrom('inbox')
    .selectAll()
    .where('sequence', '>=', first)
    .where('sequence', '<=', last)
    .execute();
  return rows.map(({ data, ...row }) => ({ kind: 'inbox', ...row, parcel: unpackParcel(data) }));
}

/** Returns how many pages each shard may fetch since the crawl was spread. */
export async function readGrants(db: Db): Promise<ReadonlyMap<number, number>> {
  const rows = await db.selectFrom('shard_grant').selectAll().execute();
  return new Map(rows.map(({ shard, pages }) => [shard, pages]));
}
