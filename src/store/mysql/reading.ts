import type { Connection } from 'mysql2';
import type { ReadingDialect } from '../database-store.ts';
import { checkMysql, closePool, kyselyOver, openMysqlPool, READERS } from './database.ts';
import { abandonAll } from './kill-query.ts';
import { sqlMysql } from './sql.ts';
import { mysqlPlace } from './url.ts';

/** Opens the database for reading. */
export async function openMysqlReading(url: string, workspace: string): Promise<ReadingDialect> {
  const pool = openMysqlPool(url);
  await checkMysql(pool, url, workspace).catch(async (error: unknown) => {
    await closePool(pool);
    throw error;
  });
  const running = new Set<Connection>();
  return {
    place: mysqlPlace(url),
    db: kyselyOver(pool),
    readers: READERS,
    sql: (query, maxRows) => sqlMysql(url, query, { maxRows, running }),
    abandon: () => abandonAll(url, running),
    close: () => closePool(pool),
  };
}
