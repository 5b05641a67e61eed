import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type FieldValue, type PageFields, StoreError } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import type { FieldCondition } from '../search-query.ts';
import { versionOf } from './reading.ts';

type Db = Kysely<Tables>;

/** First schema version with fields. */
const FIELDS_SINCE = 12;

const NO_FIELDS: ReadonlyMap<number, PageFields> = new Map();

/** Returns the fields of a range of pages, by page; empty if an older version wrote the store. */
export async function readPageFields(db: Db, first: number, last: number): Promise<ReadonlyMap<number, PageFields>> {
  if ((await versionOf(db)) < FIELDS_SINCE) return NO_FIELDS;
  const query = db.selectFrom('page_field').selectAll().where('page', '>=', first).where('page', '<=', last);
  return byPage(await query.orderBy('page').orderBy('name').execute());
}

/** Returns the fields of some pages, by page; see {@link readPageFields}. */
export async function readFieldsOf(db: Db, pages: readonly number[]): Promise<ReadonlyMap<number, PageFields>> {
  if (pages.length === 0 || (await versionOf(db)) < FIELDS_SINCE) return NO_FIELDS;
  const query = db.selectFrom('page_field').selectAll().where('page', 'in', pages);
  return byPage(await query.orderBy('page').orderBy('name').execute());
}

function byPage(rows: readonly Tables['page_field'][]): ReadonlyMap<number, PageFields> {
  const pages = Map.groupBy(rows, ({ page }) => page);
  return new Map(
    [...pages].map(([page, own]) => [page, Object.fromEntries(own.map((row) => [row.name, fieldValue(row)]))]),
  );
}

/** Returns the names of all stored fields, in alphabetical order. */
export async function readFieldNames(db: Db): Promise<readonly string[]> {
  if ((await versionOf(db)) < FIELDS_SINCE) return [];
  const rows = await db.selectFrom('page_field').select('name').distinct().execute();
  return rows.map(({ name }) => name).sort();
}

/** @throws StoreError `NO_FIELDS` if there are conditions, and an older version wrote the store */
export async function checkFields(db: Db, conditions: readonly FieldCondition[]): Promise<void> {
  const [first] = conditions;
  if (first === undefined || (await versionOf(db)) >= FIELDS_SINCE) return;
  throw new StoreError({
    code: 'NO_FIELDS',
    message: `No page has the field "${first.name}": an older version of Bingo wrote this store, without fields.`,
    hint: 'The next bingo crawl upgrades the store. Extractors add fields to the pages that it fetches.',
  });
}

/** Returns the condition that a page has a field, with a value if one is given. */
export function fieldCondition(condition: FieldCondition): RawBuilder<boolean> {
  return sql<boolean>`(sequence in (select page from page_field where name = ${condition.name}${valueCondition(condition)}))`;
}

function valueCondition({ is, value, isText }: FieldCondition): RawBuilder<unknown> {
  if (isText) return sql` and text ${sql.raw(is)} ${value}`;
  const number = Number(value);
  if (is === 'there') return sql``;
  if (is === '~') return sql` and lower(text) like ${`%${value.toLowerCase().replace(/[!%_]/g, '!$&')}%`} escape '!'`;
  if (is !== '=') return sql` and number ${sql.raw(is)} ${number}`;
  const text = sql`lower(text) = ${value.toLowerCase()}`;
  return value.trim() === '' || Number.isNaN(number) ? sql` and ${text}` : sql` and (${text} or number = ${number})`;
}

function fieldValue({ kind, text, number }: Tables['page_field']): FieldValue {
  if (kind === 'string') return text;
  return kind === 'boolean' ? number === 1 : (number ?? Number.NaN);
}
