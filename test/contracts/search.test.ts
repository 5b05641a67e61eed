import { expect, test } from 'vitest';
import type { JournalRecord, PageRecord, RankMeasure } from '../../src/core/index.ts';
import type { SearchQuery } from '../../src/store/index.ts';
import { eachDatabase, keepIn, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { type PageParts, page, topic } from './store-records.ts';

eachDatabase((name) => `searching a store in ${name}`, contract);

const TEXTS = ['The source code is here.', 'The code of the source is here.'];

function stems(sequence: number, counts: Readonly<Record<string, number>>, parts: PageParts = {}): PageRecord {
  return page(sequence, `https://s.example/${sequence}`, { stems: counts, ...parts });
}

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  const keep = (...records: JournalRecord[]): Promise<void> => keepIn(tested.store, records);
  const find = async (query: Omit<SearchQuery, 'limit'> & { limit?: number }): Promise<number[]> =>
    (await tested.store.search({ limit: 10, ...query })).hits.map((hit) => hit.sequence);

  test('takes any of several stems for one word', async () => {
    await keep(
      stems(1, { rout: 1, noise: 1 }),
      stems(2, { routes: 1, noise: 1 }),
      stems(3, { other: 1 }),
      stems(4, { routes: 1, rout: 1, log: 1 }),
    );
    expect((await find({ all: [['rout', 'routes']] })).toSorted()).toEqual([1, 2, 4]);
    expect(await find({ all: [['rout', 'routes'], 'log'] })).toEqual([4]);
  });

  test('leaves out pages with a word that is ruled out', async () => {
    await keep(stems(1, { log: 1, zodiac: 1 }), stems(2, { log: 1 }), stems(3, { log: 1, star: 1 }));
    expect(await find({ any: ['log'], none: ['zodiac', 'star'] })).toEqual([2]);
  });

  test('asks the best pages, by title and text, until enough of them pass', async () => {
    const asked: string[] = [];
    const check = ({ title, text }: { title: string; text: string }): boolean => {
      asked.push(title);
      return text.includes('source code');
    };
    await keep(
      ...Array.from({ length: 60 }, (_, i) =>
        stems(i + 1, { code: 1, [`pad${i}`]: 1 + (i % 7) }, { document: { text: TEXTS[i % 2]!, title: `t${i + 1}` } }),
      ),
    );
    const { hits, matches, unchecked } = await tested.store.search({ any: ['code'], check, limit: 3 });
    expect(hits).toHaveLength(3);
    expect(hits.every((hit) => hit.sequence % 2 === 1)).toBe(true);
    expect([matches, unchecked]).toEqual([60, 60 - asked.length]);
    expect(asked.length).toBeLessThan(30);
    expect((await tested.store.search({ any: ['code'], check, limit: 100 })).hits).toHaveLength(30);
  });

  test('keeps to hosts and those below them, times and media types, all of them together', async () => {
    const at = (n: number, address: string, contentType: string, fetchedAt: number): PageRecord =>
      page(n, address, { stems: { log: 1 }, record: { contentType, fetchedAt } });
    await keep(
      at(1, 'https://a.example/', 'text/html', 1000),
      at(2, 'https://www.a.example:8080/', 'text/html; charset=utf-8', 2000),
      at(3, 'https://ba.example/', 'application/pdf', 3000),
      at(4, 'https://b.example/', 'application/pdf', 4000),
    );
    const within = async (filter: Omit<SearchQuery, 'limit'>): Promise<number[]> =>
      (await find({ any: ['log'], ...filter })).toSorted();
    expect(await within({ sites: ['a.example'] })).toEqual([1, 2]);
    expect(await within({ sites: ['b.example', 'www.a.example'] })).toEqual([2, 4]);
    expect(await within({ sites: ['%'] })).toEqual([]);
    expect(await within({ types: ['text/html'] })).toEqual([1, 2]);
    expect(await within({ types: ['application/pdf'], since: 3001 })).toEqual([4]);
    expect(await within({ since: 2000, until: 4000 })).toEqual([2, 3]);
  });

  test('gives the best by each measure that is asked for, the first one in order', async () => {
    await keep(
      stems(1, { log: 8, noise: 1 }, { relevance: 0.6 }),
      stems(2, { log: 1, pad: 8, fill: 8 }, { relevance: 0.99 }),
      stems(3, { log: 2, noise: 8 }, { relevance: 0.8 }),
      stems(4, { other: 1 }, { relevance: 1 }),
    );
    await tested.store.saveScores(topic('databases'), [{ url: 'https://s.example/3', hub: 0, authority: 0.5 }]);
    const by = async (...by: RankMeasure[]): Promise<number[]> => await find({ any: ['log'], by, limit: 1 });
    expect(await by('bm25')).toEqual([1]);
    expect(await by('cosine')).toEqual([1]);
    expect(await by('confidence')).toEqual([2]);
    expect(await by('relevance')).toEqual([2]);
    expect(await by('authority')).toEqual([3]);
    expect(await by('cosine', 'authority', 'confidence')).toEqual([1, 3, 2]);
    const { hits } = await tested.store.search({ any: ['log'], limit: 3 });
    expect(hits.find((hit) => hit.sequence === 3)?.authority).toBe(0.5);
  });

  test('tells the cosine of 1 + ln count vectors and words weighted by idf, by hand', async () => {
    await keep(stems(1, { log: 1, redo: 3 }), stems(2, { log: 2 }), stems(3, { x: 1 }), stems(4, { x: 1 }));
    const { hits } = await tested.store.search({ any: ['log', 'redo'], by: ['cosine'], limit: 2 });
    const [log, redo] = [Math.log(1 + 4 / 2), Math.log(1 + 4 / 1)];
    const words = Math.hypot(log, redo);
    const first = (log + redo * (1 + Math.log(3))) / (words * Math.hypot(1, 1 + Math.log(3)));
    expect(hits.map((hit) => hit.sequence)).toEqual([1, 2]);
    expect(hits[0]!.cosine).toBeCloseTo(first, 2);
    expect(hits[1]!.cosine).toBeCloseTo(log / words, 2);
  });

  test('ranks many matches by any measure as few: the best of all, not of those that match best', async () => {
    for (let n = 1; n <= 4300; n++)
      tested.store.append(stems(n, { log: n === 17 ? 1 : 3 }, { relevance: n === 17 ? 0.9 : 0.1 + (n % 100) / 1000 }));
    await tested.store.flush();
    expect(await find({ any: ['log'], by: ['relevance'], limit: 1 })).toEqual([17]);
    expect(await find({ any: ['log'], by: ['confidence'], limit: 1 })).toEqual([17]);
    expect(await find({ any: ['log'], by: ['relevance'], limit: 1, sites: ['s.example'] })).toEqual([17]);
    expect(await find({ any: ['log'], by: ['relevance'], limit: 1, sites: ['other.example'] })).toEqual([]);
  });

  test('gives the first of very many in the order in which it gives them all, by text and by verdict', async () => {
    for (let n = 1; n <= 4100; n++)
      tested.store.append(stems(n, { log: 1 + (n % 8), [`pad${n % 13}`]: 8 }, { relevance: ((n * 37) % 4101) / 5000 }));
    await tested.store.flush();
    for (const measure of ['bm25', 'cosine', 'relevance', 'confidence'] as const) {
      const all = await find({ any: ['log'], by: [measure], limit: 4100 });
      expect(all).toHaveLength(4100);
      expect(await find({ any: ['log'], by: [measure], limit: 50 })).toEqual(all.slice(0, 50));
    }
  });

  test('takes norms from the postings of segments that were written without them', async () => {
    for (let n = 1; n <= 1025; n++) tested.store.append(stems(n, { log: 1 + (n % 5), [`only${n % 7}`]: 2 }));
    await tested.store.flush();
    const cosines = async (): Promise<number[]> =>
      (await tested.store.search({ any: ['log', 'only3'], by: ['cosine'], limit: 50 })).hits.map((hit) => hit.cosine);
    const before = await cosines();
    await tested.place.tamper('update term_segment set lengths = substr(lengths, 1, length(lengths) / 2)');
    expect(await cosines()).toEqual(before);
  });
}
