import type { Kysely } from 'kysely';
import type { Pool } from 'mysql2';
import type { Connection } from 'mysql2/promise';
import { storeError } from '../errors.ts';
import { makingOf, type Scratch, type ScratchTable } from '../in-sql/scratch.ts';
import type { SchemaDialect } from '../ports.ts';
import type { Row, Tables, Value } from '../schema.ts';
import { checkMysql, closePool, connectMysql, kyselyOver, mysqlSchema, openMysqlPool } from './database.ts';
import { abandonAll } from './kill-query.ts';
import { Lease } from './lease.ts';
import { CLAIM_WAIT_MS } from './sink.ts';
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
    const lease = writing ? await Lease.claim(connection, mysqlPlace(url), CLAIM_WAIT_MS) : undefined;
    return new MysqlScratch(connection, pool, { url, lease });
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
  readonly #lease: Lease | undefined;
  readonly #endKeeping: (() => void) | undefined;
  #isWriting = false;
  #isAbandoned = false;
  readonly dialect: SchemaDialect = mysqlSchema;
  readonly db: Kysely<Tables>;

  constructor(
    connection: Connection,
    pool: Pool,
    { url, lease }: { readonly url: string; readonly lease: Lease | undefined },
  ) {
    this.#connection = connection;
    this.#pool = pool;
    this.#url = url;
    this.#lease = lease;
    // Over another connection: a statement here may take minutes.
    this.#endKeeping = lease?.keep(async () => {
      if (!this.#isWriting) await this.#beside((other) => lease.renew(other));
    });
    this.db = kyselyOver(pool);
  }

  async #beside(use: (connection: Connection) => Promise<void>): Promise<void> {
    const other = await this.#pool.promise().getConnection();
    try {
      await use(other);
    } finally {
      other.release();
    }
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
      this.#isWriting = true;
      await this.#lease?.renew(this.#connection);
      const result = await work();
      await this.run('commit');
      return result;
    } catch (error) {
      await this.run('rollback').catch(() => this.#connection.destroy());
      throw error;
    } finally {
      this.#isWriting = false;
    }
  }

  async abandon(): Promise<void> {
    this.#isAbandoned = true;
    await abandonAll(this.#url, [this.#connection]);
  }

  async close(): Promise<void> {
    this.#endKeeping?.();
    this.#connection.destroy();
    const lease = this.#lease;
    if (lease !== undefined && !this.#isAbandoned) await this.#beside((other) => lease.release(other)).catch(() => {});
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
