import { statSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { StoreError } from '../../core/index.ts';
import { isLocked } from '../errors.ts';
import type { Sink } from '../ports.ts';
import { COLUMNS, type Row, type Value, type WrittenTable } from '../schema.ts';
import { Statements } from './statements.ts';

/** Writes over one connection. */
export class SqliteSink implements Sink {
  readonly #db: BetterSqlite3.Database;
  readonly #statements: Statements;
  readonly #patienceMs: number;
  /** Identity of the database's files at the first transaction. */
  #files: string | undefined;

  /** Since when another program has held the database locked; `undefined` if it does not. */
  #lockedSince: number | undefined;

  /** @param patienceMs how long to wait for another program that holds the database locked */
  constructor(db: BetterSqlite3.Database, patienceMs: number) {
    this.#db = db;
    this.#patienceMs = patienceMs;
    this.#statements = new Statements(db);
  }

  async begin(): Promise<void> {
    this.#statements.of('begin immediate').run();
    this.#lockedSince = undefined;
    this.#files ??= filesOf(this.#db.name);
  }

  /** @throws StoreError `STORE_GONE` if the files were removed, moved or replaced, because the writes would be lost */
  async commit(): Promise<void> {
    if (filesOf(this.#db.name) !== this.#files) throw goneStore(this.#db.name);
    this.#statements.of('commit').run();
  }

  async rollback(): Promise<void> {
    // After SQLITE_FULL and similar errors, SQLite has already rolled back.
    if (this.#db.inTransaction) this.#db.exec('rollback');
  }

  async insert(table: WrittenTable, rows: readonly Row[]): Promise<void> {
    this.#statements.insert(`insert into ${table} (${COLUMNS[table]})`, rows);
  }

  async insertAbsent(table: WrittenTable, rows: readonly Row[]): Promise<void> {
    this.#statements.insert(`insert or ignore into ${table} (${COLUMNS[table]})`, rows);
  }

  async run(statement: string, parameters: readonly Value[]): Promise<void> {
    this.#statements.of(statement).run(parameters);
  }

  async all(statement: string, parameters: readonly Value[]): Promise<readonly Row[]> {
    return this.#statements.of(statement).raw().all(parameters) as Row[];
  }

  /** A file either accepts a transaction or does not, unless another program has locked it for a while. */
  async recover(error: unknown): Promise<boolean> {
    if (!isLocked(error)) return false;
    this.#lockedSince ??= performance.now();
    return performance.now() - this.#lockedSince < this.#patienceMs;
  }

  async close(): Promise<void> {
    this.#db.close();
  }
}

/** Returns the identity of a database's files: itself, its log, and the lock table. */
function filesOf(file: string): string {
  return ['', '-wal', '-shm']
    .map((end) => statSync(`${file}${end}`, { throwIfNoEntry: false, bigint: true }))
    .map((found) => `${found?.dev}:${found?.ino}`)
    .join();
}

function goneStore(file: string): StoreError {
  return new StoreError({
    code: 'STORE_GONE',
    message: `The store ${file}or its log was removed, moved or replaced while it was being written.`,
    hint: 'If the files were moved, move all of them back (store.db, store.db-wal). Otherwise restore a copy, or crawl again.',
  });
}
