import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { storeError } from '../errors.ts';
import { sqliteFile } from './connection.ts';

/**
 * Copies the store of a folder into another folder, without its log. The caller holds the workspace's lock.
 * @throws StoreError if the store cannot be read or the copy cannot be written
 */
export function copySqlite(from: string, to: string): void {
  const target = sqliteFile(to);
  let db: BetterSqlite3.Database | undefined;
  try {
    mkdirSync(dirname(target), { recursive: true });
    for (const end of ['', '-wal', '-shm']) rmSync(target + end, { force: true });
    db = new BetterSqlite3(sqliteFile(from), { fileMustExist: true });
    db.prepare('vacuum into ?').run(target);
  } catch (error) {
    throw storeError(error, target);
  } finally {
    db?.close();
  }
}
