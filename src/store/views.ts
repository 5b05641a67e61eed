import { type Kysely, sql } from 'kysely';
import type { SchemaDialect } from './ports.ts';
import { IS_THERE } from './read/endings.ts';

/** The ready-made views by name; `docs/schema.md` shows an example for each. */
export const VIEWS = [
  'harvest_by_minute',
  'census',
  'unvisited_links_of_top_hubs',
  'one_link_away',
  'sites_by_density',
  'cited_across_topics',
  'rechecked',
  'page_importance',
  'harvest_by_100_pages',
  'relevance_by_tenth',
  'sites_by_topic',
  'topic_citations',
  'narrowly_cited_sites',
  'typed_links',
  'citation_dates',
] as const;
export type ViewName = (typeof VIEWS)[number];

/** Number of hubs per topic whose links `unvisited_links_of_top_hubs` shows. */
const TOP_HUBS = 10;
/** The mean of a sum over so many pages; null without pages. */
const mean = (sum: string, of: string): string => `1e0 * ${sum} / nullif(${of}, 0)`;
const OF_ACCEPTED = (sum: string): string =>
  `sum(case when sums.role = 'crawled' and sums.others = 0 then sums.${sum} else 0 end)`;
const FOUND = `page.role = 'crawled' and page.replaced_by is null`;
const ACCEPTED = (page: string): string => `${page}.others = 0 and ${page}.replaced_by is null and ${IS_THERE(page)}`;

