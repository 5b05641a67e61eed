import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { RELEVANCE_BOUNDS } from '../../core/index.ts';
import type { SchemaDialect } from '../ports.ts';
import type { PageSumTable, Tables } from '../schema.ts';
import { LINKS, SUM_BLOCK } from '../sum-block.ts';
import { versionOf } from './reading.ts';

type Db = Kysely<Tables>;

/** First schema version with sums. */
const SUMS_SINCE = 21;

export const SUM_TABLES = ['page_sum', 'host_sum', 'minute_sum'] as const;

/** Sums over the rows of `page`, as `page_sum` holds them. */
const SUMMED = sql`
  select sequence - sequence % ${sql.lit(SUM_BLOCK)} as block, role, via, topic, others, ${relevanceBinOf('relevance')} as bin,
    case when replaced_by is null then 1 else 0 end as live, count(*) as pages, count(confidence) as judged,
    coalesce(sum(confidence), 0e0) as confidence, count(relevance) as rated, coalesce(sum(relevance), 0e0) as relevance,
    max(depth) as depth
  from page
  group by sequence - sequence % ${sql.lit(SUM_BLOCK)}, role, via, topic, others, ${relevanceBinOf('relevance')},
    case when replaced_by is null then 1 else 0 end`;

/** Returns SQL for `relevanceBin` of a column. */
export function relevanceBinOf(column: string): RawBuilder<number> {
  const cases = RELEVANCE_BOUNDS.map(
    (bound, i) => sql`when ${sql.ref(column)} >= ${sql.lit(bound)} then ${sql.lit(i + 1)}`,
  );
  return sql<number>`case ${sql.join(cases.reverse(), sql` `)} else 0 end`;
}

/** Returns true if the store has sums; false if an older version wrote it. */
export async function hasSums(db: Db): Promise<boolean> {
  return (await versionOf(db)) >= SUMS_SINCE;
}

type PageSums = SelectQueryBuilder<Tables & { readonly sums: PageSumTable }, 'sums', object>;

/**
 * Returns the rows of `page_sum`, to select from.
 * @param isSummed false: an older version wrote the store, and the sums are computed from the pages
 */
export function pageSums(db: Db, isSummed: boolean): PageSums {
  const rows = isSummed ? sql<PageSumTable>`page_sum` : sql<PageSumTable>`(${SUMMED})`;
  return db.selectFrom(rows.as('sums')).where('sums.pages', '>', 0);
}

/** Returns the number of hosts and of sites with pages that the crawl found. */
export async function countSites(db: Db): Promise<{ readonly hosts: number; readonly sites: number }> {
  const counts = {
    hosts: sql<number>`count(distinct host)`.as('hosts'),
    sites: sql<number>`count(distinct site)`.as('sites'),
  };
  if (await hasSums(db))
    return await db
      .selectFrom('host_sum')
      .select([counts.hosts, counts.sites])
      .whereRef('pages', '>', 'sitemaps')
      .executeTakeFirstOrThrow();
  return await db
    .selectFrom('page')
    .select([counts.hosts, counts.sites])
    .where('role', '=', 'crawled')
    .where('via', '<>', 'sitemap')
    .where('replaced_by', 'is', null)
    .executeTakeFirstOrThrow();
}

/** Returns the number of links that pages had. */
export async function countLinks(db: Db): Promise<number> {
  if (await hasSums(db)) {
    const row = await db.selectFrom('meta').select('value').where('name', '=', LINKS).executeTakeFirst();
    if (row !== undefined) return Number(row.value);
  }
  const row = await db.selectFrom('link').select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  return Number(row.n);
}

/**
 * Returns the query that computes each table of sums from the pages, with its columns in order.
 * @param minute SQL for the minute in which a page was fetched
 */
export function sumQueries(minute: string): Readonly<Record<(typeof SUM_TABLES)[number], RawBuilder<unknown>>> {
  const relevance = 'count(relevance), coalesce(sum(relevance), 0e0)';
  const relevant = 'sum(case when others = 0 then 1 else 0 end)';
  const found = `from page where role = 'crawled' and replaced_by is null`;
  const sitemaps = `sum(case when via = 'sitemap' then 1 else 0 end)`;
  return {
    page_sum: SUMMED,
    host_sum: sql.raw(
      `select host, site, count(*), ${sitemaps}, ${relevant}, ${relevance} ${found} group by host, site`,
    ),
    minute_sum: sql.raw(`select ${minute}, count(*), ${relevant}, ${relevance} ${found} group by ${minute}`),
  };
}

/** Fills the tables of sums from the pages. */
export async function fillPageSums(db: Db, { minuteOf }: SchemaDialect): Promise<void> {
  // An interrupted migration runs again.
  for (const table of SUM_TABLES) await sql.raw(`delete from ${table}`).execute(db);
  const queries = sumQueries(minuteOf('fetched_at'));
  for (const [table, query] of Object.entries(queries)) await sql`insert into ${sql.table(table)} ${query}`.execute(db);
  await sql`delete from meta where name = ${LINKS}`.execute(db);
  await sql`insert into meta (name, value) select ${LINKS}, count(*) from link`.execute(db);
}
