import type BetterSqlite3 from 'better-sqlite3';
import type { Sink } from '../ports.ts';
import { COLUMNS, type Row, type Value, type WrittenTable } from '../schema.ts';

type Statement = BetterSqlite3.Statement<unknown[], unknown>;

/** Rows of one `insert`: halves the cost of small rows. Times the widest table's columns, far below SQLite's limit. */
const ROWS_AT_ONCE = 32;

/** Writes through one connection, with statements prepared once. */
export class SqliteSink implements Sink {
  readonly #db: BetterSqlite3.Database;
  readonly #statements = new Map<string, Statement>();

  constructor(db: BetterSqlite3.Database) {
    this.#db = db;
  }

  async begin(): Promise<void> {
    this.#prepared('begin immediate').run();
  }

  async commit(): Promise<void> {
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
