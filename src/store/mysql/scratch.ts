import type { Kysely } from 'kysely';
import type { Pool } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import { storeError } from '../errors.ts';
import { makingOf, type Scratch, type ScratchTable } from '../in-sql/scratch.ts';
import type { SchemaDialect } from '../ports.ts';
import type { Row, Tables, Value } from '../schema.ts';
import { checkMysql, closePool, connectMysql, kyselyOver, mysqlSchema, openMysqlPool } from './database.ts';
import { abandonAll } from './kill-query.ts';
import { claimWriting } from './sink.ts';
import { mysqlPlace } from './url.ts';

/** Rows per `insert`: numbers and short texts, far below the smallest usual max_allowed_packet. */
const ROWS_AT_ONCE = 2_000;

/** @param writing allows kept tables, and locks out other writers */
export async function openMysqlScratch(url: string, workspace: string, writing: boolean): Promise<Scratch> {
  const pool = openMysqlPool(url);
  let connection: Connection | undefined;
  try {
    await checkMysql(pool, url, workspace);
    connection = await connectMysql(url);
    // Without a listener, losing an idle connection would end the process. The next statement reports the loss.
    connection.on('error', () => {});
    if (writing) await claimWriting(connection, url);
    return new MysqlScratch(connection, pool, url);
  } catch (error) {
    connection?.destroy();
    await closePool(pool);
    throw storeError(error, mysqlPlace(url));
  }
}

class MysqlScratch implements Scratch {
  readonly #connection: Connection;
  readonly #pool: Pool;
  readonly #url: string;
  #isAbandoned = false;
  readonly dialect: SchemaDialect = mysqlSchema;
  readonly db: Kysely<Tables>;

  constructor(connection: Connection, pool: Pool, url: string) {
    this.#connection = connection;
    this.#pool = pool;
    this.#url = url;
    this.db = kyselyOver(pool);
  }

  async make(name: string, table: ScratchTable): Promise<void> {
    for (const statement of makingOf(name, table, this.dialect)) await this.run(statement);
  }

  async drop(name: string): Promise<void> {
    await this.run(`drop table if exists ${name}`);
  }

  async run(statement: string, parameters: readonly Value[] = []): Promise<void> {
    await this.#query(statement, parameters);
  }

  async all(statement: string, parameters: readonly Value[] = []): Promise<readonly Row[]> {
    return (await this.#query(statement, parameters)) as Row[];
  }

  async insert(table: string, rows: readonly Row[]): Promise<void> {
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
      await this.#query(`insert into ${table} values ?`, [rows.slice(at, at + ROWS_AT_ONCE)]);
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('start transaction');
    try {
      const result = await work();
      await this.run('commit');
      return result;
    } catch (error) {
      await this.run('rollback').catch(() => this.#connection.destroy());
      throw error;
    }
  }

  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    await abandonAll(this.#url, [this.#connection]);
  }

  async close(): Promise<void> {
    this.#connection.destroy();
    await closePool(this.#pool);
  }

  async #query(sql: string, values: readonly unknown[]): Promise<unknown> {
    // The connection is closed on purpose. An error would look like a lost server and restart the work.
    if (this.#isAbandoned) return await new Promise(() => {});
    try {
      const [result] = await this.#connection.query({ sql, values: [...values], rowsAsArray: true });
      return result;
    } catch (error) {
      throw storeError(error, mysqlPlace(this.#url));
    }
  }
}
