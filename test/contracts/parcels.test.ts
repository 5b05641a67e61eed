import { expect, test } from 'vitest';
import { ALL_SHARDS, type JournalRecord, type Lesson, type Parcel, type SentEntry } from '../../src/core/index.ts';
import { eachDatabase, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { page, typicalPage, url } from './store-records.ts';

const lesson = (relevance: number): Lesson => ({
  ...{ url: url('https://a.example/'), relevance, link: undefined, words: [3, 70], known: [] },
});
const entry = (target: string): SentEntry => ({ ...typicalPage(1).origin, url: url(target), host: 'b.example' });
const taught = (relevance: number): Parcel => ({ pages: [], redirects: [], lessons: [lesson(relevance)] });
const sent = (target: string): Parcel => ({ pages: [], redirects: [entry(target)], lessons: [] });

eachDatabase((name) => `parcels in ${name}`, contract);

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  /** Stores a record with parcels, in a transaction of its own. */
  async function store(sequence: number, ...leaving: readonly (readonly [number, Parcel])[]): Promise<void> {
    tested.store.append(page(sequence, `https://a.example/${sequence}`), new Map(leaving));
    await tested.store.flush();
  }

  test('a shard gets its parcels and those for all, those of one transaction as one', async () => {
    await store(1, [ALL_SHARDS, taught(0.25)], [2, sent('https://b.example/')]);
    await store(2, [ALL_SHARDS, taught(0.5)]);
    await store(3, [2, sent('https://b.example/3')]);
    const all = { after: 0, limit: 9 };
    expect(await tested.store.parcels(2, all)).toEqual([
      { sequence: 1, parcel: { ...taught(0.25), redirects: [entry('https://b.example/')] } },
      { sequence: 2, parcel: taught(0.5) },
      { sequence: 3, parcel: sent('https://b.example/3') },
    ]);
    expect((await tested.store.parcels(1, all)).map(({ parcel }) => parcel)).toEqual([taught(0.25), taught(0.5)]);
    expect((await tested.store.exchange()).sent).toEqual(
      new Map([
        [ALL_SHARDS, 2],
        [2, 3],
      ]),
    );
  });

  test('reading a part of the parcels divides none', async () => {
    for (let i = 1; i <= 3; i++) await store(i, [ALL_SHARDS, taught(1 / i)], [0, sent(`https://b.example/${i}`)]);
    for (const limit of [1, 2]) {
      const read: (readonly [sequence: number, lessons: number, links: number])[] = [];
      for (let after = 0; ; after = read.at(-1)![0]) {
        const some = await tested.store.parcels(0, { after, limit });
        expect(some.length).toBeLessThanOrEqual(limit);
        for (const { sequence, parcel } of some) read.push([sequence, parcel.lessons.length, parcel.redirects.length]);
        if (some.length === 0) break;
      }
      expect(read).toEqual([1, 2, 3].map((sequence) => [sequence, 1, 1]));
    }
  });

  test('parcels for one shard and for all are removed apart', async () => {
    for (let i = 1; i <= 2; i++) await store(i, [ALL_SHARDS, taught(1 / i)], [0, sent(`https://b.example/${i}`)]);
    await tested.store.dropParcels(0, 2);
    await tested.store.dropParcels(ALL_SHARDS, 1);
    expect(await tested.store.parcels(0, { after: 0, limit: 9 })).toEqual([{ sequence: 2, parcel: taught(0.5) }]);
    expect((await tested.store.exchange()).sent).toEqual(new Map([[ALL_SHARDS, 2]]));
  });

  test('what arrived is kept with the record of its arrival', async () => {
    const parcel = { ...taught(0.25), redirects: [entry('https://b.example/')] };
    tested.store.append({ kind: 'inbox', sequence: 1, source: 3, upto: 17, parcel, at: 5 });
    await tested.store.flush();
    await tested.reopen();
    const read: JournalRecord[] = [];
    for await (const records of tested.store.read()) read.push(...records);
    expect(read).toEqual([{ kind: 'inbox', sequence: 1, source: 3, upto: 17, parcel, at: 5 }]);
    expect((await tested.store.exchange()).received).toEqual(new Map([[3, 17]]));
  });
}
