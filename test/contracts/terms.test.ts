import { expect, test } from 'vitest';
import type { Store } from '../../src/store/index.ts';
import { eachDatabase, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { stems, topic, url } from './store-records.ts';

eachDatabase((name) => `the term index in ${name}`, contract);

function contract(database: Database): void {
  const tested = storeOfEachTest(database);
  const { keep, ask } = tested;

  const find = async (query: Omit<Parameters<Store['search']>[0], 'limit'>): Promise<number[]> =>
    (await tested.store.search({ limit: 10, ...query })).hits.map((hit) => hit.sequence);

  test('finds pages with any of the stems, the best match first', async () => {
    await keep(
      stems(1, { recoveri: 1, noise: 4 }),
      stems(2, { recoveri: 5, log: 5 }),
      stems(3, { garden: 1 }),
      stems(4, { garden: 1 }),
      stems(5, { flower: 1 }),
    );
    expect(await find({ any: ['recoveri', 'log'] })).toEqual([2, 1]);
    const { hits, matches } = await tested.store.search({ any: ['recoveri', 'log'], limit: 2 });
    const [best, second] = hits;
    expect(matches).toBe(2);
    expect(best!.bm25).toBeGreaterThan(second!.bm25);
    expect(best).toMatchObject({ url: 'https://s.example/2', title: 'A title', topic: 'databases', others: false });
    expect(best).toMatchObject({
      confidence: 0.25,
      relevance: 0.75,
      fetchedAt: 1_041_775_202_000,
      host: 's.example',
    });
  });

  test('requires every stem in "all"; stems in "any" only raise the score', async () => {
    await keep(
      stems(1, { log: 1, redo: 1 }),
      stems(2, { log: 1, redo: 1, undo: 1 }),
      stems(3, { log: 1, undo: 1 }),
      stems(4, { x: 1 }),
      stems(5, { x: 1 }),
    );
    expect((await find({ all: ['log', 'redo'] })).toSorted()).toEqual([1, 2]);
    expect(await find({ all: ['log', 'redo'], any: ['undo', 'absent'] })).toEqual([2, 1]);
  });

  test('finds a stem that every page has', async () => {
    await keep(stems(1, { log: 1 }), stems(2, { log: 1 }));
    expect((await find({ any: ['log'] })).toSorted()).toEqual([1, 2]);
    expect((await find({ all: ['log'] })).toSorted()).toEqual([1, 2]);
  });

  test('finds short, common, accented and odd stems', async () => {
    await keep(
      stems(1, { c: 1 }),
      stems(2, { the: 1 }),
      stems(3, { naïv: 1 }),
      stems(4, { 'c++': 1 }),
      stems(5, { 回復: 1 }),
      stems(6, { naiv: 1 }),
    );
    expect(await find({ any: ['c'] })).toEqual([1]);
    expect(await find({ any: ['the'] })).toEqual([2]);
    expect(await find({ any: ['naïv'] })).toEqual([3]);
    expect(await find({ any: ['c++'] })).toEqual([4]);
    expect(await find({ any: ['回復'] })).toEqual([5]);
  });

  test('treats operators of the index as plain text', async () => {
    await keep(stems(1, { log: 1 }));
    for (const stem of ['"', 'log" OR "x', '*', '(log', '+log', '-log', 'NOT', 'NEAR', '@', '', ' ', '\0'])
      await expect(tested.store.search({ any: [stem], limit: 10 })).resolves.toBeDefined();
  });

  test('finds nothing without a stem', async () => {
    await keep(stems(1, { log: 1 }));
    expect(await find({})).toEqual([]);
    expect(await find({ all: [], any: [] })).toEqual([]);
  });

  test('limits results to accepted pages of the topics and their subtopics', async () => {
    await keep(
      stems(1, { log: 1 }, { topic: 'databases' }),
      stems(2, { log: 1 }, { topic: 'databases/recovery' }),
      stems(3, { log: 1 }, { topic: 'databases-old' }),
      stems(4, { log: 1 }, { topic: 'databases', others: true }),
      stems(5, { log: 1 }, { topic: 'cycling' }),
    );
    const within = async (...ids: string[]): Promise<number[]> =>
      (await find({ any: ['log'], topics: ids.map(topic) })).toSorted();
    expect(await within('databases')).toEqual([1, 2]);
    expect(await within('databases/recovery', 'cycling')).toEqual([2, 5]);
    expect(await within('')).toEqual([1, 2, 3, 4, 5]);
    expect(await within()).toEqual([1, 2, 3, 4, 5]);
  });

  test('finds pages of sealed segments and new pages alike, even after reopening', async () => {
    for (let n = 1; n <= 1100; n++) tested.store.append(stems(n, { log: 1, [`only${n}`]: 2 }));
    await tested.store.flush();
    for (const n of [1, 512, 1024, 1025, 1100]) expect(await find({ all: ['log', `only${n}`] })).toEqual([n]);
    expect(await ask('select first, last, pages from term_segment')).toEqual([[1, 1024, 1024]]);
    await tested.store.close();
    tested.store = await tested.place.open();
    for (let n = 1101; n <= 2050; n++) tested.store.append(stems(n, { log: 1, [`only${n}`]: 2 }));
    await tested.store.flush();
    for (const n of [1100, 1101, 2048, 2049]) expect(await find({ all: [`only${n}`], any: ['log'] })).toEqual([n]);
    expect(await ask('select first, last, pages from term_segment order by first')).toEqual([
      [1, 1024, 1024],
      [1025, 2048, 1024],
    ]);
    expect(await ask('select page from term_log order by page')).toEqual([[2049], [2050]]);
  });

  test('leaves out training pages of OTHERS until the user marks one for a topic', async () => {
    const { assignment } = stems(2, {});
    const others = { role: 'others', assignment: { ...assignment, others: true } } as const;
    await keep(stems(1, { log: 1 }), stems(2, { log: 1 }, { record: others }));
    expect(await find({ any: ['log'] })).toEqual([1]);
    const { matches } = await tested.store.search({ any: ['log'], limit: 10, ended: false });
    expect(matches).toBe(1);
    await tested.store.saveVerdicts([{ sequence: 2, assignment }]);
    expect(await find({ any: ['log'] })).toEqual([1, 2]);
  });

  test('does not count a page twice that has a newer version', async () => {
    const again = { record: { url: url('https://e.example/1') } };
    await keep(stems(1, { log: 1 }, again), stems(2, { log: 1 }, again));
    const { hits, matches } = await tested.store.search({ any: ['log'], limit: 10, ended: false });
    expect([hits.map(({ sequence }) => sequence), matches]).toEqual([[2], 1]);
  });
}
