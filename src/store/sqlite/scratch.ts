import type BetterSqlite3 from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { storeError } from '../errors.ts';
import { makingOf, type Scratch, type ScratchTable } from '../in-sql/scratch.ts';
import type { SchemaDialect } from '../migrations.ts';
import type { Row, Tables, Value } from '../schema.ts';
import { openSqliteReader, openSqliteWriter } from './connection.ts';
import { checkSqlite, kyselyOver, sqliteSchema } from './database.ts';

/** Rows of one `insert`. */
const ROWS_AT_ONCE = 64;
/** Temporary tables beyond this many KB go to a file that SQLite removes. */
const TEMPORARY_KB = 128_000;

/** @param writing makes kept tables; without it the file is opened for reading alone */
export async function openSqliteScratch(file: string, writing: boolean): Promise<Scratch> {
  let db: BetterSqlite3.Database | undefined;
  try {
    db = openSqliteReader(file);
    await checkSqlite(db, file);
    if (writing) {
      db.close();
      db = openSqliteWriter(file, undefined);
    }
    // Only the file is out of reach: the connection's own tables are not.
    db.pragma('query_only = off');
    db.pragma('temp_store = file');
    db.pragma(`temp.cache_size = -${TEMPORARY_KB}`);
    return new SqliteScratch(db, file);
  } catch (error) {
    db?.close();
    throw storeError(error, file);
  }
}

class SqliteScratch implements Scratch {
  readonly #db: BetterSqlite3.Database;
  readonly #place: string;
  readonly #statements = new Map<string, BetterSqlite3.Statement>();
  readonly dialect: SchemaDialect = sqliteSchema;
  readonly db: Kysely<Tables>;

  constructor(db: BetterSqlite3.Database, place: string) {
    this.#db = db;
    this.#place = place;
    this.db = kyselyOver(db);
  }

  async make(name: string, table: ScratchTable): Promise<void> {
    for (const statement of makingOf(name, table, this.dialect)) await this.run(statement);
  }

  async drop(name: string): Promise<void> {
    await this.run(`drop table if exists main.${name}`);
  }

  async run(statement: string, parameters: readonly Value[] = []): Promise<void> {
    this.#ask(() => this.#prepared(statement).run(parameters));
  }

  async all(statement: string, parameters: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#ask(() => this.#prepared(statement).raw().all(parameters) as Row[]);
  }

  async insert(table: string, rows: readonly Row[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const marks = `(${first.map(() => '?')})`;
    const head = `insert into ${table} values `;
    this.#ask(() => {
      let at = 0;
      if (rows.length >= ROWS_AT_ONCE) {
        const many = this.#prepared(head + Array<string>(ROWS_AT_ONCE).fill(marks).join());
        for (; at + ROWS_AT_ONCE <= rows.length; at += ROWS_AT_ONCE) many.run(rows.slice(at, at + ROWS_AT_ONCE).flat());
      }
      const one = this.#prepared(head + marks);
      for (; at < rows.length; at++) one.run(rows[at]!);
    });
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.run('begin');
    try {
      const result = await work();
      await this.run('commit');
      return result;
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('rollback');
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#db.close();
  }

  #prepared(text: string): BetterSqlite3.Statement {
    const known = this.#statements.get(text);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  #ask<T>(question: () => T): T {
    try {
      return question();
    } catch (error) {
      throw storeError(error, this.#place);
    }
  }
}
