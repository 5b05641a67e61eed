import type { Kysely } from 'kysely';
import type { Importance } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import { among } from './page-filter.ts';
import { versionOf } from './reading.ts';

/** First schema version with importance. */
const IMPORTANCE_SINCE = 15;
/** Rows read at a time. */
const ROWS = 1_000;

/** Returns true if the newest page has its importance: no page was added since all were rated. */
export async function isImportanceCurrent(db: Kysely<Tables>): Promise<boolean> {
  if ((await versionOf(db)) < IMPORTANCE_SINCE) return false;
  const current = db.selectFrom('page').select('sequence').where('replaced_by', 'is', null);
  const newest = await current.orderBy('sequence', 'desc').limit(1).executeTakeFirst();
  return newest === undefined || (await readImportance(db, [newest.sequence])).size > 0;
}

/** Returns the importance of pages. Pages without it are absent: all of them if an older version wrote the store. */
export async function readImportance(
  db: Kysely<Tables>,
  pages: readonly number[],
): Promise<ReadonlyMap<number, Importance>> {
  const found = new Map<number, Importance>();
  if ((await versionOf(db)) < IMPORTANCE_SINCE) return found;
  for (let at = 0; at < pages.length; at += ROWS) {
    const condition = among(pages.slice(at, at + ROWS), 'page');
    const rows = await db.selectFrom('importance').selectAll().where(condition).execute();
    for (const { page, ...values } of rows) found.set(page, values);
  }
  return found;
}
