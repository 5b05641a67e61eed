import type { Kysely } from 'kysely';
import { packScores, unpackScores } from '../rows/first-scores.ts';
import type { PageScoreTable, Tables } from '../schema.ts';

type Db = Kysely<Tables>;

/** First schema version with packed scores. */
const PACKED_SINCE = 22;
/** Pages packed at a time. */
const PAGES = 500;

/** Returns the scores of first verdicts of a range of pages, by page. */
export async function readFirstScores(
  db: Db,
  version: number,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<ReadonlyMap<number, readonly PageScoreTable[]>> {
  if (version < PACKED_SINCE) {
    const query = db.selectFrom('first_score').selectAll().where('page', '>=', first).where('page', '<=', last);
    return Map.groupBy(await query.execute(), ({ page }) => page);
  }
  const rows = await db
    .selectFrom('first_scores')
    .innerJoin('first_topics', 'first_topics.id', 'first_scores.topics')
    .select(['page', 'names', 'scores'])
    .where('page', '>=', first)
    .where('page', '<=', last)
    .execute();
  return new Map(rows.map(({ page, names, scores }) => [page, unpackScores(page, names.split('\n'), scores)]));
}

/** Moves the rows of `first_score` to the packed table. Can run again after an interruption. */
export async function packFirstScores(db: Db): Promise<void> {
  for (;;) {
    const pages = await db.selectFrom('first_score').select('page').distinct().orderBy('page').limit(PAGES).execute();
    const [first, last] = [pages.at(0)?.page, pages.at(-1)?.page];
    if (first === undefined || last === undefined) return;
    const range = { first, last };
    await db.deleteFrom('first_scores').where('page', '>=', first).where('page', '<=', last).execute();
    for (const [page, rows] of await readFirstScores(db, PACKED_SINCE - 1, range)) {
      const scores = rows.toSorted((a, b) => a.n - b.n);
      const topics = await topicsId(db, scores.map(({ topic }) => topic).join('\n'));
      await db
        .insertInto('first_scores')
        .values({ page, topics, scores: packScores(scores) })
        .execute();
    }
    await db.deleteFrom('first_score').where('page', '>=', first).where('page', '<=', last).execute();
  }
}

async function topicsId(db: Db, names: string): Promise<number> {
  const all = await db.selectFrom('first_topics').selectAll().execute();
  const known = all.find((row) => row.names === names);
  if (known !== undefined) return known.id;
  await db
    .insertInto('first_topics')
    .values({ id: all.length + 1, names })
    .execute();
  return all.length + 1;
}