const BODIES: Readonly<Record<ViewName, (dialect: SchemaDialect) => string>> = {
  // Focus §3.7: mean relevance by minute of the visit.
  harvest_by_minute: () => `
    select minute, pages, relevant, 1e0 * relevant / pages as harvest_rate, ${mean('relevance', 'rated')} as mean_relevance
    from minute_sum where pages > 0
    order by minute`,

  // Focus §3.7: number of pages in each topic and in its OTHERS. Pages that no longer exist are left out.
  census: () => `
    select sums.topic as topic, max(coalesce(topic.good, 0)) as good,
      sum(case when sums.role = 'crawled' and sums.others = 0 then sums.pages else 0 end) as accepted,
      sum(case when sums.role = 'crawled' and sums.others = 1 then sums.pages else 0 end) as others,
      sum(case when sums.role <> 'crawled' and sums.others = 0 then sums.pages else 0 end) as examples,
      ${mean(OF_ACCEPTED('confidence'), OF_ACCEPTED('judged'))} as mean_confidence,
      ${mean(OF_ACCEPTED('relevance'), OF_ACCEPTED('rated'))} as mean_relevance
    from (
      select topic, role, others, pages, judged, confidence, rated, relevance from page_sum where live = 1
      union all
      select page.topic, page.role, page.others, -1, case when page.confidence is null then 0 else -1 end,
        -coalesce(page.confidence, 0e0), case when page.relevance is null then 0 else -1 end,
        -coalesce(page.relevance, 0e0)
      from ending join page on page.sequence = ending.page
      where page.role = 'crawled' and page.replaced_by is null
    ) sums
    left join topic on topic.id = sums.topic
    where sums.role <> 'others' or sums.others = 0
    group by sums.topic
    having sum(sums.pages) > 0
    order by accepted desc, topic`,

  // Focus §3.7: unfetched pages to which the best hubs link.
  unvisited_links_of_top_hubs: () => `
    select hubs.topic as topic, page.url as hub_url, hubs.hub as hub, url.url as url, link.anchor as anchor
    from (
      select link_score.topic as topic, link_score.url_id as url_id, link_score.hub as hub,
        row_number() over (partition by link_score.topic order by link_score.hub desc, link_score.url_id) as place
      from link_score where link_score.hub > 0
    ) hubs
    join alias on alias.url_id = hubs.url_id
    join page on page.sequence = alias.page
    join link on link.page = page.sequence
    join url on url.id = link.target
    where hubs.place <= ${TOP_HUBS}
      and not exists (select 1 from alias known where known.url_id = link.target)
      and not exists (select 1 from visit where visit.url_id = link.target and visit.retried = 0)
    order by hubs.topic, hubs.hub desc, link.page, link.n`,

  // Each pair is counted once, for both directions.
  one_link_away: () => `
    with pairs as (
      select citing.topic as citing_topic, cited.topic as cited_topic, count(*) as links,
        count(distinct citing.sequence) as citing_pages, count(distinct cited.sequence) as cited_pages
      ${CITATIONS}
      group by citing.topic, cited.topic
    )
    select citing_topic as topic, cited_topic as near_topic, 'cites' as direction, links, citing_pages, cited_pages
    from pairs
    union all
    select cited_topic as topic, citing_topic as near_topic, 'is cited by' as direction, links, citing_pages, cited_pages
    from pairs
    order by topic, links desc`,

  sites_by_density: () => `
    select site, sum(pages) as pages, sum(relevant) as relevant, 1e0 * sum(relevant) / sum(pages) as density,
      ${mean('sum(relevance)', 'sum(rated)')} as mean_relevance
    from host_sum where pages > 0
    group by site
    order by density desc, pages desc, site`,

  cited_across_topics: () => `
    select cited.topic as topic, citing.topic as citing_topic, cited.url as url, cited.title as title,
      count(*) as citations, count(distinct citing.site) as citing_sites
    ${CITATIONS}
    group by cited.sequence, cited.topic, citing.topic, cited.url, cited.title
    order by citing_sites desc, citations desc`,

  // Pages that no longer exist, pages that moved permanently to their own new address, and newer versions.
  rechecked: () => `
    select ending.ending as what, ending.at as at, page.url as url, ending.target as target,
      page.title as title, page.topic as topic, page.others as others, page.sequence as page
    from ending join page on page.sequence = ending.page
    union all
    select 'moved' as what, visit.fetched_at as at, visit.url as url, visit.target as target,
      page.title as title, page.topic as topic, page.others as others, page.sequence as page
    from visit
    join alias on alias.url_id = visit.url_id
    join page on page.sequence = alias.page
    where visit.via = 'recheck' and visit.result = 'redirected' and visit.reason not in ('temporary', 'merged')
    union all
    select 'changed' as what, newer.fetched_at as at, newer.url as url, '' as target,
      newer.title as title, newer.topic as topic, newer.others as others, newer.sequence as page
    from page older join page newer on newer.sequence = older.replaced_by
    order by at desc, page desc, what, url`,

  // Cho 1998 §2: importance of pages that still exist, by backlinks, PageRank and location.
  page_importance: () => `
    select page.sequence as page, page.final_url as url, page.title as title, page.topic as topic,
      page.others as others, page.relevance as relevance,
      importance.ib as ib, importance.ir as ir, importance.il as il
    from importance join page on page.sequence = importance.page
    where page.replaced_by is null and ${IS_THERE('page')}
    order by importance.ir desc, page.sequence`,

  // Focus §3.7 by pages instead of minutes, which do not depend on the speed of the network.
  harvest_by_100_pages: () => `
    select numbered.n - ((numbered.n - 1) % 100) as first_page, count(*) as pages,
      sum(case when numbered.others = 0 then 1 else 0 end) as relevant, avg(numbered.relevance) as mean_relevance
    from (
      select row_number() over (order by page.sequence) as n, page.others as others, page.relevance as relevance
      from page where ${FOUND}
    ) numbered
    group by numbered.n - ((numbered.n - 1) % 100)
    order by first_page`,

  relevance_by_tenth: () => `
    select case when page.relevance >= 1 then 0.9e0 else floor(page.relevance * 10) / 10e0 end as at_least,
      count(*) as pages, sum(case when page.others = 0 then 1 else 0 end) as relevant
    from page where ${FOUND}
    group by case when page.relevance >= 1 then 0.9e0 else floor(page.relevance * 10) / 10e0 end
    order by at_least`,

  sites_by_topic: () => `
    select own.topic as topic, own.site as site, own.relevant as relevant, fetched.pages as pages,
      1e0 * own.relevant / fetched.pages as density, own.authority as authority
    from (
      select page.topic as topic, page.site as site, count(*) as relevant,
        sum(coalesce(authority.authority, 0e0)) as authority
      from page left join authority on authority.page = page.sequence and authority.topic = page.topic
      where page.role = 'crawled' and ${ACCEPTED('page')}
      group by page.topic, page.site
    ) own
    join (select site, sum(pages) as pages from host_sum group by site) fetched on fetched.site = own.site
    order by own.topic, own.authority desc, density desc, own.site`,

  // Focus §3.7: which topics cite which, against the links expected if topics linked by their size alone.
  topic_citations: () => `
    select pairs.topic as topic, pairs.cited_topic as cited_topic, pairs.links as links,
      1e0 * pairs.links * sum(pairs.links) over ()
        / (1e0 * sum(pairs.links) over (partition by pairs.topic)
          * sum(pairs.links) over (partition by pairs.cited_topic)) as lift
    from (
      select citing.topic as topic, cited.topic as cited_topic, count(*) as links
      ${ACROSS_SITES}
      group by citing.topic, cited.topic
    ) pairs
    order by lift desc, pairs.links desc, pairs.topic, pairs.cited_topic`,

  // Sites whose citations come from few other sites, a sign of link spam.
  narrowly_cited_sites: () => `
    select pairs.site as site, sum(pairs.pages) as citing_pages, count(*) as citing_sites,
      1e0 * max(pairs.pages) / sum(pairs.pages) as most_from_one
    from (
      select cited.site as site, citing.site as citing_site, count(distinct citing.sequence) as pages
      ${ACROSS_SITES}
      group by cited.site, citing.site
    ) pairs
    group by pairs.site
    order by most_from_one desc, citing_pages desc, pairs.site`,

  // Focus §1: links between accepted pages with the topics of both ends; two of them joined make a typed path.
  typed_links: () => `
    select citing.topic as from_topic, citing.sequence as from_page, citing.url as from_url, link.anchor as anchor,
      cited.topic as to_topic, cited.sequence as to_page, cited.url as to_url
    from link
    join page citing on citing.sequence = link.page
    join alias on alias.url_id = link.target
    join page cited on cited.sequence = alias.page
    where citing.sequence <> cited.sequence and ${ACCEPTED('citing')} and ${ACCEPTED('cited')}`,

  // Focus §1: when which topic cited which. Counts every version of a page, so that two dates can be compared.
  citation_dates: () => `
    select citing.topic as topic, cited.topic as cited_topic, citing.fetched_at as since, newer.fetched_at as until,
      citing.url as url, cited.url as cited_url
    from link
    join page citing on citing.sequence = link.page
    left join page newer on newer.sequence = citing.replaced_by
    join alias on alias.url_id = link.target
    join page cited on cited.sequence = alias.page
    where citing.site <> cited.site and citing.others = 0 and ${ACCEPTED('cited')}`,
};

/**
 * Links to stored pages. The cross joins make SQLite begin with the citing pages: their conditions leave few, and the
 * links of the others are not read.
 */
const RESOLVED_LINKS = `from page citing
    cross join link on link.page = citing.sequence
    cross join alias on alias.url_id = link.target
    cross join page cited on cited.sequence = alias.page`;
/** Links between accepted pages of two sites. Links within a site recommend nothing. */
const ACROSS_SITES = `
    ${RESOLVED_LINKS}
    where citing.site <> cited.site and ${ACCEPTED('citing')} and ${ACCEPTED('cited')}`;
/** Links between accepted pages of two different topics. */
const CITATIONS = `
    ${RESOLVED_LINKS}
    where citing.topic <> cited.topic and ${ACCEPTED('citing')} and ${ACCEPTED('cited')}`;

export async function createViews(db: Kysely<unknown>, dialect: SchemaDialect): Promise<void> {
  for (const name of VIEWS)
    await sql.raw(`create ${dialect.viewOptions} view ${name} as ${BODIES[name](dialect)}`).execute(db);
}

export async function dropViews(db: Kysely<unknown>): Promise<void> {
  for (const name of VIEWS) await db.schema.dropView(name).ifExists().execute();
}
