import { afterAll, afterEach, beforeEach, describe, test } from 'vitest';
import type { JournalRecord } from '../../src/core/index.ts';
import type { Store } from '../../src/store/index.ts';
import { DATABASES, type Database, type Place } from './store-databases.ts';

/** Holds every database to a contract; one that is missing is skipped, saying why. */
export function eachDatabase(title: (name: string) => string, contract: (database: Database) => void): void {
  for (const database of DATABASES) {
    const name = title(database.name);
    if (database.missing === undefined) describe(name, () => contract(database));
    else test.skip(`${name} (skipped: ${database.missing})`, () => {});
  }
}

/** The store of the test that runs; a test may close it and put another one in its place. */
export interface TestedStore {
  place: Place;
  store: Store;
}

/** Opens a store of its own for each test, and closes it. */
export function storeOfEachTest(database: Database): TestedStore {
  const tested = {} as TestedStore;
  const drops: Promise<void>[] = [];

  beforeEach(async () => {
    tested.place = await database.place();
    tested.store = await tested.place.open();
  });

  afterEach(async () => {
    await tested.store.close();
    // Dropping a MySQL database takes longer than most tests: it goes on beside the next one.
    drops.push(tested.place.drop());
  });

  afterAll(async () => {
    await Promise.all(drops);
  });

  return tested;
}

/** Appends records and waits until they are stored. */
export async function keepIn(store: Store, records: readonly JournalRecord[]): Promise<void> {
  for (const record of records) store.append(record);
  await store.flush();
}
