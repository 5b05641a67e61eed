import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { PageRole, TopicId, TrainingEntry, TrainingOrigin } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import type { PageFilter } from '../search-query.ts';
import type { ExportFilter, ExportRow, PageLink, ScoredPage } from '../store.ts';
import { readEndings } from './endings.ts';
import { readImportance } from './importance.ts';
import { linkLists, newestPage, pageByUrl } from './links.ts';
import { readPageFields } from './page-fields.ts';
import { pageConditions } from './page-filter.ts';
import type { Ask } from './reading.ts';

type Db = Kysely<Tables>;

const CHUNK = 1_000;
/** Pages whose links are read at a time: about ten thousand rows. */
const LINKING_PAGES = 500;

/**
 * Yields the pages that were current at the first query, in order of fetching. A recheck during the export neither
 * removes a page nor yields it twice.
 */
export async function* exportRows(
  ask: Ask,
  { topic, relevant = false, copies = false, ended = true, ...filter }: ExportFilter = {},
): AsyncGenerator<ExportRow> {
  const newest = await ask(newestPage);
  const ends = await ask(readEndings);
  for (let last = 0; last < newest; ) {
    const rows = await ask((db) => exportedPages(db, { after: last, newest }, { topic, relevant, filter }));
    if (rows.length === 0) return;
    const first = last + 1;
    last = rows.at(-1)!.sequence;
    const fields = await ask((db) => readPageFields(db, first, last));
    const importance = await ask((db) =>
      readImportance(
        db,
        rows.map(({ sequence }) => sequence),
      ),
    );
    const names = copies ? await ask((db) => copiesOf(db, first, last)) : NO_COPIES;
    for (const { final_url, role, topic, others, confidence, relevance, tunnel_depth, ...row } of rows) {
      const { fetched_at, content_type, from_url, ...same } = row;
      const end = ends.get(row.sequence);
      if (end !== undefined && !ended) continue;
      const page: ExportRow = {
        ...same,
        finalUrl: final_url,
        role: role as PageRole,
        topic: topic as TopicId,
        others: others === 1,
        confidence: confidence ?? Number.NaN,
        relevance: relevance ?? Number.NaN,
        tunnelDepth: tunnel_depth,
        fetchedAt: fetched_at,
        contentType: content_type,
        via: from_url,
        ...(end === undefined ? {} : { end }),
        ...(importance.has(row.sequence) && { importance: importance.get(row.sequence)! }),
        ...(fields.has(row.sequence) && { fields: fields.get(row.sequence)! }),
      };
      yield page;
      for (const url of names.get(page.sequence) ?? [])
        if (url !== page.url && url !== final_url) yield { ...page, url, duplicateOf: final_url };
    }
  }
}

/** Pages whose scores are counted at a time. */
const SCORED_PAGES = 10_000;

/** Returns the topics of all scores, if there are equally many of each. */
export async function readScoredTopics(ask: Ask): Promise<ReadonlySet<TopicId> | undefined> {
  const newest = await ask(newestPage);
  const pages = new Map<string, number>();
  for (let from = 0; from < newest; from += SCORED_PAGES)
    for (const { topic, scores } of await ask((db) => countScores(db, from, from + SCORED_PAGES)))
      pages.set(topic, (pages.get(topic) ?? 0) + Number(scores));
  return new Set(pages.values()).size > 1 ? undefined : new Set(pages.keys() as Iterable<TopicId>);
}

/** Counts the scores for each topic of the pages after `after`, up to `last`. */
async function countScores(db: Db, after: number, last: number) {
  return await db
    .selectFrom('page_score')
    .select(['topic', (eb) => eb.fn.countAll<number>().as('scores')])
    .where('page', '>', after)
    .where('page', '<=', last)
    .groupBy('topic')
    .execute();
}

interface ExportedRows {
  readonly topic: TopicId | undefined;
  readonly relevant: boolean;
  readonly filter: PageFilter;
}

/** Returns the next rows of pages, as they were when `newest` was the newest page. */
async function exportedPages(
  db: Db,
  { after, newest }: { readonly after: number; readonly newest: number },
  wanted: ExportedRows,
) {
  const conditions = await pageConditions(db, wanted.filter);
  const query = exportedQuery(db, wanted, conditions).where('sequence', '>', after).orderBy('sequence');
  const rows = await query.where('replaced_by', 'is', null).where('sequence', '<=', newest).limit(CHUNK).execute();
  if ((await newestPage(db)) === newest) return rows;
  const last = rows.length < CHUNK ? newest : rows.at(-1)!.sequence;
  // Queried after the other rows, so that none is missed.
  const replaced = await query.where('replaced_by', '>', newest).where('sequence', '<=', last).execute();
  const known = new Set(rows.map(({ sequence }) => sequence));
  const more = replaced.filter(({ sequence }) => !known.has(sequence));
  return [...rows, ...more].sort((a, b) => a.sequence - b.sequence);
}

