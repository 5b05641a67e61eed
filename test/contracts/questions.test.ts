import { expect, test } from 'vitest';
import { LINKS_FOLLOWED, type PageRecord } from '../../src/core/index.ts';
import { eachDatabase, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { link, page, round, scores, visit } from './store-records.ts';

eachDatabase((name) => `questions about a store in ${name}`, contract);

/** A page with this calibrated score and cosine for `databases`. */
function scored(sequence: number, calibrated: number, { cosine = 0.125, others = false, depth = 1 } = {}) {
  const made = page(sequence, `https://a.example/${sequence}`, { others });
  const score = { ...scores('databases', calibrated), cosine };
  return { ...made, origin: { ...made.origin, depth }, assignment: { ...made.assignment, scores: [score] } };
}

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  test('the changes of users are listed in order', async () => {
    await tested.keep(
      { kind: 'steer', sequence: 1, at: 1, command: { kind: 'lock-host', host: 'a.example' } },
      page(2, 'https://a.example/'),
      { kind: 'steer', sequence: 3, at: 3, command: { kind: 'set-budget', budget: 9 } },
    );
    expect(await tested.store.steers()).toEqual([
      { kind: 'lock-host', host: 'a.example' },
      { kind: 'set-budget', budget: 9 },
    ]);
  });

  test('the beginning of the journal is summed by part, topic and bin of relevance', async () => {
    const crawled = (sequence: number, relevance: number, others = false): PageRecord => {
      const made = page(sequence, `https://a.example/${sequence}`, { others, relevance });
      return { ...made, origin: { ...made.origin, via: 'link' } };
    };
    await tested.keep(
      { kind: 'run', sequence: 1, at: 1, settings: '{}' },
      { kind: 'phase', sequence: 2, phase: 'learning', reason: '', at: 1 },
      crawled(3, 0.2),
      round(4),
      crawled(5, 0.9),
      crawled(6, 0.6),
      round(7),
      { kind: 'steer', sequence: 8, at: 3, command: { kind: 'set-budget', budget: 9 } },
      crawled(9, 0.1, true),
      crawled(10, 0.1),
    );
    const { records, pages, best } = await tested.store.beginning(9, 2);
    expect(best.map(({ sequence, relevance }) => [sequence, relevance])).toEqual([
      [5, 0.9],
      [6, 0.6],
      [3, 0.2],
      [10, 0.1],
    ]);
    expect(records.map(({ sequence }) => sequence)).toEqual([1, 2, 7, 8]);
    const shown = pages.map(({ part, others, bin, ...sums }) => [part, others, bin, sums.pages, sums.relevance]);
    expect(shown.toSorted()).toEqual([
      [0, false, 2, 1, 0.2],
      [1, false, 5, 1, 0.6],
      [1, false, 6, 1, 0.9],
      [1, true, 1, 1, 0.1],
    ]);
  });

  test('pages are listed in parts by relevance or age, and counted by site and topic', async () => {
    await tested.keep(
      page(1, 'https://a.example/1', { relevance: 0.2 }),
      page(2, 'https://b.example/2', { relevance: 0.9 }),
      page(3, 'https://a.example/3', { relevance: 0.5 }),
      page(4, 'https://c.example/4', { relevance: 0.7, others: true }),
    );
    const listed = async (order: 'relevance' | 'newest', offset = 0, limit = 10) => {
      const { total, pages } = await tested.store.pageWindow({}, { order, offset, limit });
      return [total, ...pages.map(({ sequence }) => sequence)];
    };
    expect(await listed('relevance')).toEqual([4, 2, 4, 3, 1]);
    expect(await listed('newest')).toEqual([4, 4, 3, 2, 1]);
    expect(await listed('relevance', 1, 2)).toEqual([4, 4, 3]);
    const onA = await tested.store.pageWindow({ sites: ['a.example'] }, { order: 'newest', offset: 0, limit: 10 });
    expect(onA).toMatchObject({ total: 2, pages: [{ url: 'https://a.example/3', others: false }, { sequence: 1 }] });
    const { topic, site, day } = await tested.store.pageFacets({});
    expect(site[0]).toEqual({ value: 'a.example', pages: 2 });
    expect(topic.reduce((sum, { pages }) => sum + pages, 0)).toBe(3);
    expect(day[0]?.value).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect((await tested.store.pageFacets({ sites: ['b.example'] })).site).toEqual([{ value: 'b.example', pages: 1 }]);
  });

  test('unfetched addresses of a site are counted, however many there are', async () => {
    const links = Array.from({ length: 6_000 }, (_, n) => link(`https://www.a.example/${n}`));
    await tested.keep(page(1, 'https://a.example/', { links: [...links, link('https://b.example/a.example')] }));
    expect(await tested.store.countUnfetched('a.example')).toBe(6_000);
    expect(await tested.store.countUnfetched('b.example')).toBe(1);
  });

  test('pages count against the budget of their queue and host', async () => {
    const from = 'https://a.example/1';
    await tested.keep(
      page(1, from),
      page(2, 'https://a.example/2', { from }),
      page(3, 'https://b.example/', { from }),
      { ...visit(4, 'https://b.example/copy'), result: 'duplicate' },
      { ...visit(5, 'https://b.example/followed'), reason: LINKS_FOLLOWED },
      visit(6, 'https://b.example/failed'),
    );
    const found = await tested.store.countedPages();
    expect(Object.fromEntries(found.map(({ host, pages }) => [host, pages]))).toEqual({
      'a.example': 1,
      'b.example': 3,
    });
  });

  test('candidates are uncertain accepted pages, and rejected pages near the seeds', async () => {
    await tested.keep(
      scored(1, 1.2, { cosine: 0.5 }),
      scored(2, 0.9, { cosine: 0.25 }),
      scored(3, 2),
      scored(4, 0.1, { others: true, cosine: 0.3 }),
      scored(5, 0.1, { others: true, cosine: 0.7, depth: 2 }),
      scored(6, 0.1, { others: true, cosine: 0.9, depth: 3 }),
    );
    const { unsure, near, accepted } = await tested.store.candidates({ calibratedBelow: 1.5, maxDepth: 2, limit: 10 });
    expect(unsure.map(({ sequence, score }) => [sequence, score])).toEqual([
      [2, 0.9],
      [1, 1.2],
    ]);
    expect(near.map(({ sequence, score }) => [sequence, score])).toEqual([
      [5, 0.7],
      [4, 0.3],
    ]);
    expect(near[0]).toMatchObject({ topic: 'databases', url: 'https://a.example/5', title: 'A title' });
    expect(accepted).toEqual([{ topic: 'databases', pages: 3, meanCosine: expect.closeTo(0.2917, 3) }]);
    const [one, ...none] = (await tested.store.candidates({ calibratedBelow: 1.5, maxDepth: 2, limit: 1 })).unsure;
    expect([one?.sequence, none]).toEqual([2, []]);
  });
}
