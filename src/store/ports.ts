import type { Row, Value, WrittenTable } from './schema.ts';

/**
 * What the writer needs of a database; each dialect's folder has one. Everything between `begin` and `commit` is one
 * transaction. Statements use `?` for their parameters.
 */
export interface Sink {
  begin(): Promise<void>;
  commit(): Promise<void>;
  /** Undoes the open transaction, if there is one; never throws. */
  rollback(): Promise<void>;
  insert(table: WrittenTable, rows: readonly Row[]): Promise<void>;
  /** Inserts rows whose key is free, and leaves the others out. */
  insertAbsent(table: WrittenTable, rows: readonly Row[]): Promise<void>;
  run(statement: string, parameters: readonly Value[]): Promise<void>;
  all(statement: string, parameters: readonly Value[]): Promise<readonly Row[]>;
  /** True when the error may pass; the sink is then ready to begin again, on a new connection if need be. */
  recover(error: unknown, attempt: number): Promise<boolean>;
  close(): Promise<void>;
}

/** What a migration must know of a database; each dialect's folder gives one. */
export interface SchemaDialect {
  readonly name: 'sqlite' | 'mysql';
  /** SQL type of each kind of column. */
  readonly types: Readonly<Record<ColumnKind, string>>;
  /** Appended to `create table`. */
  readonly tableOptions: string;
  /** In front of `view` where one is made. */
  readonly viewOptions: string;
  /** Query for the names of all tables, views left out. */
  readonly tableNames: string;
  /** Minute of a time in ms since 1970, as `2003-01-05 14:30` in UTC. */
  readonly minuteOf: (column: string) => string;
}

/** `id` and `big` hold integers up to 2^53; `word`, `name` … are texts of the lengths in `MAX_CHARS`. */
export type ColumnKind = 'id' | 'int' | 'big' | 'real' | 'word' | 'host' | 'name' | 'text' | 'long' | 'blob';
