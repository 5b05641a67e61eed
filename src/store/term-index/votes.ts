import { type Kysely, sql } from 'kysely';
import { among, replacedPages } from '../read/page-filter.ts';
import { versionOf } from '../read/reading.ts';
import type { Tables } from '../schema.ts';
import type { UnfetchedPage, VoteQuery } from '../search-query.ts';
import { readVotesOf } from './vote-words.ts';

type Db = Kysely<Tables>;

/** First schema version with words of links. */
const VOTE_WORDS_SINCE = 20;
/** Length of a beginning below which only the word itself is looked up. */
const SHORT = 3;
/** Pages whose links are read at a time. */
const LINKING_PAGES = 5_000;
/** Numbers per query. */
const CHUNK = 1_000;

/** Scores of stored pages by the votes of pages, and by those of sites. */
export interface VoteScores {
  readonly votes: ReadonlyMap<number, number>;
  readonly sitevotes: ReadonlyMap<number, number>;
}

/** Votes for one link target: referring pages by the number of the query's word that their anchor has. */
type Votes = ReadonlyMap<number, ReadonlySet<number>>;

/**
 * Returns the score of stored pages by the votes of referring pages for the words of a query (directed indexing,
 * Bradshaw 2003). A page votes once for a word, whatever its number of links. The score is the sum over the words of
 * 1 + ln votes, rare words with more weight. Pages without votes are absent. The second score counts sites, not pages.
 * @param hasSites false: the second score is not needed
 */
export async function readVotes(db: Db, query: VoteQuery, hasSites: boolean): Promise<VoteScores> {
  const targets = await votesByTarget(db, query);
  const pages = new Map<number, Map<number, Set<number>>>();
  for (const part of chunks([...targets.keys()]))
    for (const { url_id, page } of await aliasesOf(db, part)) {
      const votes = pages.get(page) ?? new Map<number, Set<number>>();
      pages.set(page, votes);
      // A page does not vote for itself, and several addresses of a page share its votes.
      for (const [word, from] of targets.get(url_id)!)
        votes.set(word, new Set([...(votes.get(word) ?? []), ...from].filter((voter) => voter !== page)));
    }
  return { votes: scoresOf(pages), sitevotes: hasSites ? scoresOf(await bySite(db, pages)) : new Map() };
}

/** Replaces voting pages by numbers of their sites; the page's own site does not vote. */
async function bySite(
  db: Db,
  pages: ReadonlyMap<number, ReadonlyMap<number, ReadonlySet<number>>>,
): Promise<ReadonlyMap<number, Votes>> {
  const voters = [...pages.values()].flatMap((votes) => [...votes.values()].flatMap((from) => [...from]));
  const sites = new Map<string, number>();
  const siteOf = new Map<number, number>();
  for (const part of chunks([...new Set([...pages.keys(), ...voters])]))
    for (const { sequence, site } of await db
      .selectFrom('page')
      .select(['sequence', 'site'])
      .where(among(part))
      .execute()) {
      if (!sites.has(site)) sites.set(site, sites.size);
      siteOf.set(sequence, sites.get(site)!);
    }
  const reduced = (page: number, from: ReadonlySet<number>): ReadonlySet<number> =>
    new Set([...from].map((voter) => siteOf.get(voter) ?? -1).filter((site) => site !== siteOf.get(page)));
  return new Map(
    [...pages].map(([page, votes]) => [page, new Map([...votes].map(([word, from]) => [word, reduced(page, from)]))]),
  );
}

/** Returns addresses that were not fetched yet, best first, by the votes for the words of a query. */
export async function readUnfetched(db: Db, query: VoteQuery, limit: number): Promise<readonly UnfetchedPage[]> {
  const targets = new Map(await votesByTarget(db, query));
  for (const part of chunks([...targets.keys()])) {
    for (const { url_id } of await aliasesOf(db, part)) targets.delete(url_id);
    const visits = await db.selectFrom('visit').select('url_id').where(among(part, 'url_id')).execute();
    for (const { url_id } of visits) targets.delete(url_id);
  }
  const scores = [...scoresOf(targets)].sort(([a, x], [b, y]) => y - x || a - b).slice(0, limit);
  if (scores.length === 0) return [];
  const ids = scores.map(([id]) => id);
  const urls = await db.selectFrom('url').select(['id', 'url']).where(among(ids, 'id')).execute();
  const named = new Map(urls.map(({ id, url }) => [id, url]));
  return scores.flatMap(([id, score]) => {
    const url = named.get(id);
    const voters = new Set([...targets.get(id)!.values()].flatMap((from) => [...from]));
    return url === undefined ? [] : [{ url, score, votes: voters.size }];
  });
}

type FoundVotes = Map<number, Map<number, Set<number>>>;

/**
 * Returns the votes for the words of a query. The words of links of indexed pages are in `vote_word`; links of the
 * last pages, which are in no segment yet, are read one by one.
 */
