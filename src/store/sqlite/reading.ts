import type BetterSqlite3 from 'better-sqlite3';
import { storeError } from '../errors.ts';
import { MAX_FINDINGS, type ReadingDialect } from '../reading-dialect.ts';
import { openSqliteReader } from './connection.ts';
import { checkSqlite, kyselyOver } from './database.ts';
import { lockHolder } from './lock-holder.ts';
import { sqlSqlite } from './sql.ts';

/**
 * Opens the file for reading.
 * @param cacheKb page cache of the connection; default: see `openSqliteReader`
 */
export async function openSqliteReading(file: string, cacheKb?: number): Promise<ReadingDialect> {
  const open = (): ReturnType<typeof openSqliteReader> => {
    try {
      return openSqliteReader(file, cacheKb);
    } catch (error) {
      throw storeError(error, file);
    }
  };
  const db = open();
  await checkSqlite(db, file).catch((error: unknown) => {
    db.close();
    throw storeError(error, file);
  });
  return {
    place: file,
    db: kyselyOver(db),
    // A query blocks the thread.
    readers: 1,
    sql: async (query, options) => sqlSqlite(open(), query, options),
    heldBy: () => lockHolder(file),
    integrity: async () => integrityOf(db),
    close: async () => {
      db.close();
    },
  };
}

/** Damage that stops the check itself is a finding, too. */
function integrityOf(db: BetterSqlite3.Database): readonly string[] {
  try {
    const found = db.pragma(`integrity_check(${MAX_FINDINGS})`) as readonly { readonly integrity_check: string }[];
    return found.map((row) => row.integrity_check).filter((message) => message !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}
