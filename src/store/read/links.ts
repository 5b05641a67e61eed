import { type Kysely, sql } from 'kysely';
import { type LinkList, unpackLinks } from '../link-pack.ts';
import type { Tables } from '../schema.ts';
import { type Ask, versionOf } from './reading.ts';

type Db = Kysely<Tables>;

/** First schema version with packed links. */
const SEGMENTS_SINCE = 27;
/** Segments read at a time, about 25,000 links each. */
const SEGMENTS = 4;
/** Pages outside of segments whose links are read at a time: about ten thousand rows. */
const LINKING_PAGES = 500;

/** Links of a usual segment, and some more. */
const ROOM = 65_536;

/**
 * Yields the links of pages, in order of the page and of the links on it. A list is valid until the next one is
 * requested.
 * @param isWanted false: the links of this page are left out. Default: all pages
 */
export async function* linkLists(ask: Ask, isWanted: (page: number) => boolean = () => true): AsyncGenerator<LinkList> {
  const newest = await ask(newestPage);
  const room = { pages: new Float64Array(ROOM), targets: new Float64Array(ROOM) };
  let covered = 0;
  for (;;) {
    const segments = await ask((db) => segmentsAfter(db, covered));
    for (const segment of segments) yield unpackLinks(segment, { isWanted, room });
    if (segments.length === 0) break;
    covered = segments.at(-1)!.last;
  }
  // Links of the last pages, which are in no segment yet.
  for (let from = covered + 1; from <= newest; from += LINKING_PAGES) {
    const all = await ask((db) => linksFrom(db, from, from + LINKING_PAGES));
    const rows = all.filter(({ page }) => isWanted(page));
    const [pages, targets] = [new Float64Array(rows.length), new Float64Array(rows.length)];
    for (const [i, row] of rows.entries()) {
      pages[i] = row.page;
      targets[i] = row.target;
    }
    if (rows.length > 0) yield { pages, targets };
  }
}

/** Returns the next segments after those that cover pages up to a sequence; none in a store of an older version. */
export async function segmentsAfter(db: Db, covered: number): Promise<readonly Tables['link_segment'][]> {
  if ((await versionOf(db)) < SEGMENTS_SINCE) return [];
  return await db
    .selectFrom('link_segment')
    .selectAll()
    .where('first', '>', covered)
    .orderBy('first')
    .limit(SEGMENTS)
    .execute();
}

/** Returns the links of the pages from one sequence to before another. */
export async function linksFrom(
  db: Db,
  from: number,
  to: number,
): Promise<readonly Pick<Tables['link'], 'page' | 'target'>[]> {
  return await db
    .selectFrom('link')
    .select(['page', 'target'])
    .where('page', '>=', from)
    .where('page', '<', to)
    .orderBy('page')
    .orderBy('n')
    .execute();
}

/** Returns the sequence of the newest page; 0 without pages. */
export async function newestPage(db: Db): Promise<number> {
  const row = await db.selectFrom('page').select(sql<number | null>`max(sequence)`.as('n')).executeTakeFirst();
  return row?.n ?? 0;
}

/** Returns pages with a link to a URL, oldest first; a page once for each of its links. */
export async function pagesLinkingTo(ask: Ask, target: number, limit: number): Promise<readonly number[]> {
  const found: number[] = [];
  for await (const { pages, targets } of linkLists(ask))
    for (let at = targets.indexOf(target); at >= 0; at = targets.indexOf(target, at + 1))
      if (found.push(pages[at]!) === limit) return found;
  return found;
}

/** URLs whose pages are read at a time. */
const URLS = 20_000;

/** Returns the page to which each URL leads, by the number of the URL; 0 for a URL that leads to none. */
export async function pageByUrl(ask: Ask): Promise<Int32Array> {
  const newest = await ask((db) =>
    db.selectFrom('alias').select(sql<number | null>`max(url_id)`.as('n')).executeTakeFirst(),
  );
  const found = new Int32Array((newest?.n ?? 0) + 1);
  for (let last = -1; ; ) {
    const rows = await ask((db) => aliasesAfter(db, last));
    for (const { url_id, page } of rows) found[url_id] = page;
    if (rows.length < URLS) return found;
    last = rows.at(-1)!.url_id;
  }
}

async function aliasesAfter(db: Db, after: number) {
  return await db
    .selectFrom('alias')
    .select(['url_id', 'page'])
    .where('url_id', '>', after)
    .orderBy('url_id')
    .limit(URLS)
    .execute();
}
