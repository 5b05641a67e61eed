import { type Kysely, sql } from 'kysely';
import {
  type CanonicalUrl,
  type Ending,
  hostOf,
  isPassingStatus,
  LINK_FLAG,
  LINKS_FOLLOWED,
  type PageRecord,
  type PageRole,
  type Phase,
  type TopicEstimate,
  type TopicId,
  type Via,
  type VisitRecord,
} from '../../core/index.ts';
import { cleanUrl } from '../rows/record-rows.ts';
import type { Tables } from '../schema.ts';
import type { LastRun, StoreStatus, TopicSummary } from '../store.ts';
import type { AliasReason, PathStep, UrlFacts } from '../url-facts.ts';
import { hasEndings } from './endings.ts';
import { findUrl } from './find-url.ts';
import { pagesLinkingTo } from './links.ts';
import { countLinks, countSites, hasSums, pageSums } from './page-sums.ts';
import { readLastVisit, readPages, readVisits } from './reading.ts';

type Db = Kysely<Tables>;

const MAX_LINKING_PAGES = 100;
/** No crawl is this deep; a longer path must be a cycle. */
const MAX_PATH = 10_000;

/** Returns totals over the store. */
export async function readStatus(db: Db): Promise<StoreStatus> {
  const phase = await db.selectFrom('phase').select('phase').orderBy('sequence', 'desc').limit(1).executeTakeFirst();
  // All pages that were fetched, including pages that no longer exist.
  const isSummed = await hasSums(db);
  const found = await foundSums(db, isSummed)
    .select([PAGES, RELEVANT])
    .select(sql<number | null>`max(sums.depth)`.as('depth'))
    .executeTakeFirstOrThrow();
  const pages = Number(found.pages ?? 0);
  const relevant = Number(found.relevant ?? 0);
  const fetched = pages + (await countUnstored(db));
  return {
    records: await countOf(db, 'journal'),
    pages,
    trainingPages: await countTraining(db, isSummed),
    seeds: await countSeeds(db, isSummed),
    fetched,
    relevant,
    harvestRate: relevant / fetched,
    left: await countLeft(db),
    phase: phase?.phase as Phase | undefined,
    topics: await readTopics(db, isSummed),
    ...(await countSites(db)),
    mirrors: await readMirrors(db),
    visits: await readResults(db),
    knownUrls: await lastUrl(db),
    visitedUrls: await countVisited(db),
    linksExtracted: await countLinks(db),
    maxDepth: Number(found.depth ?? 0),
    estimates: await readEstimates(db),
    rounds: await countOf(db, 'round'),
    runs: await countOf(db, 'run'),
    firstFetchedAt: await fetchedAt(db, 'asc'),
    lastFetchedAt: await fetchedAt(db, 'desc'),
  };
}

/** Counts requested URLs: those that led to a page, and those of fetches without one. */
async function countVisited(db: Db): Promise<number> {
  const led = db.selectFrom('alias').select('url_id');
  const failed = await db
    .selectFrom('visit')
    .select(sql<number>`count(distinct url_id)`.as('urls'))
    .where('url_id', 'not in', led)
    .executeTakeFirstOrThrow();
  return (await countOf(db, 'alias')) + Number(failed.urls);
}

/** Returns the estimates of the round whose model is in force. Columns do not hold their intervals. */
async function readEstimates(db: Db): Promise<readonly TopicEstimate[]> {
  const last = db.selectFrom('estimate').select(sql<number>`max(round)`.as('round'));
  const rows = await db.selectFrom('estimate').selectAll().where('round', '=', last).orderBy('n').execute();
  const real = (x: number | null): number => x ?? Number.NaN;
  return rows.map((row) => ({
    topic: row.topic as TopicId,
    positives: row.positives,
    negatives: row.negatives,
    xiAlphaPrecision: real(row.xi_alpha_precision),
    xiAlphaRecall: real(row.xi_alpha_recall),
    heldOutPrecision: real(row.held_out_precision),
    heldOutRecall: real(row.held_out_recall),
    heldOutMethod: row.held_out_method as TopicEstimate['heldOutMethod'],
    heldOutAuc: real(row.held_out_auc),
    exampleRank: real(row.example_rank),
    features: row.features,
  }));
}

/** Minimum number of copies, and their share of the host's fetches, for a host to be reported as a mirror. */
const MIRROR_COPIES = 4;
const MIRROR_SHARE = 0.75;
const MAX_MIRRORS = 10;

