import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { StoreError } from '../../core/index.ts';

/**
 * Time after which a lease that was not renewed may be taken over. A process that stops for longer loses its store.
 * Our choice: longer than a restart of the server's network, shorter than a user's patience.
 */
export const LEASE_MS = 10_000;
/** Interval between renewals if no transaction renews the lease. */
const RENEW_MS = LEASE_MS / 4;
const LOOK_AGAIN_MS = 200;
/** Time that a statement waits for a transaction that holds the lease's row. */
const ROW_WAIT_S = 2;

/**
 * The table of one row. Like `meta`, it is in every version of the schema. `renewed` and `since` are ms since 1970 by
 * the server's clock; `connection` is the holder's connection on its server; `owner` is empty if no process holds it.
 */
const TABLE = `create table if not exists lease (id int not null primary key, epoch bigint not null,
  owner varchar(64) not null, host varchar(255) not null, pid bigint not null, connection bigint not null,
  since bigint not null, renewed bigint not null) engine=InnoDB default charset=utf8mb4 collate=utf8mb4_bin`;
const NOW = 'floor(unix_timestamp(now(3)) * 1000)';

/** Who writes, or wrote last. */
interface Holder {
  readonly epoch: number;
  readonly owner: string;
  readonly host: string;
  readonly pid: number;
  readonly connection: number;
  readonly since: number;
  readonly renewed: number;
  readonly now: number;
}

/**
 * The right to write to a database, as a row in it. Each transaction of the holder begins with a write of that row on
 * condition that the epoch is still its own. So a process that lost its lease can store nothing more, even if it does
 * not know yet, and even on another node of a cluster. A lock of the server would be local to a node.
 */
export class Lease {
  readonly #place: string;
  readonly #owner: string;
  readonly #epoch: number;
  #renewedAt = performance.now();

  private constructor(place: string, owner: string, epoch: number) {
    this.#place = place;
    this.#owner = owner;
    this.#epoch = epoch;
  }

  /**
   * Claims the lease. A holder that ended, or did not renew it for {@link LEASE_MS}, loses it.
   * @param waitMs how long to wait for a holder that still renews it
   * @throws StoreError `STORE_BUSY` that names the holder
   */
  static async claim(connection: Connection, place: string, waitMs: number): Promise<Lease> {
    // All nodes of a cluster wait while a table is made, even if it is there already.
    await holderOf(connection).catch(() => connection.query(TABLE));
    await connection.query(`set session innodb_lock_wait_timeout = ${ROW_WAIT_S}`);
    try {
      return await claimed(connection, { place, waitMs }, (owner, epoch) => new Lease(place, owner, epoch));
    } finally {
      await connection.query('set session innodb_lock_wait_timeout = default').catch(() => {});
    }
  }

  /** True if the lease should be renewed although there is nothing to write. */
  get isDue(): boolean {
    return performance.now() - this.#renewedAt >= RENEW_MS;
  }

