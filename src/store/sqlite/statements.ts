import type BetterSqlite3 from 'better-sqlite3';
import type { Row } from '../schema.ts';

export type Statement = BetterSqlite3.Statement<unknown[], unknown>;

/**
 * Rows per `insert`: halves the cost of small rows. Multiplied by the columns of the widest table, far below SQLite's
 * limit.
 */
const ROWS_AT_ONCE = 32;

/** Prepared statements of a connection, each prepared once. */
export class Statements {
  readonly #db: BetterSqlite3.Database;
  readonly #prepared = new Map<string, Statement>();

  constructor(db: BetterSqlite3.Database) {
    this.#db = db;
  }

  of(text: string): Statement {
    const known = this.#prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(text) as Statement;
    this.#prepared.set(text, statement);
    return statement;
  }

  /**
   * Inserts rows, many at once.
   * @param head the statement before `values`, such as `insert into page (id, url)`
   * @param rows each with a value per column
   */
  insert(head: string, rows: readonly Row[]): void {
    const [first] = rows;
    if (first === undefined) return;
    const marks = `(${first.map(() => '?')})`;
    let at = 0;
    if (rows.length >= ROWS_AT_ONCE) {
      const many = this.of(`${head} values ${Array<string>(ROWS_AT_ONCE).fill(marks)}`);
      for (; at + ROWS_AT_ONCE <= rows.length; at += ROWS_AT_ONCE) many.run(rows.slice(at, at + ROWS_AT_ONCE).flat());
    }
    const one = this.of(`${head} values ${marks}`);
    for (; at < rows.length; at++) one.run(rows[at]!);
  }
}