async function readMirrors(db: Db): Promise<StoreStatus['mirrors']> {
  const pairs = await db
    .selectFrom('visit')
    .innerJoin('page', 'page.sequence', 'visit.page')
    .select(['visit.host', 'page.host as original'])
    .select(sql<number>`count(*)`.as('copies'))
    .where('visit.result', '=', 'duplicate')
    .whereRef('visit.host', '<>', 'page.host')
    .groupBy(['visit.host', 'page.host'])
    .having(sql<number>`count(*)`, '>=', MIRROR_COPIES)
    .orderBy('copies', 'desc')
    .orderBy('visit.host')
    .limit(MAX_MIRRORS)
    .execute();
  if (pairs.length === 0) return [];
  const hosts = pairs.map(({ host }) => host);
  const own = await db
    .selectFrom('page')
    .select('host')
    .select(sql<number>`count(*)`.as('pages'))
    .where('host', 'in', hosts)
    .groupBy('host')
    .execute();
  const pagesOf = new Map(own.map(({ host, pages }) => [host, pages]));
  return pairs.filter(({ host, copies }) => copies >= MIRROR_SHARE * (copies + (pagesOf.get(host) ?? 0)));
}

/** Returns the path of the crawl from a seed to this URL. */
export async function readPath(db: Db, url: string): Promise<readonly PathStep[]> {
  const steps: PathStep[] = [];
  const met = new Set<number>();
  for (let at = url; at !== '' && steps.length < MAX_PATH; ) {
    const facts = await pageOrVisit(db, at);
    if (facts === undefined || met.has(facts.sequence)) break;
    met.add(facts.sequence);
    steps.push(await toStep(db, facts, at));
    at = facts.origin.from;
  }
  return steps.reverse();
}

/** Returns everything known about one URL. */
export async function readFacts(db: Db, url: string): Promise<UrlFacts> {
  const id = await urlId(db, url);
  if (id === undefined) return { page: undefined, as: undefined, visits: [], linkedFrom: [], hostTrouble: undefined };
  const alias = await aliasOf(db, id);
  const page = alias && (await pageNumbered(db, alias.page));
  const linkedFrom = (await linksTo(db, id)).map(({ flags, nofollow, role, ...link }) => {
    return { ...link, role: role as PageRole, nofollow: nofollow === 1 || (flags & LINK_FLAG.nofollow) !== 0 };
  });
  const visits = await readVisits(db, id);
  const hostTrouble = page === undefined && visits.length === 0 ? await readHostTrouble(db, url) : undefined;
  return { page, as: alias?.reason as AliasReason | undefined, visits, linkedFrom, hostTrouble };
}

async function linksTo(db: Db, id: number) {
  const pages = await pagesLinkingTo((question) => question(db), id, MAX_LINKING_PAGES);
  if (pages.length === 0) return [];
  return await db
    .selectFrom('link')
    .innerJoin('page', 'page.sequence', 'link.page')
    .select(['page.sequence', 'page.url', 'page.role', 'link.anchor', 'link.flags', 'page.nofollow'])
    .where('link.page', 'in', [...new Set(pages)])
    .where('link.target', '=', id)
    .orderBy('link.page')
    .orderBy('link.n')
    .limit(MAX_LINKING_PAGES)
    .execute();
}

/** Returns the page to which a URL led. Unlike {@link readFacts}, it does not walk over the links. */
export async function readPageOf(db: Db, url: string): Promise<PageRecord | undefined> {
  const id = await urlId(db, url);
  const alias = id === undefined ? undefined : await aliasOf(db, id);
  return alias && (await pageNumbered(db, alias.page));
}

/** Returns the last fetch from the URL's host if the host itself caused its failure and no later page succeeded. */
async function readHostTrouble(db: Db, url: string): Promise<VisitRecord | undefined> {
  const host = hostOf(url as CanonicalUrl);
  const last = await readLastVisit(db, host);
  if (last?.result !== 'failed' || (last.status > 0 && !isPassingStatus(last.status))) return undefined;
  const page = await db
    .selectFrom('page')
    .select('sequence')
    .where('host', '=', host)
    .where('sequence', '>', last.sequence)
    .limit(1)
    .executeTakeFirst();
  return page === undefined ? last : undefined;
}

function urlId(db: Db, url: string): Promise<number | undefined> {
  return findUrl(db, cleanUrl(url));
}

function aliasOf(db: Db, urlId: number) {
  return db.selectFrom('alias').selectAll().where('url_id', '=', urlId).executeTakeFirst();
}

