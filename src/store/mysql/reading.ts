import { type Kysely, sql } from 'kysely';
import type { Connection } from 'mysql2';
import { storeError } from '../errors.ts';
import { MAX_FINDINGS, type ReadingDialect } from '../reading-dialect.ts';
import type { Tables } from '../schema.ts';
import { checkMysql, closePool, kyselyOver, mysqlSchema, openMysqlPool, READERS } from './database.ts';
import { abandonAll } from './kill-query.ts';
import { leaseHolder } from './lease.ts';
import { sqlMysql } from './sql.ts';
import { mysqlPlace } from './url.ts';

/** Opens the database for reading. */
export async function openMysqlReading(url: string, workspace: string): Promise<ReadingDialect> {
  const pool = openMysqlPool(url);
  await checkMysql(pool, url, workspace).catch(async (error: unknown) => {
    await closePool(pool);
    throw storeError(error, mysqlPlace(url));
  });
  const db = kyselyOver(pool);
  const running = new Set<Connection>();
  return {
    place: mysqlPlace(url),
    db,
    readers: READERS,
    sql: (query, options) => sqlMysql(url, query, { ...options, running }),
    integrity: () => integrityOf(db),
    writer: () => leaseHolder(pool.promise()),
    abandon: () => abandonAll(url, running),
    close: () => closePool(pool),
  };
}

interface Finding {
  readonly Table: string;
  readonly Msg_text: string;
}

async function integrityOf(db: Kysely<Tables>): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const { name } of (await sql.raw<{ readonly name: string }>(mysqlSchema.tableNames).execute(db)).rows) {
    const { rows } = await sql<Finding>`check table ${sql.table(name)}`.execute(db);
    findings.push(...rows.filter((row) => row.Msg_text !== 'OK').map((row) => `${row.Table}: ${row.Msg_text}`));
  }
  return findings.slice(0, MAX_FINDINGS);
}
