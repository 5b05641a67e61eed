import type { Pool, QueryResult, ResultSetHeader, RowDataPacket } from 'mysql2';
import { storeError } from '../errors.ts';
import { closePool, openMysqlPool } from './database.ts';
import { mysqlPlace } from './url.ts';

/** A process that gave no sign of life for so long has ended or is paused. */
const SILENT_MS = 5_000;
const NOW = 'floor(unix_timestamp(now(3)) * 1000)';

/** The processes that work on a crawl, as rows of a database. They are no part of the crawl, so no lease protects them. */
export class MysqlMembers {
  readonly #url: string;
  readonly #id: string;
  readonly #pool: Pool;

  constructor(url: string, id: string) {
    this.#url = url;
    this.#id = id;
    this.#pool = openMysqlPool(url);
  }

  /** Shows that this process is there. Returns the number of processes that are. */
  async count(): Promise<number> {
    await this.#query<ResultSetHeader>(`replace into shard_worker (id, seen) values (?, ${NOW})`, [this.#id]);
    return Math.max(1, (await this.ids()).length);
  }

  /** Returns the ids of the processes that are there. */
  async ids(): Promise<readonly string[]> {
    const rows = await this.#query<RowDataPacket[]>(`select id from shard_worker where seen > ${NOW} - ${SILENT_MS}`);
    return rows.map(({ id }) => String(id));
  }

  async leave(): Promise<void> {
    await this.#query<ResultSetHeader>('delete from shard_worker where id = ?', [this.#id]).catch(() => {});
    await closePool(this.#pool);
  }

  async #query<T extends QueryResult>(statement: string, values: readonly string[] = []): Promise<T> {
    try {
      const [result] = await this.#pool.promise().query<T>(statement, [...values]);
      return result;
    } catch (error) {
      throw storeError(error, mysqlPlace(this.#url));
    }
  }
}
