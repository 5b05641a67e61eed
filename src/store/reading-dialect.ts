import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';
import type { SqlResult } from './store.ts';
import type { TemporaryTable } from './temporary-table.ts';

/** How a dialect runs a query. */
export interface QueryOptions {
  readonly maxRows: number;
  readonly tables: readonly TemporaryTable[];
}

/** What SQLite and MySQL do differently when reading. */
export interface ReadingDialect {
  /** Location of the store, for messages. */
  readonly place: string;
  readonly db: Kysely<Tables>;
  /** Number of queries that may run at the same time. >= 1 */
  readonly readers: number;
  sql(query: string, options: QueryOptions): Promise<SqlResult>;
  /** See `Store.heldBy`. */
  readonly heldBy?: () => string | undefined;
  /** See `Store.writer`. */
  readonly writer?: () => Promise<string | undefined>;
  /** Returns what the database finds wrong in its own files; at most {@link MAX_FINDINGS} messages. */
  integrity(): Promise<readonly string[]>;
  /** Cancels all running queries of `sql`; only for database servers. */
  readonly abandon?: () => Promise<void>;
  close(): Promise<void>;
}

/** Findings of the database about its files that are reported. */
export const MAX_FINDINGS = 20;
