import type { Connection, RowDataPacket } from 'mysql2/promise';
import { connectMysql } from './database.ts';
import { leaseHolder } from './lease.ts';

/** A process that gave no sign of life for so long has ended or is paused. */
const SILENT_MS = 5_000;
const NOW = 'floor(unix_timestamp(now(3)) * 1000)';

/** The processes that work on a crawl, as rows of a database. They are no part of the crawl, so no lease protects them. */
export class MysqlMembers {
  readonly #url: string;
  readonly #id: string;
  #connection: Connection | undefined;

  constructor(url: string, id: string) {
    this.#url = url;
    this.#id = id;
  }

  /** Shows that this process is there. Returns the number of processes that are. */
  async count(): Promise<number> {
    try {
      this.#connection ??= await this.#connect();
      await this.#connection.query(`replace into shard_worker (id, seen) values (?, ${NOW})`, [this.#id]);
      return Math.max(1, (await this.ids()).length);
    } catch (error) {
      this.#connection?.destroy();
      this.#connection = undefined;
      throw error;
    }
  }

  /** Returns the ids of the processes that are there. */
  async ids(): Promise<readonly string[]> {
    this.#connection ??= await this.#connect();
    const [rows] = await this.#connection.query<RowDataPacket[]>(
      `select id from shard_worker where seen > ${NOW} - ${SILENT_MS}`,
    );
    return rows.map(({ id }) => String(id));
  }

  async leave(): Promise<void> {
    await this.#connection?.query('delete from shard_worker where id = ?', [this.#id]).catch(() => {});
    this.#connection?.destroy();
  }

  async #connect(): Promise<Connection> {
    const connection = await connectMysql(this.#url);
    connection.on('error', () => {});
    return connection;
  }
}

/** Returns the process that writes to a database, if any. */
export async function writerOf(url: string): Promise<string | undefined> {
  const connection = await connectMysql(url);
  connection.on('error', () => {});
  try {
    return await leaseHolder(connection);
  } finally {
    connection.destroy();
  }
}
