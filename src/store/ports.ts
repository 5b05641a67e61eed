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
