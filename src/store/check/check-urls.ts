import type { Kysely } from 'kysely';
import { versionOf } from '../read/reading.ts';
import type { Tables } from '../schema.ts';
import { unpackEntries } from '../url-index/url-run.ts';

type Db = Kysely<Tables>;

/** First schema version with runs. */
const RUNS_SINCE = 17;
/** Blocks in memory at a time, about 300 URLs each. */
const BLOCKS = 32;
const IDS_AT_ONCE = 500;

/** Returns a message for each run of `url_run` that does not have exactly the URLs of the table `url`. */
export async function checkUrls(db: Db): Promise<readonly string[]> {
  if ((await versionOf(db)) < RUNS_SINCE) return [];
  const messages: string[] = [];
  for (const run of await db.selectFrom('url_run').selectAll().orderBy('first').execute()) {
    const urls = await db
      .selectFrom('url')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .where('id', '>=', run.first)
      .where('id', '<=', run.last)
      .executeTakeFirstOrThrow();
    const found = await countFound(db, run);
    if (found.right !== Number(urls.n) || found.wrong > 0)
      messages.push(`The index of addresses ${run.first} to ${run.last} does not match the table url (url_run).`);
  }
  return messages;
}

/** Counts the entries of a run that the table `url` has, and those that it has not. */
async function countFound(
  db: Db,
  { base, blocks }: Tables['url_run'],
): Promise<{ readonly right: number; readonly wrong: number }> {
  let [right, wrong] = [0, 0];
  for (let from = base; from < base + blocks; from += BLOCKS) {
    const rows = await db
      .selectFrom('url_block')
      .select('data')
      .where('id', '>=', from)
      .where('id', '<', Math.min(base + blocks, from + BLOCKS))
      .execute();
    const hashes = new Map<number, number>();
    for (const { data } of rows) {
      const entries = unpackEntries(data);
      for (const [i, id] of entries.ids.entries()) hashes.set(id, entries.hashes[i]!);
    }
    const ids = [...hashes.keys()];
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      const part = ids.slice(at, at + IDS_AT_ONCE);
      const stored = await db.selectFrom('url').select(['id', 'hash']).where('id', 'in', part).execute();
      const same = stored.filter(({ id, hash }) => hashes.get(Number(id)) === Number(hash)).length;
      right += same;
      wrong += part.length - same;
    }
  }
  return { right, wrong };
}