async function pageNumbered(db: Db, sequence: number): Promise<PageRecord | undefined> {
  return (await readPages(db, [sequence])).get(sequence);
}

async function pageOrVisit(db: Db, url: string): Promise<PageRecord | VisitRecord | undefined> {
  const id = await urlId(db, url);
  if (id === undefined) return undefined;
  const alias = await aliasOf(db, id);
  if (alias !== undefined) return await pageNumbered(db, alias.page);
  return (await readVisits(db, id)).at(-1);
}

async function toStep(db: Db, record: PageRecord | VisitRecord, url: string): Promise<PathStep> {
  const { via, from, depth, tunnelDepth, priority, topic } = record.origin;
  const path = { via: via as Via, depth, tunnelDepth, priority, anchor: await anchorOf(db, from, [record.url, url]) };
  const { kind, sequence, fetchedAt } = record;
  if (record.kind === 'visit') {
    const title = `${record.result}: ${record.reason}`;
    const verdict = { topic, others: true, confidence: Number.NaN, relevance: Number.NaN };
    return { kind, sequence, url: record.url, title, ...verdict, ...path, fetchedAt };
  }
  const { assignment } = record;
  const verdict = { topic: assignment.topic, others: assignment.others, confidence: assignment.confidence };
  const title = record.document.title;
  return { kind, sequence, url: record.url, title, ...verdict, relevance: assignment.relevance, ...path, fetchedAt };
}

/** Returns the anchor text of the first link from a page to one of these URLs. */
async function anchorOf(db: Db, from: string, urls: readonly string[]): Promise<string> {
  const source = from === '' ? undefined : await urlId(db, from);
  if (source === undefined) return '';
  for (const url of urls) {
    const target = await urlId(db, url);
    if (target === undefined) continue;
    const link = await db
      .selectFrom('link')
      .innerJoin('alias', 'alias.page', 'link.page')
      .select('link.anchor')
      .where('alias.url_id', '=', source)
      .where('link.target', '=', target)
      .orderBy('link.n')
      .limit(1)
      .executeTakeFirst();
    if (link !== undefined) return link.anchor;
  }
  return '';
}

export async function readLastRun(db: Db): Promise<LastRun> {
  const runs = db.selectFrom('run').select(['sequence', 'settings']);
  const run = await runs.orderBy('sequence', 'desc').limit(1).executeTakeFirst();
  const rows = await db.selectFrom('topic').select(['id', 'name', 'parent', 'good']).orderBy('place').execute();
  const topics = rows.map(({ id, name, parent, good }) => ({
    ...{ id: id as TopicId, name, parent: (parent ?? undefined) as TopicId | undefined, good: good === 1 },
  }));
  return { sequence: run?.sequence ?? 0, settings: run?.settings ?? '', topics };
}

/** Returns current topics; pages that no longer exist are not counted. */
async function readTopics(db: Db, isSummed: boolean): Promise<readonly TopicSummary[]> {
  const groups = await foundSums(db, isSummed)
    .select(['sums.topic', 'sums.others', PAGES])
    .select([summed('judged'), summed('confidence'), summed('rated'), summed('relevance')])
    .groupBy(['sums.topic', 'sums.others'])
    .orderBy('sums.topic')
    .execute();
  const topics = Map.groupBy([...groups, ...(await leftPages(db))], ({ topic }) => topic);
  return [...topics].flatMap(([topic, rows]) => {
    const sum = (others: number, of: (row: (typeof rows)[number]) => unknown): number =>
      rows.reduce((total, row) => total + (row.others === others ? Number(of(row)) : 0), 0);
    const [accepted, others] = [0, 1].map((i) => sum(i, (row) => row.pages)) as [number, number];
    if (accepted + others === 0) return [];
    const meanConfidence = sum(0, (row) => row.confidence) / sum(0, (row) => row.judged);
    const meanRelevance = sum(0, (row) => row.relevance) / sum(0, (row) => row.rated);
    return [{ topic: topic as TopicId, accepted, others, meanConfidence, meanRelevance }];
  });
}

/** Returns a negative group for each page that no longer exists. */
async function leftPages(db: Db) {
  if (!(await hasEndings(db))) return [];
  const rows = await foundPages(db)
    .innerJoin('ending', 'ending.page', 'page.sequence')
    .select(['page.topic', 'page.others', 'page.confidence', 'page.relevance'])
    .execute();
  return rows.map(({ topic, others, confidence, relevance }) => {
    const counts = { pages: -1, judged: confidence === null ? 0 : -1, rated: relevance === null ? 0 : -1 };
    return { topic, others, ...counts, confidence: -(confidence ?? 0), relevance: -(relevance ?? 0) };
  });
}

