import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mysql2/promise';
import { isLostConnection, isPassing } from '../errors.ts';
import type { Sink } from '../ports.ts';
import { COLUMNS, type Row, type Value, type WrittenTable } from '../schema.ts';
import { connectMysql } from './database.ts';
import { Lease } from './lease.ts';
import { mysqlPlace } from './url.ts';

/** Estimated bytes and rows per `insert`: well below the smallest usual max_allowed_packet. */
const MAX_INSERT_BYTES = 1024 * 1024;
const MAX_INSERT_ROWS = 1_000;
/** Pause before the first attempt to reconnect; doubles up to the second value. */
const RETRY_MS = 100;
const RETRY_MAX_MS = 5_000;
/** Deadlocks are rare with one writer; more than this in a row have another cause. */
const MAX_REPEATS = 10;
/** How long to wait for another process that writes: it may be about to end. */
export const CLAIM_WAIT_MS = 2_000;

/**
 * Opens a connection for writing and claims the database's lease.
 * @throws StoreError `STORE_BUSY` if another process holds it
 */
export async function openMysqlSink(url: string, reconnectMs: number): Promise<Sink> {
  const connection = await connectMysql(url);
  try {
    const lease = await Lease.claim(connection, mysqlPlace(url), CLAIM_WAIT_MS);
    return new MysqlSink(url, reconnectMs, { connection, lease });
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** Writes over one connection and replaces it if lost. */
class MysqlSink implements Sink {
  readonly #url: string;
  readonly #reconnectMs: number;
  readonly #lease: Lease;
  readonly #endKeeping: () => void;
  #connection: Connection | undefined;
  #isWriting = false;
  /** Never rejects: the next transaction reports a lost lease. */
  #kept = Promise.resolve();

  constructor(
    url: string,
    reconnectMs: number,
    { connection, lease }: { readonly connection: Connection; readonly lease: Lease },
  ) {
    this.#url = url;
    this.#reconnectMs = reconnectMs;
    this.#connection = connection;
    this.#lease = lease;
    this.#endKeeping = lease.keep(async () => {
      if (this.#isWriting) return;
      this.#kept = this.#renew().catch(() => {});
      await this.#kept;
    });
  }

  /** @throws StoreError `STORE_FENCED` if another process took over: nothing is written any more */
  async begin(): Promise<void> {
    this.#isWriting = true;
    await this.#kept;
    await this.#query('start transaction', []);
    await this.#lease.renew(this.#connection!);
  }

  async commit(): Promise<void> {
    await this.#query('commit', []);
    this.#isWriting = false;
  }

  async rollback(): Promise<void> {
    await this.#query('rollback', []).catch(() => this.#drop());
    this.#isWriting = false;
  }

  async insert(table: WrittenTable, rows: readonly Row[]): Promise<void> {
    await this.#insert(`insert into ${table} (${COLUMNS[table]}) values ?`, rows);
  }

  async insertAbsent(table: WrittenTable, rows: readonly Row[]): Promise<void> {
    // Not `insert ignore`, which would also hide values that do not fit.
    const [first] = COLUMNS[table];
    await this.#insert(
      `insert into ${table} (${COLUMNS[table]}) values ? on duplicate key update ${first} = ${first}`,
      rows,
    );
  }

  async run(statement: string, parameters: readonly Value[]): Promise<void> {
    await this.#query(statement, parameters);
  }

  async all(statement: string, parameters: readonly Value[]): Promise<readonly Row[]> {
    return (await this.#query(statement, parameters)) as Row[];
  }

  async recover(error: unknown, attempt: number): Promise<boolean> {
    if (isPassing(error)) return attempt <= MAX_REPEATS;
    if (!isLostConnection(error)) return false;
    // Only one of both may open a connection: a statement on a connection that the other one drops never ends.
    this.#isWriting = true;
    await this.#kept;
    this.#drop();
    return await this.#reconnect().finally(() => {
      this.#isWriting = false;
    });
  }

  async close(): Promise<void> {
    this.#endKeeping();
    await this.#kept;
    if (this.#connection === undefined) return;
    await this.#lease.release(this.#connection).catch(() => {});
    await this.#connection.end().catch(() => this.#drop());
  }

  async #reconnect(): Promise<boolean> {
    const deadline = performance.now() + this.#reconnectMs;
    for (
      let pauseMs = RETRY_MS;
      performance.now() + pauseMs <= deadline;
      pauseMs = Math.min(2 * pauseMs, RETRY_MAX_MS)
    ) {
      await sleep(pauseMs);
      try {
        await this.#open();
        return true;
      } catch (error) {
        this.#drop();
        if (!isLostConnection(error) && !isPassing(error)) throw error;
      }
    }
    return false;
  }

  /** Renews the lease, over a new connection if the former one was lost: it may be long until the next transaction. */
  async #renew(): Promise<void> {
    try {
      if (this.#connection === undefined) await this.#open();
      else await this.#lease.renew(this.#connection);
    } catch (error) {
      this.#drop();
      throw error;
    }
  }

  async #open(): Promise<void> {
    const connection = await connectMysql(this.#url);
    this.#connection = connection;
    await this.#lease.resume(connection);
  }

  #drop(): void {
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  async #insert(statement: string, rows: readonly Row[]): Promise<void> {
    let part: Row[] = [];
    let bytes = 0;
    for (const row of rows) {
      const size = sizeOf(row);
      if (part.length > 0 && (part.length >= MAX_INSERT_ROWS || bytes + size > MAX_INSERT_BYTES)) {
        await this.#query(statement, [part]);
        part = [];
        bytes = 0;
      }
      part.push(row);
      bytes += size;
    }
    if (part.length > 0) await this.#query(statement, [part]);
  }

  async #query(sql: string, values: readonly unknown[]): Promise<unknown> {
    if (this.#connection === undefined)
      throw Object.assign(new Error('no connection to the server'), { code: 'PROTOCOL_CONNECTION_LOST' });
    const [result] = await this.#connection.query({ sql, values: [...values], rowsAsArray: true });
    return result;
  }
}

/** Estimates the bytes of a row in an `insert`: text may need escapes, bytes are written as hexadecimal digits. */
function sizeOf(row: Row): number {
  let size = 2;
  for (const value of row) {
    if (typeof value === 'string') size += 2 * value.length + 3;
    else if (value instanceof Uint8Array) size += 2 * value.length + 4;
    else size += 12;
  }
  return size;
}