async function votesByTarget(db: Db, query: VoteQuery): Promise<FoundVotes> {
  const found: FoundVotes = new Map();
  if (query.beginnings.length === 0) return found;
  const isIndexed = (await versionOf(db)) >= VOTE_WORDS_SINCE;
  if (isIndexed) await addIndexed(db, query, found);
  const sealed = isIndexed
    ? await db.selectFrom('term_segment').select(sql<number | null>`max(last)`.as('last')).executeTakeFirst()
    : undefined;
  await addScanned(db, query, (sealed?.last ?? 0) + 1, found);
  return await withoutReplaced(db, found);
}

/** Leaves out the votes of older versions of pages. They are few, so they are not looked up for each voting page. */
async function withoutReplaced(db: Db, found: FoundVotes): Promise<FoundVotes> {
  if (found.size === 0) return found;
  const replaced = new Set((await replacedPages(db)).map(({ sequence }) => sequence));
  if (replaced.size === 0) return found;
  const targets: FoundVotes = new Map();
  for (const [target, votes] of found)
    for (const [word, from] of votes)
      for (const page of from) if (!replaced.has(page)) addVote(targets, { target, word, page });
  return targets;
}

/** Adds the votes of pages in segments. */
async function addIndexed(db: Db, { beginnings, wordsIn }: VoteQuery, found: FoundVotes): Promise<void> {
  for (const beginning of beginnings) {
    const rows = await sql<{ readonly segment: number; readonly word: string; readonly data: Uint8Array }>`
      select v.segment as segment, v.word as word, v.data as data
      from term_segment s cross join vote_word v on v.segment = s.first
        and v.word >= ${beginning} and v.word <= ${lastWith(beginning)}`.execute(db);
    for (const { segment, word, data } of rows.rows) {
      const numbers = [...wordsIn(word)];
      if (numbers.length === 0) continue;
      readVotesOf(data, Number(segment), (page, target) => {
        for (const number of numbers) addVote(found, { target, word: number, page });
      });
    }
  }
}

/** Returns the last word that is looked up for a beginning. Short words are looked up alone: many begin like them. */
function lastWith(beginning: string): string {
  return beginning.length < SHORT ? beginning : `${beginning}\u{10ffff}`;
}

/** Adds the votes of pages from a sequence on. */
async function addScanned(
  db: Db,
  { beginnings, wordsIn }: VoteQuery,
  first: number,
  targets: FoundVotes,
): Promise<void> {
  const likely = sql.join(
    // SQLite's LIKE ignores case and takes half the time of instr(lower()). MariaDB compares case, and reads the comment as code.
    beginnings.map((text) => sql<boolean>`/*!lower*/(link.anchor) like ${`%${text}%`}`),
    sql` or `,
  );
  const newest = await db.selectFrom('page').select(sql<number | null>`max(sequence)`.as('n')).executeTakeFirst();
  for (let from = first; from <= (newest?.n ?? 0); from += LINKING_PAGES) {
    const rows = await db
      .selectFrom('link')
      .select(['page', 'target', 'anchor'])
      .where('page', '>=', from)
      .where('page', '<', from + LINKING_PAGES)
      .where(sql<boolean>`(${likely})`)
      .execute();
    for (const { page, target, anchor } of rows)
      for (const word of wordsIn(anchor)) addVote(targets, { target, word, page });
  }
}

interface Vote {
  readonly target: number;
  /** Number of the query's word. */
  readonly word: number;
  readonly page: number;
}

function addVote(targets: FoundVotes, { target, word, page }: Vote): void {
  const votes = targets.get(target) ?? new Map<number, Set<number>>();
  targets.set(target, votes);
  const from = votes.get(word);
  if (from === undefined) votes.set(word, new Set([page]));
  else from.add(page);
}

function scoresOf(targets: ReadonlyMap<number, Votes>): ReadonlyMap<number, number> {
  const frequency = new Map<number, number>();
  for (const votes of targets.values())
    for (const [word, { size }] of votes) if (size > 0) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const scores = new Map<number, number>();
  for (const [target, votes] of targets) {
    let score = 0;
    for (const [word, { size }] of votes)
      if (size > 0) score += (1 + Math.log(size)) * Math.log(1 + targets.size / frequency.get(word)!);
    if (score > 0) scores.set(target, score);
  }
  return scores;
}

function aliasesOf(
  db: Db,
  ids: readonly number[],
): Promise<readonly { readonly url_id: number; readonly page: number }[]> {
  return db.selectFrom('alias').select(['url_id', 'page']).where(among(ids, 'url_id')).execute();
}

function* chunks(ids: readonly number[]): Generator<readonly number[]> {
  for (let at = 0; at < ids.length; at += CHUNK) yield ids.slice(at, at + CHUNK);
}
