import { expect, test } from 'vitest';
import type { PageRecord } from '../../src/core/index.ts';
import { readQuery, voteWords } from '../../src/postprocess/index.ts';
import { eachDatabase, keepIn, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { link, page, visit } from './store-records.ts';

eachDatabase((name) => `votes of anchors in ${name}`, contract);

const DRAW = 'https://draw.example/';

function contract(database: Database): void {
  const tested = storeOfEachTest(database);
  const votes = voteWords(readQuery('drawing programs'));

  const scores = async (): Promise<ReadonlyMap<number, number>> => {
    const query = { any: ['draw', 'paint'], by: ['votes' as const], limit: 10, votes };
    const { hits } = await tested.store.search(query);
    return new Map(hits.map((hit) => [hit.sequence, hit.votes]));
  };

  test('count referring pages, not links, and no page votes for itself', async () => {
    await keepIn(tested.store, [
      page(1, DRAW, { stems: { draw: 1 }, links: [link(DRAW, 'a drawing program')] }),
      page(2, 'https://paint.example/', { stems: { paint: 1 } }),
      page(3, 'https://a.example/', {
        links: [link(DRAW, 'Drawing'), link(DRAW, 'drawings'), link('https://paint.example/', 'Draw')],
      }),
      page(4, 'https://b.example/', { links: [link(DRAW, 'the drawing program'), link(DRAW, 'withdrawn')] }),
    ]);
    const found = await scores();
    expect(found.get(1)).toBeGreaterThan(found.get(2)!);
    // Two pages vote for "draw" and one for "program"; the only vote for the other page is for "draw".
    expect(found.get(2)).toBeCloseTo(Math.log(2));
    expect(found.get(1)).toBeCloseTo((1 + Math.log(2)) * Math.log(2) + Math.log(3));
  });

  test('add no candidates without votes if another measure has its own', async () => {
    await keepIn(tested.store, [
      page(1, 'https://other.example/', { stems: { draw: 1, much: 50 } }),
      page(2, DRAW, { stems: { draw: 1 } }),
      page(3, 'https://a.example/', { links: [link(DRAW, 'Drawing')] }),
    ]);
    const found = async (by: readonly ('bm25' | 'votes')[]): Promise<readonly number[]> =>
      (await tested.store.search({ any: ['draw'], by, limit: 2, votes })).hits.map(({ sequence }) => sequence);
    expect(await found(['votes'])).toEqual([2, 1]);
    expect((await found(['bm25', 'votes'])).toSorted()).toEqual([1, 2]);
    const { hits } = await tested.store.search({
      any: ['draw'],
      by: ['bm25', 'votes'],
      limit: 1,
      votes: voteWords(readQuery('paint')),
    });
    // Only the best by BM25: no page has votes for this word, so `votes` selects none.
    expect(hits.map(({ sequence }) => sequence)).toEqual([2]);
  });

  test('of sites count each site once, and not the site of the page', async () => {
    await keepIn(tested.store, [
      page(1, DRAW, { stems: { draw: 1 } }),
      page(2, 'https://paint.example/', { stems: { paint: 1 } }),
      page(3, 'https://a.example/1', { links: [link(DRAW, 'Drawing'), link('https://paint.example/', 'drawing')] }),
      page(4, 'https://a.example/2', { links: [link(DRAW, 'Drawing')] }),
      page(5, 'https://draw.example/about', { links: [link(DRAW, 'drawing')] }),
    ]);
    const query = { any: ['draw', 'paint'], by: ['sitevotes' as const], limit: 10, votes };
    const { hits } = await tested.store.search(query);
    const [draw, paint] = [1, 2].map((sequence) => hits.find((hit) => hit.sequence === sequence)!);
    expect([draw!.sitevotes, paint!.sitevotes]).toEqual([expect.closeTo(Math.log(2)), expect.closeTo(Math.log(2))]);
    expect(draw!.votes).toBeGreaterThan(paint!.votes);
  });

  test('find addresses that were not fetched, best first', async () => {
    await keepIn(tested.store, [
      page(1, DRAW, { stems: { draw: 1 } }),
      page(2, 'https://a.example/', {
        links: [
          link('https://new.example/', 'Drawing programs'),
          link(DRAW, 'drawing'),
          link('https://gone.example/', 'drawing'),
        ],
      }),
      page(3, 'https://b.example/', {
        links: [
          link('https://new.example/', 'drawing'),
          link('https://other.example/', 'a program'),
          link('https://x.example/', 'home'),
        ],
      }),
      visit(4, 'https://gone.example/'),
    ]);
    const found = await tested.store.unfetched(votes, 10);
    expect(found.map(({ url, votes: n }) => [url, n])).toEqual([
      ['https://new.example/', 2],
      ['https://other.example/', 1],
    ]);
    expect(await tested.store.unfetched(voteWords(readQuery('nothing')), 10)).toEqual([]);
    expect(await tested.store.unfetched(votes, 1)).toHaveLength(1);
  });

  /** Pages that link to each other by words that are not asked for, and some by words that are. */
  const many = (from: number, to: number): PageRecord[] =>
    Array.from({ length: to - from + 1 }, (_, i) => {
      const n = from + i;
      const words = n % 100 === 0 ? ['Drawing tools'] : n % 250 === 1 ? ['programs', 'withdrawn'] : ['home', 'Zürich'];
      return page(n, `https://p${n}.example/`, {
        stems: { draw: 1 },
        links: words.map((word) => link(`https://p${(n % 7) + 1}.example/`, word)),
      });
    });
  const ask = async (query: string): Promise<readonly (readonly unknown[])[]> => {
    const rows: (readonly unknown[])[] = [];
    for await (const row of (await tested.store.sql(query, { maxRows: 5_000 })).rows) rows.push(row);
    return rows;
  };

  test('are the same from the index as from the links themselves', async () => {
    await keepIn(tested.store, many(1, 1000));
    const scanned = await scores();
    expect(await ask('select segment from vote_word')).toEqual([]);
    await keepIn(tested.store, many(1001, 1100));
    expect(
      await ask("select word from vote_word where word in ('drawing', 'zürich', 'withdrawn') order by word"),
    ).toEqual([['drawing'], ['withdrawn'], ['zürich']]);
    const indexed = await scores();
    expect([...indexed.keys()].sort()).toEqual([...scanned.keys()].sort());
    expect(await tested.store.unfetched(votes, 10)).toEqual([]);
    // The pages since then vote, too: their links are not in the index yet.
    await keepIn(tested.store, [
      page(1101, 'https://p5.example/new', { links: [link('https://p5.example/', 'drawing')] }),
    ]);
    expect((await scores()).get(5)).toBeGreaterThan(indexed.get(5)!);
  });

  test('of older pages leave the index, too', async () => {
    await keepIn(tested.store, [
      page(1, 'https://a.example/', { links: [link('https://new.example/', 'drawing')] }),
      ...many(2, 1100),
    ]);
    const urls = async (): Promise<readonly string[]> =>
      (await tested.store.unfetched(votes, 10)).map(({ url }) => url);
    expect(await urls()).toContain('https://new.example/');
    await keepIn(tested.store, [page(1101, 'https://a.example/', { links: [] })]);
    expect(await urls()).toEqual(['https://p1.example/']);
  });

  test('of an older store are indexed when a crawl opens it', async () => {
    await keepIn(tested.store, many(1, 1100));
    const [rows, before] = [
      await ask('select segment, word, hex(data) from vote_word order by segment, word'),
      await scores(),
    ];
    await tested.store.close();
    await tested.place.tamper('drop table vote_word', "update meta set value = '19' where name = 'schema_version'");
    tested.store = await tested.place.open({ readOnly: true });
    expect(await scores()).toEqual(before);
    await tested.store.close();
    tested.store = await tested.place.open();
    expect(await ask('select segment, word, hex(data) from vote_word order by segment, word')).toEqual(rows);
    expect(await scores()).toEqual(before);
  });

  test('of pages that a newer fetch replaced do not count', async () => {
    await keepIn(tested.store, [
      page(1, 'https://a.example/', { links: [link('https://new.example/', 'drawing')] }),
      page(2, 'https://a.example/', { links: [] }),
    ]);
    expect(await tested.store.unfetched(votes, 10)).toEqual([]);
  });
}
