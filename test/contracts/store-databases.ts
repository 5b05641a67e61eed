import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { openStore, type Store, type StoreOptions } from '../../src/store/index.ts';

/** A place for the store of one test, which makes and drops it. */
export interface Place {
  readonly options: StoreOptions;
  open(more?: Partial<StoreOptions>): Promise<Store>;
  /** Runs statements on the database itself, like another program. */
  tamper(...statements: string[]): Promise<void>;
  /** Removes everything stored, so that another test can use the place. Returns false if that is impossible. */
  clear(): Promise<boolean>;
  drop(): Promise<void>;
}

/** A database that stores are tested with. */
export interface Database {
  readonly name: 'SQLite' | 'MySQL';
  /** Why its tests cannot run, or `undefined` if they can. */
  readonly missing: string | undefined;
  place(): Promise<Place>;
}

/** `mysql://user:password@host:port`, without a database. */
const SERVER = process.env.BINGO_TEST_MYSQL ?? 'mysql://root@127.0.0.1:3306';

export const sqlite: Database = { name: 'SQLite', missing: undefined, place: sqlitePlace };
export const mysql: Database = { name: 'MySQL', missing: await whyNoServer(), place: mysqlPlace };
export const DATABASES: readonly Database[] = [sqlite, mysql];

async function sqlitePlace(): Promise<Place> {
  const { default: BetterSqlite3 } = await import('better-sqlite3');
  const workspace = mkdtempSync(join(tmpdir(), 'bingo-store-'));
  return {
    ...placeOf({ url: 'sqlite', workspace, batch: 100, flushMs: 10 }),
    tamper: async (...statements) => {
      const db = new BetterSqlite3(join(workspace, 'store.db'));
      for (const statement of statements) db.exec(statement);
      db.close();
    },
    // Making a new one is as fast.
    clear: async () => false,
    drop: async () => rmSync(workspace, { recursive: true, force: true }),
  };
}

let places = 0;

async function mysqlPlace(): Promise<Place> {
  const database = `bingo_test_${process.pid}_${++places}`;
  const url = `${SERVER.replace(/\/$/, '')}/${database}`;
  const workspace = mkdtempSync(join(tmpdir(), 'bingo-store-'));
  let isTampered = false;
  return {
    ...placeOf({ url, workspace, batch: 100, flushMs: 10 }),
    tamper: (...statements) => {
      isTampered = true;
      return onServer(`use ${database}`, ...statements);
    },
    clear: async () => {
      if (isTampered) return false;
      for (const file of readdirSync(workspace)) rmSync(join(workspace, file), { recursive: true });
      await deleteAll(database);
      return true;
    },
    drop: async () => {
      rmSync(workspace, { recursive: true, force: true });
      await onServer(`drop database if exists ${database}`);
    },
  };
}

function placeOf(options: StoreOptions): Pick<Place, 'options' | 'open'> {
  return { options, open: (more) => openStore({ ...options, ...more }) };
}

/** Restores the tables of a database to their initial state, a hundred times faster than making them. */
async function deleteAll(database: string): Promise<void> {
  const connection = await createConnection({ uri: SERVER, multipleStatements: true });
  try {
    const [tables] = await connection.query(
      `select table_name as name from information_schema.tables where table_schema = ? and table_type = 'BASE TABLE'`,
      [database],
    );
    const deletions = (tables as { name: string }[]).map(({ name }) =>
      name === 'meta' ? `delete from meta where name not in ('schema_version', 'links')` : `delete from ${name}`,
    );
    const noLinks = `update meta set value = '0' where name = 'links'`;
    await connection.query([`use ${database}`, 'begin', ...deletions, noLinks, 'commit'].join(';'));
  } finally {
    await connection.end();
  }
}

export async function onServer(...statements: string[]): Promise<void> {
  const connection = await createConnection(SERVER);
  try {
    for (const statement of statements) await connection.query(statement);
  } finally {
    await connection.end();
  }
}

async function whyNoServer(): Promise<string | undefined> {
  try {
    await onServer('select 1');
    return undefined;
  } catch (error) {
    const where = process.env.BINGO_TEST_MYSQL === undefined ? 'at 127.0.0.1:3306' : 'named by BINGO_TEST_MYSQL';
    return `no MySQL or MariaDB answers ${where}: ${(error as Error).message}`;
  }
}
