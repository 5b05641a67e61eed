import { statSync } from 'node:fs';
import type BetterSqlite3 from 'better-sqlite3';
import { StoreError } from '../../core/index.ts';
import type { Sink } from '../ports.ts';
import { COLUMNS, type Row, type Value, type WrittenTable } from '../schema.ts';

type Statement = BetterSqlite3.Statement<unknown[], unknown>;

/** Rows of one `insert`: halves the cost of small rows. Times the widest table's columns, far below SQLite's limit. */
const ROWS_AT_ONCE = 32;

/** Writes through one connection, with statements prepared once. */
export class SqliteSink implements Sink {
  readonly #db: BetterSqlite3.Database;
  readonly #statements = new Map<string, Statement>();
  /** The database's files as the first transaction met them. */
  #files: string | undefined;

  constructor(db: BetterSqlite3.Database) {
    this.#db = db;
  }

  async begin(): Promise<void> {
    this.#prepared('begin immediate').run();
    this.#files ??= filesOf(this.#db.name);
  }

  /** @throws StoreError `STORE_GONE` when the files were removed, moved or replaced: what is written to them would be found by nobody */
  async commit(): Promise<void> {
    if (filesOf(this.#db.name) !== this.#files) throw goneStore(this.#db.name);
    this.#prepared('commit').run();
  }

  async rollback(): Promise<void> {
    // After SQLITE_FULL and its like SQLite has already done it.
    if (this.#db.inTransaction) this.#db.exec('rollback');
  }

  async insert(table: WrittenTable, rows: readonly Row[]): Promise<void> {
    this.#insert('insert', table, rows);
  }

  async insertAbsent(table: WrittenTable, rows: readonly Row[]): Promise<void> {
    this.#insert('insert or ignore', table, rows);
  }

  async run(statement: string, parameters: readonly Value[]): Promise<void> {
    this.#prepared(statement).run(parameters);
  }

  async all(statement: string, parameters: readonly Value[]): Promise<readonly Row[]> {
    return this.#prepared(statement).raw().all(parameters) as Row[];
  }

  /** A file either takes a transaction or does not. */
  async recover(): Promise<boolean> {
    return false;
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #insert(verb: string, table: WrittenTable, rows: readonly Row[]): void {
    const columns = COLUMNS[table];
    const marks = `(${columns.map(() => '?')})`;
    const head = `${verb} into ${table} (${columns}) values `;
    let at = 0;
    if (rows.length >= ROWS_AT_ONCE) {
      const many = this.#prepared(head + Array<string>(ROWS_AT_ONCE).fill(marks).join());
      for (; at + ROWS_AT_ONCE <= rows.length; at += ROWS_AT_ONCE) many.run(rows.slice(at, at + ROWS_AT_ONCE).flat());
    }
    const one = this.#prepared(head + marks);
    for (; at < rows.length; at++) one.run(rows[at]!);
  }

  #prepared(text: string): Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(text) as Statement;
    this.#statements.set(text, statement);
    return statement;
  }
}

/** Which files a database has now: itself, its log, and the table of locks. */
function filesOf(file: string): string {
  return ['', '-wal', '-shm']
    .map((end) => statSync(`${file}${end}`, { throwIfNoEntry: false, bigint: true }))
    .map((found) => `${found?.dev}:${found?.ino}`)
    .join();
}

function goneStore(file: string): StoreError {
  return new StoreError({
    code: 'STORE_GONE',
    message: `The store ${file}, or its log beside it, was removed, moved or replaced while it was being written.`,
    hint: 'Where the files were moved, put all of them back (store.db, store.db-wal); else put back a copy, or crawl again.',
  });
}
