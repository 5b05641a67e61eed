import { type Kysely, sql } from 'kysely';
import { among } from '../read/page-filter.ts';
import type { Tables } from '../schema.ts';
import type { UnfetchedPage, VoteQuery } from '../search-query.ts';

type Db = Kysely<Tables>;

/** Pages whose links are read at a time. */
const LINKING_PAGES = 5_000;
/** Numbers per query. */
const CHUNK = 1_000;

/** Votes for one link target: referring pages by the number of the query's word that their anchor has. */
type Votes = ReadonlyMap<number, ReadonlySet<number>>;

/**
 * Returns the score of stored pages by the votes of referring pages for the words of a query (directed indexing,
 * Bradshaw 2003). A page votes once for a word, whatever its number of links. The score is the sum over the words of
 * 1 + ln votes, rare words with more weight. Pages without votes are absent.
 */
export async function readVotes(db: Db, query: VoteQuery): Promise<ReadonlyMap<number, number>> {
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
  return scoresOf(pages);
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

async function votesByTarget(
  db: Db,
  { beginnings, wordsIn }: VoteQuery,
): Promise<ReadonlyMap<number, Map<number, Set<number>>>> {
  const targets = new Map<number, Map<number, Set<number>>>();
  if (beginnings.length === 0) return targets;
  const likely = sql.join(
    beginnings.map((text) => sql<boolean>`instr(lower(link.anchor), ${text}) > 0`),
    sql` or `,
  );
  const newest = await db.selectFrom('page').select(sql<number | null>`max(sequence)`.as('n')).executeTakeFirst();
  for (let from = 1; from <= (newest?.n ?? 0); from += LINKING_PAGES) {
    const rows = await db
      .selectFrom('link')
      .innerJoin('page', 'page.sequence', 'link.page')
      .select(['link.page', 'link.target', 'link.anchor'])
      .where('link.page', '>=', from)
      .where('link.page', '<', from + LINKING_PAGES)
      .where('page.replaced_by', 'is', null)
      .where(sql<boolean>`(${likely})`)
      .execute();
    for (const { page, target, anchor } of rows)
      for (const word of wordsIn(anchor)) {
        const votes = targets.get(target) ?? new Map<number, Set<number>>();
        targets.set(target, votes);
        votes.set(word, (votes.get(word) ?? new Set()).add(page));
      }
  }
  return targets;
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
