import type { Kysely } from 'kysely';
import type { Importance } from '../../core/index.ts';
import type { Tables } from '../schema.ts';
import { among } from './page-filter.ts';
import { versionOf } from './reading.ts';

/** First schema version with importance. */
const IMPORTANCE_SINCE = 15;
/** Rows read at a time. */
const ROWS = 1_000;

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