const PAGES = sql<number | null>`sum(sums.pages)`.as('pages');
const RELEVANT = sql<number | null>`sum(case when sums.others = 0 then sums.pages else 0 end)`.as('relevant');

function summed<T extends string>(column: T) {
  return sql<number>`sum(${sql.ref(`sums.${column}`)})`.as(column);
}

/** Returns the sums of {@link foundPages}. */
function foundSums(db: Db, isSummed: boolean) {
  return pageSums(db, isSummed)
    .where('sums.role', '=', 'crawled')
    .where('sums.via', '<>', 'sitemap' satisfies Via)
    .where('sums.live', '=', 1);
}

/** Returns when the first or the last of the found pages was fetched. */
async function fetchedAt(db: Db, order: 'asc' | 'desc'): Promise<number | undefined> {
  const row = await foundPages(db).select('fetched_at').orderBy('fetched_at', order).limit(1).executeTakeFirst();
  return row?.fetched_at;
}

/** Pages found by the crawl, in their newest version. */
function foundPages(db: Db) {
  return db
    .selectFrom('page')
    .where('role', '=', 'crawled')
    .where('via', '<>', 'sitemap' satisfies Via)
    .where('replaced_by', 'is', null);
}

/** The HTTP status of a visit if it is the reason of the failure. */
const CODE = sql<number>`case when reason = 'http' then status else 0 end`;

async function readResults(db: Db): Promise<StoreStatus['visits']> {
  const rows = await db
    .selectFrom('visit')
    .select(['result', 'reason', CODE.as('code')])
    .select(sql<number>`count(*)`.as('count'))
    .groupBy(['result', 'reason', 'code'])
    .orderBy('count', 'desc')
    .orderBy('result')
    .orderBy('reason')
    .orderBy('code')
    .execute();
  return rows.map(({ result, reason, code, count }) => {
    return { result: result as VisitRecord['result'], reason, status: code, count: Number(count) };
  });
}

/** Counts fetches without a page that count as fetched: copies, and pages that ask not to be stored. */
async function countUnstored(db: Db): Promise<number> {
  const row = await db
    .selectFrom('visit')
    .select(sql<number>`count(*)`.as('n'))
    .where('via', 'in', ['link', 'hub', 'redirect'] satisfies Via[])
    .where((or) => or.or([or('result', '=', 'duplicate'), or('reason', '=', LINKS_FOLLOWED)]))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

async function countLeft(db: Db): Promise<StoreStatus['left']> {
  const left = { gone: 0, moved: 0, same: 0, noindex: 0 };
  if (!(await hasEndings(db))) return left;
  const rows = await db
    .selectFrom('ending')
    .innerJoin('page', 'page.sequence', 'ending.page')
    .select('ending.ending')
    .select(sql<number>`count(*)`.as('n'))
    .where('page.others', '=', 0)
    .groupBy('ending.ending')
    .execute();
  for (const { ending, n } of rows) left[ending as Ending] = Number(n);
  return left;
}

async function countTraining(db: Db, isSummed: boolean): Promise<number> {
  const row = await pageSums(db, isSummed)
    .select(PAGES)
    .where('sums.role', '<>', 'crawled')
    .where('sums.live', '=', 1)
    .executeTakeFirstOrThrow();
  return Number(row.pages ?? 0);
}

/** Newer versions of a seed's page have the role `recheck`; only the first version names its origin. */
async function countSeeds(db: Db, isSummed: boolean): Promise<number> {
  const row = await pageSums(db, isSummed)
    .select(PAGES)
    .where('sums.role', '=', 'crawled')
    .where('sums.via', '=', 'seed' satisfies Via)
    .executeTakeFirstOrThrow();
  return Number(row.pages ?? 0);
}

/** URLs are numbered 1, 2, 3, … */
async function lastUrl(db: Db): Promise<number> {
  const row = await db.selectFrom('url').select(sql<number | null>`max(id)`.as('last')).executeTakeFirst();
  return Number(row?.last ?? 0);
}

export async function countOf(db: Db, table: 'journal' | 'alias' | 'round' | 'run'): Promise<number> {
  const row = await db.selectFrom(table).select(sql<number>`count(*)`.as('n')).executeTakeFirstOrThrow();
  return Number(row.n);
}
