import { type Kysely, sql } from 'kysely';
import { ALL_SHARDS, type InboxRecord, joinParcels } from '../../core/index.ts';
import type { ExchangeState, StoredParcel } from '../exchange-state.ts';
import { unpackParcel } from '../rows/parcel-codec.ts';
import type { Tables } from '../schema.ts';

type Db = Kysely<Tables>;

/** Returns parcels for a shard, and those for all, oldest first. Those of one transaction are one. */
export async function readParcels(
  db: Db,
  target: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly StoredParcel[]> {
  const rows = await db
    .selectFrom('parcel')
    .select(['sequence', 'data'])
    .where('target', 'in', [target, ALL_SHARDS])
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(2 * limit)
    .execute();
  return [...Map.groupBy(rows, ({ sequence }) => sequence)]
    .slice(0, limit)
    .map(([sequence, parts]) => ({ sequence, parcel: joinParcels(parts.map(({ data }) => unpackParcel(data))) }));
}

/** Returns what a store has sent and received. */
export async function readExchange(db: Db): Promise<ExchangeState> {
  const sent = await lastOfEach(db, { table: 'parcel', by: 'target', last: 'sequence' });
  const received = await lastOfEach(db, { table: 'inbox', by: 'source', last: 'upto' });
  const last = await db
    .selectFrom('journal')
    .select(sql<number>`coalesce(max(sequence), 0)`.as('last'))
    .executeTakeFirstOrThrow();
  return {
    sequence: Number(last.last),
    sent,
    received,
  };
}

/**
 * Returns the greatest number per shard. Looks each shard up in the index: SQLite would read the whole index to group
 * it, and all workers ask several times per second.
 */
async function lastOfEach(
  db: Db,
  { table, by, last }: { readonly table: 'parcel' | 'inbox'; readonly by: string; readonly last: string },
): Promise<ReadonlyMap<number, number>> {
  const [from, shard, number] = [sql.table(table), sql.ref(by), sql.ref(last)];
  const { rows } = await sql<{ readonly shard: number; readonly last: number }>`with recursive shards (shard) as (
      select min(${shard}) from ${from}
      union all
      select (select min(${shard}) from ${from} where ${shard} > shards.shard) from shards where shards.shard is not null
    )
    select shard, (select max(${number}) from ${from} where ${shard} = shards.shard) as last
      from shards where shard is not null`.execute(db);
  return new Map(rows.map(({ shard, last }) => [Number(shard), Number(last)]));
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