function exportedQuery(db: Db, { topic, relevant }: ExportedRows, conditions: readonly RawBuilder<boolean>[]) {
  let query = db
    .selectFrom('page')
    .select(['url', 'final_url', 'title', 'role', 'topic', 'others', 'confidence', 'relevance', 'depth'])
    .select(['tunnel_depth', 'sequence', 'fetched_at', 'status', 'content_type', 'from_url', 'site', 'language']);
  for (const condition of conditions) query = query.where(condition);
  if (topic !== undefined) query = query.where('topic', '=', topic);
  return relevant ? query.where('role', '=', 'crawled').where('others', '=', 0) : query;
}

const NO_COPIES: ReadonlyMap<number, readonly string[]> = new Map();

/** Returns other addresses of a range of pages. */
async function copiesOf(db: Db, first: number, last: number): Promise<ReadonlyMap<number, readonly string[]>> {
  const rows = await db
    .selectFrom('alias')
    .innerJoin('url', 'url.id', 'alias.url_id')
    .select(['alias.page', 'url.url'])
    .where('alias.page', '>=', first)
    .where('alias.page', '<=', last)
    .orderBy('alias.page')
    .orderBy('alias.url_id')
    .execute();
  const names = new Map<number, string[]>();
  for (const { page, url } of rows) names.set(page, [...(names.get(page) ?? []), url]);
  return names;
}

/** Yields links between stored pages. */
export async function* pageLinks(ask: Ask): AsyncGenerator<readonly PageLink[]> {
  const pageOf = await pageByUrl(ask);
  for await (const { pages, targets } of linkLists(ask)) {
    const links: PageLink[] = [];
    for (const [i, target] of targets.entries()) {
      const to = pageOf[target] ?? 0;
      if (to > 0) links.push({ from: pages[i]!, to });
    }
    if (links.length > 0) yield links;
  }
}

/** Yields links of some pages to stored pages, see {@link pageLinks}. */
export async function* linksOf(ask: Ask, pages: readonly number[]): AsyncGenerator<readonly PageLink[]> {
  for (let at = 0; at < pages.length; at += LINKING_PAGES) {
    const rows = await ask((db) =>
      db
        .selectFrom('link')
        .innerJoin('alias', 'alias.url_id', 'link.target')
        .select(['link.page as from', 'alias.page as to'])
        .where('link.page', 'in', pages.slice(at, at + LINKING_PAGES))
        .orderBy('link.page')
        .orderBy('link.n')
        .execute(),
    );
    if (rows.length > 0) yield rows;
  }
}

/**
 * Returns stored pages with a link score, best authorities first. If two URLs lead to one page, the better score
 * counts.
 */
export async function readScoredPages(db: Db, topic: TopicId): Promise<readonly ScoredPage[]> {
  return await db
    .selectFrom('link_score')
    .innerJoin('alias', 'alias.url_id', 'link_score.url_id')
    .select('alias.page as sequence')
    .select(sql<number>`max(link_score.hub)`.as('hub'))
    .select(sql<number>`max(link_score.authority)`.as('authority'))
    .where('link_score.topic', '=', topic)
    .groupBy('alias.page')
    .orderBy('authority', 'desc')
    .orderBy('alias.page')
    .execute();
}

/** Returns topics that stored pages have, or whose OTHERS they are in. An index alone answers. */
export async function readPageTopics(db: Db): Promise<readonly TopicId[]> {
  const rows = await db.selectFrom('page').select('topic').where('replaced_by', 'is', null).distinct().execute();
  return rows.map(({ topic }) => topic as TopicId);
}

/** Returns every topic name that a round used. */
export async function readTrainedTopics(db: Db): Promise<readonly TopicId[]> {
  const rows = await db.selectFrom('training').select('topic').distinct().execute();
  return rows.map(({ topic }) => topic as TopicId);
}

/** Returns the pages on which the last round trained. */
export async function readTraining(db: Db): Promise<readonly TrainingEntry[]> {
  const rows = await db
    .selectFrom('training')
    .select(['example', 'title', 'topic', 'origin', 'confidence'])
    .where('round', '=', ({ selectFrom }) => selectFrom('round').select(sql<number>`max(sequence)`.as('n')))
    .orderBy('n')
    .execute();
  return rows.map((row) => ({
    key: row.example,
    title: row.title,
    topic: row.topic as TopicId,
    origin: row.origin as TrainingOrigin,
    confidence: row.confidence ?? Number.NaN,
  }));
}
