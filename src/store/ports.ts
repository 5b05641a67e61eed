import type { Row, Value, WrittenTable } from './schema.ts';

/**
 * What the writer needs of a database; each dialect's folder implements it. Everything between `begin` and `commit`
 * is one transaction. Statements use `?` for their parameters.
 */
export interface Sink {
  begin(): Promise<void>;
  commit(): Promise<void>;
  /** Rolls back the open transaction, if any; never throws. */
  rollback(): Promise<void>;
  insert(table: WrittenTable, rows: readonly Row[]): Promise<void>;
  /** Inserts rows whose key is free and skips the others. */
  insertAbsent(table: WrittenTable, rows: readonly Row[]): Promise<void>;
  run(statement: string, parameters: readonly Value[]): Promise<void>;
  all(statement: string, parameters: readonly Value[]): Promise<readonly Row[]>;
  /** Returns true if the work may be retried. The sink is then ready for it, with a new connection if necessary. */
  recover(error: unknown, attempt: number): Promise<boolean>;
  close(): Promise<void>;
}

/** What a migration needs to know about a database; each dialect's folder provides one. */
export interface SchemaDialect {
  /** SQL type of each kind of column. */
  readonly types: Readonly<Record<ColumnKind, string>>;
  /** Appended to `create table`. */
  readonly tableOptions: string;
  /** The same for a table whose rows are found by their key alone. */
  readonly keyedTableOptions: string;
  /**
   * True if `create index` and `drop index` may be repeated (`if not exists`, `if exists`). If false, an index of a
   * scratch table is part of its `create table`.
   */
  readonly repeatsIndexes: boolean;
  /** Begins a statement that drops a temporary table if it exists. */
  readonly dropTemporary: string;
  /** Begins an insert that skips rows whose key is taken. */
  readonly insertAbsent: string;
  /** Inserted before `view` in `create view`. */
  readonly viewOptions: string;
  /** Query for the names of all tables, without views. */
  readonly tableNames: string;
  /** Turns a time in ms since 1970 into its minute, as `2003-01-05 14:30` in UTC. */
  readonly minuteOf: (column: string) => string;
}

/** `id` and `big` hold integers up to 2^53; `word`, `name` … are texts of the lengths in `MAX_CHARS`. */
export type ColumnKind = 'id' | 'int' | 'big' | 'real' | 'word' | 'host' | 'name' | 'text' | 'long' | 'blob';
