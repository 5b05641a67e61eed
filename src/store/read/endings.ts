import type { Kysely } from 'kysely';
import { type Ending, endingOf, type JournalRecord, type VisitRecord } from '../../core/index.ts';
import type { Sink } from '../ports.ts';
import { cleanUrl, type UrlIds } from '../rows/record-rows.ts';
import type { Row, Tables } from '../schema.ts';
import type { PageEnd } from '../search-query.ts';
import { pageHistories } from './histories.ts';
import { versionOf } from './reading.ts';

/**
 * Updates the table `ending`: pages that no longer exist, according to the last conclusive recheck. Temporary
 * failures are ignored.
 * @param replaced newer versions among the records: old sequence to new one
 */
export async function writeEndings(
  sink: Sink,
  records: readonly JournalRecord[],
  { replaced, ids }: { readonly replaced: ReadonlyMap<number, number>; readonly ids: UrlIds },
): Promise<void> {
  if (replaced.size === 0 && !records.some(isRecheck)) return;
  const olderOf = new Map([...replaced].map(([old, newer]) => [newer, old]));
  const newerOf = new Map<number, number>();
  const changes = new Map<number, Row | undefined>();
  for (const record of records) {
    const old = olderOf.get(record.sequence);
    if (record.kind === 'page' && old !== undefined) {
      newerOf.set(old, record.sequence);
      changes.set(old, undefined);
    } else if (isRecheck(record)) {
      const ending = endingOf(record);
      if (ending === undefined && record.result !== 'unchanged') continue;
      const owner = record.result === 'duplicate' ? await ownerOf(sink, record, ids) : record.page;
      const page = await currentOf(sink, owner, newerOf);
      if (page === 0) continue;
      const before = changes.has(page) ? changes.get(page) : await rowOf(sink, page);
      // The page left when this ending was first reported.
      const at = before?.[1] === ending ? Number(before?.[2]) : record.fetchedAt;
      changes.set(page, ending === undefined ? undefined : [page, ending, at, cleanUrl(record.target)]);
    }
  }
  if (changes.size === 0) return;
  const pages = [...changes.keys()];
  await sink.run(`delete from ending where page in (${pages.map(() => '?').join(',')})`, pages);
  await sink.insert(
    'ending',
    [...changes.values()].filter((row) => row !== undefined),
  );
}

async function rowOf(sink: Sink, page: number): Promise<Row | undefined> {
  const [row] = await sink.all('select page, ending, at from ending where page = ?', [page]);
  return row as Row | undefined;
}

function isRecheck(record: JournalRecord): record is VisitRecord {
  return record.kind === 'visit' && record.origin.via === 'recheck';
}

/** Returns the rechecked page of a visit. A duplicate's record names the other page, so its URL decides. */
async function ownerOf(sink: Sink, { url, page }: VisitRecord, ids: UrlIds): Promise<number> {
  const rows = await sink.all('select page from alias where url_id = ?', [ids.get(cleanUrl(url))!]);
  const owner = Number(rows[0]?.[0] ?? 0);
  return owner === page ? 0 : owner;
}

/** Returns the newest version of a page; 0 if there is no page. */
async function currentOf(sink: Sink, page: number, newerOf: ReadonlyMap<number, number>): Promise<number> {
  for (let current = page; ; ) {
    const [row] = await sink.all('select replaced_by from page where sequence = ?', [current]);
    if (row === undefined) return 0;
    const newer = newerOf.get(current) ?? Number(row[0] ?? 0);
    if (newer <= current) return current;
    current = newer;
  }
}

/** Fills the empty table from the records of the store. */
export async function fillEndings(db: Kysely<Tables>): Promise<void> {
  const recheck = await db.selectFrom('visit').select('sequence').where('via', '=', 'recheck').limit(1).execute();
  if (recheck.length === 0) return;
  // An interrupted migration runs again.
  await db.deleteFrom('ending').execute();
  const left: { readonly page: number; readonly ending: Ending; readonly at: number; readonly target: string }[] = [];
  for await (const { sequence, ending, endedAt, target } of pageHistories((question) => question(db)))
    if (ending !== undefined) left.push({ page: sequence, ending, at: endedAt, target });
  for (const row of left) await db.insertInto('ending').values(row).execute();
}

/** First schema version with the table. */
const ENDINGS_SINCE = 5;

/** Returns false if an older version wrote the store. */
export async function hasEndings(db: Kysely<Tables>): Promise<boolean> {
  return (await versionOf(db)) >= ENDINGS_SINCE;
}

/** Returns a condition on rows of `page` under the given name: the page still exists. */
export const IS_THERE = (page: string): string =>
  `not exists (select 1 from ending where ending.page = ${page}.sequence)`;

/** Like {@link IS_THERE}, for a store that an older version may have written. */
export async function isThere(db: Kysely<Tables>, page: string): Promise<string> {
  return (await hasEndings(db)) ? IS_THERE(page) : '1 = 1';
}

/** Returns pages that no longer exist, by sequence; empty if an older version wrote the store. */
export async function readEndings(db: Kysely<Tables>): Promise<ReadonlyMap<number, PageEnd>> {
  if (!(await hasEndings(db))) return new Map();
  const rows = await db.selectFrom('ending').selectAll().execute();
  return new Map(rows.map(({ page, ending, at, target }) => [page, { ending: ending as Ending, at, target }]));
}
