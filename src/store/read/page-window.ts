import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { TopicId } from '../../core/index.ts';
import type { FacetCount, PageFacets, PageWindow, WindowQuery } from '../page-window.ts';
import type { Tables } from '../schema.ts';
import type { PageFilter } from '../search-query.ts';
import { isThere } from './endings.ts';
import { pageConditions, TAUGHT_APART } from './page-filter.ts';

type Db = Kysely<Tables>;

/** Values per facet. */
const FACETS = 30;
const DAY_MS = 86_400_000;

/** Returns a part of the current pages that pass a filter. Pages that are gone and counter-examples are left out. */
export async function readPageWindow(
  db: Db,
  filter: PageFilter,
  { order, offset, limit }: WindowQuery,
): Promise<PageWindow> {
  const query = await listed(db, filter);
  const { total } = await query.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow();
  const rows = await query
    .select(['sequence', 'final_url', 'title', 'topic', 'others', 'relevance', 'fetched_at'])
    .orderBy(order === 'relevance' ? 'relevance' : 'sequence', 'desc')
    .orderBy('sequence')
    .limit(limit)
    .offset(offset)
    .execute();
  const pages = rows.map(({ final_url: url, topic, others, relevance, fetched_at: fetchedAt, ...row }) => {
    return { ...row, url, topic: topic as TopicId, others: others === 1, relevance: relevance ?? 0, fetchedAt };
  });
  return { total: Number(total), pages };
}

/** Counts the same pages by topic, site, media type, language and day. */
export async function readPageFacets(db: Db, filter: PageFilter): Promise<PageFacets> {
  const query = await listed(db, filter);
  const facet = async (column: 'topic' | 'site' | 'content_type' | 'language'): Promise<readonly FacetCount[]> => {
    const wanted = column === 'topic' ? query.where('others', '=', 0) : query;
    const rows = await wanted
      .select([`${column} as value`, sql<number>`count(*)`.as('pages')])
      .groupBy(column)
      .orderBy('pages', 'desc')
      .orderBy('value')
      .limit(FACETS)
      .execute();
    return rows.map(({ value, pages }) => ({ value, pages: Number(pages) })).filter(({ value }) => value !== '');
  };
  const day = sql<number>`floor(fetched_at / ${sql.lit(DAY_MS)})`;
  const days = await query
    .select([day.as('day'), sql<number>`count(*)`.as('pages')])
    .groupBy(day)
    .orderBy('day', 'desc')
    .limit(FACETS)
    .execute();
  return {
    topic: await facet('topic'),
    site: await facet('site'),
    type: await facet('content_type'),
    language: await facet('language'),
    day: days.map((row) => ({ value: dateOf(Number(row.day)), pages: Number(row.pages) })),
  };
}

function dateOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

async function listed(db: Db, filter: PageFilter): Promise<SelectQueryBuilder<Tables, 'page', object>> {
  const conditions = [...(await pageConditions(db, filter)), sql<boolean>`not ${TAUGHT_APART}`];
  const there = sql<boolean>`${sql.raw(await isThere(db, 'page'))}`;
  return [...conditions, there].reduce(
    (query, condition) => query.where(condition),
    db.selectFrom('page').where('replaced_by', 'is', null),
  );
}
