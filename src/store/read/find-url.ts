import { type Kysely, sql } from 'kysely';
import { hash53 } from '../../kit/index.ts';
import type { Tables } from '../schema.ts';
import { highBits } from '../url-index/url-hash.ts';
import { idsIn, unpackEntries } from '../url-index/url-run.ts';
import { versionOf } from './reading.ts';

type Db = Kysely<Tables>;

/** First schema version whose URLs are found by runs. Older ones have an index on the hash. */
export const RUNS_SINCE = 17;

/** Returns the number of a stored URL; `undefined` if it is not stored. */
export async function findUrl(db: Db, url: string): Promise<number | undefined> {
  const hash = hash53(url);
  const hasRuns = (await versionOf(db)) >= RUNS_SINCE;
  // Before the runs: a URL that moves into a run meanwhile is found there.
  const last = hasRuns ? sql<number>`(select coalesce(max(last), 0) from url_run)` : sql<number>`0`;
  const recent = await db
    .selectFrom('url')
    .select(['id', 'url'])
    .where('id', '>', last)
    .where('hash', '=', hash)
    .execute();
  const found = recent.find((row) => row.url === url);
  if (found !== undefined || !hasRuns) return found?.id;
  const ids: number[] = [];
  for (const { data } of await blocksOf(db, hash)) idsIn(unpackEntries(data), hash, (id) => ids.push(id));
  if (ids.length === 0) return undefined;
  const rows = await db.selectFrom('url').select(['id', 'url']).where('id', 'in', ids).execute();
  return rows.find((row) => row.url === url)?.id;
}

/** Returns the block of each run that may have the hash. One query, because the writer replaces runs. */
async function blocksOf(db: Db, hash: number): Promise<readonly { readonly data: Uint8Array }[]> {
  const high = sql.lit(highBits(hash));
  const query = sql<{ readonly data: Uint8Array }>`select url_block.data as data from url_run
    join url_block on url_block.id = url_run.base + ((${high} * url_run.blocks) >> 31)`;
  return (await query.execute(db)).rows;
}