  /**
   * Renews the lease. As the first statement of a transaction, it makes the transaction fail if the lease is lost.
   * @throws StoreError `STORE_FENCED` that names the process that took over
   */
  async renew(connection: Connection): Promise<void> {
    const [{ affectedRows }] = await connection.query<ResultSetHeader>(
      `update lease set renewed = greatest(renewed + 1, ${NOW}) where id = 1 and epoch = ? and owner = ?`,
      [this.#epoch, this.#owner],
    );
    if (affectedRows !== 1) throw fenced(this.#place, await holderOf(connection).catch(() => undefined));
    this.#renewedAt = performance.now();
  }

  /** Renews the lease over a new connection, after the former one was lost. The server may not have noticed yet. */
  async resume(connection: Connection): Promise<void> {
    await connection.query(`set session innodb_lock_wait_timeout = ${ROW_WAIT_S}`);
    try {
      await this.renew(connection);
    } catch (error) {
      const holder = isRowTaken(error) ? await holderOf(connection) : undefined;
      if (holder?.owner === this.#owner) await endIdle(connection, holder);
      throw error;
    }
    await connection.query('update lease set connection = ? where id = 1 and owner = ?', [
      connection.threadId,
      this.#owner,
    ]);
    await connection.query('set session innodb_lock_wait_timeout = default');
  }

  /** Renews the lease while there is nothing to write. Call the result to end that. */
  keep(renew: () => Promise<void>): () => void {
    let isRenewing = false;
    const timer = setInterval(() => {
      if (isRenewing || !this.isDue) return;
      isRenewing = true;
      // The next transaction reports a lost connection or a lost lease.
      void renew()
        .catch(() => {})
        .finally(() => {
          isRenewing = false;
        });
    }, RENEW_MS / 2);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Frees the lease, so that the next process need not wait. */
  async release(connection: Connection): Promise<void> {
    await connection.query(`update lease set owner = '' where id = 1 and epoch = ? and owner = ?`, [
      this.#epoch,
      this.#owner,
    ]);
  }
}

/**
 * Returns the process that writes to a database; `undefined` if none does, or if it has not renewed its lease in time.
 */
export async function leaseHolder(connection: Pick<Connection, 'query'>): Promise<string | undefined> {
  const holder = await holderOf(connection).catch(() => undefined);
  return holder === undefined || isFree(holder) ? undefined : described(holder);
}

interface Wish {
  readonly place: string;
  readonly waitMs: number;
}

async function claimed(
  connection: Connection,
  { place, waitMs }: Wish,
  make: (owner: string, epoch: number) => Lease,
): Promise<Lease> {
  const owner = `${machine()}-${randomUUID()}`;
  const began = performance.now();
  let first: Holder | undefined;
  for (;;) {
    const holder = await holderOf(connection);
    if (holder === undefined) {
      await connection.query(`insert ignore into lease values (1, 0, '', '', 0, 0, ${NOW}, ${NOW})`).catch((error) => {
        if (!isOvertaken(error)) throw error;
      });
      continue;
    }
    first ??= holder;
    if (isFree(holder) && (await takeOver(connection, holder, owner))) return make(owner, holder.epoch + 1);
    // A process that was slower than another one does not wait until that one ends.
    if (holder.epoch !== first.epoch && !isFree(holder)) throw busy(place, holder);
    const waited = performance.now() - began;
    const isAlive = holder.epoch !== first.epoch || holder.renewed !== first.renewed;
    // A holder that does not renew its lease is waited for until it loses it.
    if (waited >= waitMs && (isAlive || waited >= waitMs + 2 * LEASE_MS)) throw busy(place, holder);
    await sleep(LOOK_AGAIN_MS);
  }
}

async function holderOf(connection: Pick<Connection, 'query'>): Promise<Holder | undefined> {
  const [rows] = await connection.query<(Holder & RowDataPacket)[]>(
    `select epoch, owner, host, pid, connection, since, renewed, ${NOW} as now from lease where id = 1`,
  );
  return rows[0];
}

function isFree({ owner, pid, renewed, now }: Holder): boolean {
  return owner === '' || renewed + LEASE_MS <= now || (owner.startsWith(`${machine()}-`) && !isRunning(pid));
}

/** Returns false if another process was faster, or if the holder is writing. */
async function takeOver(connection: Connection, holder: Holder, owner: string): Promise<boolean> {
  try {
    const [{ affectedRows }] = await connection.query<ResultSetHeader>(
      `update lease set epoch = ?, owner = ?, host = ?, pid = ?, connection = ?, since = ${NOW}, renewed = ${NOW}
        where id = 1 and epoch = ? and owner = ?`,
      [holder.epoch + 1, owner, hostname(), process.pid, connection.threadId, holder.epoch, holder.owner],
    );
    return affectedRows === 1;
  } catch (error) {
    if (isOvertaken(error)) return false;
    if (!isRowTaken(error)) throw error;
    await endIdle(connection, holder);
    return false;
  }
}

/** True if another transaction won. In a Galera cluster, it may have been on another node. */
function isOvertaken(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ER_LOCK_DEADLOCK';
}

/** True if another transaction has written the row and has not ended. */
function isRowTaken(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'ER_LOCK_WAIT_TIMEOUT';
}

/**
 * Ends the connection of a process that stopped within a transaction, and so would keep the row locked. A transaction
 * for which the server works continues.
 */
async function endIdle(connection: Connection, holder: Holder): Promise<void> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `select id from information_schema.processlist
      where id = ? and db = database() and command = 'Sleep' and time >= ?`,
    [holder.connection, ROW_WAIT_S - 1],
  );
  // Another connection may have ended it meanwhile.
  if (rows.length > 0) await connection.query(`kill ${Number(holder.connection)}`).catch(() => {});
}

let known: string | undefined;

/** Returns a digest of the space in which this process's number is unique: a machine since its start, or a container. */
function machine(): string {
  known ??= createHash('sha256').update(processSpace()).digest('hex').slice(0, 16);
  return known;
}

function processSpace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function described({ host, pid, since }: Holder): string {
  return `process ${pid} on ${host}, since ${new Date(since).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function busy(place: string, holder: Holder): StoreError {
  return new StoreError({
    code: 'STORE_BUSY',
    message: `The store ${place} is being written by another process: ${described(holder)}.`,
    hint: 'Wait until it ends, or give this workspace a database of its own (setting store.url).',
  });
}

function fenced(place: string, holder: Holder | undefined): StoreError {
  const who = holder === undefined || holder.owner === '' ? 'another process' : described(holder);
  return new StoreError({
    code: 'STORE_FENCED',
    message: `The store ${place} was taken over by ${who}.`,
    hint: `This process had not reached the server for ${LEASE_MS / 1000} seconds. Everything reported as stored is safe; the other process continues.`,
  });
}
