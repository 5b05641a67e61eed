import { type Kysely, sql } from 'kysely';
import type { RoundRecord, SteerRecord } from '../../core/index.ts';
import type { StoredFetch } from '../exchange-state.ts';
import type { Tables } from '../schema.ts';
import { readFieldsOf } from './page-fields.ts';
import { readSteers, roundsBetween } from './rare-records.ts';
import { chunks, readDocuments, readFetchesBetween, versionOf } from './reading.ts';

/** First schema version that knows records of other stores. */
const FOLLOWED_SINCE = 26;

type Db = Kysely<Tables>;

/** Returns the first pages and visits after a record, with whole documents and fields. */
export async function readFetches(
  db: Db,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly StoredFetch[]> {
  const found = await db
    .selectFrom('journal')
    .select('sequence')
    .where('sequence', '>', after)
    .where('kind', 'in', ['page', 'visit'])
    .orderBy('sequence')
    .limit(limit)
    .execute();
  if (found.length === 0) return [];
  const records = await readFetchesBetween(db, after + 1, found.at(-1)!.sequence);
  const pages = records.flatMap(({ kind, sequence }) => (kind === 'page' ? [sequence] : []));
  const documents = await readDocuments(db, pages);
  const fields = await readFieldsOf(db, pages);
  return records.map((record) => {
    if (record.kind === 'visit') return record;
    const { links } = record.document;
    const document = documents.get(record.sequence) ?? record.document;
    const given = links.given === undefined ? document.links : { ...document.links, given: links.given };
    const own = fields.get(record.sequence);
    return { ...record, document: { ...document, links: given, ...(own && { fields: own }) } };
  });
}

/** Counts the pages and visits after a record. */
export async function countFetches(db: Db, after: number): Promise<number> {
  const row = await db
    .selectFrom('journal')
    .select((eb) => eb.fn.countAll<number>().as('fetches'))
    .where('sequence', '>', after)
    .where('kind', 'in', ['page', 'visit'])
    .executeTakeFirstOrThrow();
  return Number(row.fetches);
}

/** Returns the rounds and the user's changes after a record, in order. */
export async function readDecisions(db: Db, after: number): Promise<readonly (RoundRecord | SteerRecord)[]> {
  const [first, last] = [after + 1, Number.MAX_SAFE_INTEGER];
  const steers = await readSteers(db, first, last);
  const rounds = await roundsBetween(db, first, last);
  return [...rounds, ...steers].sort((a, b) => a.sequence - b.sequence);
}

/** Returns the last record that a store has of each other store. */
export async function readFollowed(db: Db): Promise<ReadonlyMap<number, number>> {
  if ((await versionOf(db)) < FOLLOWED_SINCE) return new Map();
  const rows = await db
    .selectFrom('followed')
    .select(['source', sql<number>`max(own)`.as('last')])
    .groupBy('source')
    .execute();
  return new Map(rows.map(({ source, last }) => [source, Number(last)]));
}

/** Returns the sequences that records of another store have in this one. */
export async function readPlaces(
  db: Db,
  source: number,
  sequences: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const places = new Map<number, number>();
  for (const part of chunks(sequences)) {
    const rows = await db
      .selectFrom('followed')
      .select(['own', 'place'])
      .where('source', '=', source)
      .where('own', 'in', part)
      .execute();
    for (const { own, place } of rows) places.set(own, place);
  }
  return places;
}
