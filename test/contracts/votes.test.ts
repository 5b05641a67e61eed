import { expect, test } from 'vitest';
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

  test('of pages that a newer fetch replaced do not count', async () => {
    await keepIn(tested.store, [
      page(1, 'https://a.example/', { links: [link('https://new.example/', 'drawing')] }),
      page(2, 'https://a.example/', { links: [] }),
    ]);
    expect(await tested.store.unfetched(votes, 10)).toEqual([]);
  });
}
