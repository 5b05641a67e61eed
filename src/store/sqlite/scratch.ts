import type BetterSqlite3 from 'better-sqlite3';
import type { Kysely } from 'kysely';
import { storeError } from '../errors.ts';
import { makingOf, type Scratch, type ScratchTable } from '../in-sql/scratch.ts';
import type { SchemaDialect } from '../ports.ts';
import type { Row, Tables, Value } from '../schema.ts';
import { openSqliteReader, openSqliteWriter } from './connection.ts';
import { checkSqlite, kyselyOver, sqliteSchema } from './database.ts';
import { Statements } from './statements.ts';

/** Temporary tables larger than this, in KB, go to a file that SQLite removes. */
const TEMPORARY_KB = 128_000;

/** @param writing allows kept tables; without it, the file is opened only for reading */
export async function openSqliteScratch(file: string, writing: boolean): Promise<Scratch> {
  let db: BetterSqlite3.Database | undefined;
  try {
    db = openSqliteReader(file);
    await checkSqlite(db, file);
    if (writing) {
      db.close();
      db = openSqliteWriter(file, undefined);
    }
    // The file stays read-only; the connection's temporary tables are writable.
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
  readonly #statements: Statements;
  readonly dialect: SchemaDialect = sqliteSchema;
  readonly db: Kysely<Tables>;

  constructor(db: BetterSqlite3.Database, place: string) {
    this.#db = db;
    this.#statements = new Statements(db);
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
    this.#ask(() => this.#statements.of(statement).run(parameters));
  }

  async all(statement: string, parameters: readonly Value[] = []): Promise<readonly Row[]> {
    return this.#ask(() => this.#statements.of(statement).raw().all(parameters) as Row[]);
  }

  async insert(table: string, rows: readonly Row[]): Promise<void> {
    this.#ask(() => this.#statements.insert(`insert into ${table}`, rows));
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

  #ask<T>(question: () => T): T {
    try {
      return question();
    } catch (error) {
      throw storeError(error, this.#place);
    }
  }
}
