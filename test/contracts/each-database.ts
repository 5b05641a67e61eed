import { afterAll, afterEach, beforeEach, describe } from 'vitest';
import type { JournalRecord } from '../../src/core/index.ts';
import type { Store, StoreOptions } from '../../src/store/index.ts';
import { DATABASES, type Database, type Place } from './store-databases.ts';

/** Runs a contract against every database. A missing one is skipped with the reason. */
export function eachDatabase(title: (name: string) => string, contract: (database: Database) => void): void {
  for (const database of DATABASES) {
    const { name, missing } = database;
    const reason = missing === undefined ? '' : ` (skipped: ${missing})`;
    describe.skipIf(missing !== undefined)(`${title(name)}${reason}`, () => contract(database));
  }
}

/** The store of the current test. A test may close and replace it. */
export interface TestedStore {
  place: Place;
  store: Store;
  /** Appends records and waits until they are stored. */
  readonly keep: (...records: JournalRecord[]) => Promise<void>;
  /** Closes the store and opens it again. */
  readonly reopen: (more?: Partial<StoreOptions>) => Promise<void>;
  /** Returns the rows of a query. */
  readonly ask: (query: string) => Promise<unknown[][]>;
}

/** Opens an empty store for each test, and closes it. */
export function storeOfEachTest(database: Database): TestedStore {
  const tested = {
    keep: (...records: JournalRecord[]) => keepIn(tested.store, records),
    reopen: async (more?: Partial<StoreOptions>) => {
      await tested.store.close();
      tested.store = await tested.place.open(more);
    },
    ask: async (query: string) => rowsOf(await tested.store.sql(query, { maxRows: 1000 })),
  } as TestedStore;
  const places = placesOf(database);

  beforeEach(async () => {
    tested.place = await places.take();
    tested.store = await tested.place.open();
  });

  afterEach(async () => {
    await tested.store.close();
    await places.leave(tested.place);
  });

  return tested;
}

/**
 * Returns empty places, one after the other. Making and dropping a MySQL database takes longer than most tests, so
 * the next test gets the same one, cleared. If it cannot be cleared, it is dropped during the next test.
 */
export function placesOf(database: Database): { take(): Promise<Place>; leave(place: Place): Promise<void> } {
  const drops: Promise<void>[] = [];
  let cleared: Place | undefined;

  afterAll(async () => {
    await Promise.all([...drops, cleared?.drop()]);
  });

  return {
    take: async () => {
      const place = cleared ?? (await database.place());
      cleared = undefined;
      return place;
    },
    leave: async (place) => {
      if (await place.clear()) cleared = place;
      else drops.push(place.drop());
    },
  };
}

/** Appends records and waits until they are stored. */
export async function keepIn(store: Store, records: readonly JournalRecord[]): Promise<void> {
  for (const record of records) store.append(record);
  await store.flush();
}

/** All records of a store, in order. */
export async function readAll(store: Store): Promise<JournalRecord[]> {
  return (await collect(store.read())).flat();
}

/** Returns the rows of a query result. */
export async function rowsOf(result: Awaited<ReturnType<Store['sql']>>): Promise<unknown[][]> {
  return (await collect(result.rows)).map((row) => [...row]);
}

/** All items, in order. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
