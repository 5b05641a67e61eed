import { describe, expect, test, vi } from 'vitest';
import type { JournalRecord, PageRecord, RankMeasure, VisitRecord } from '../../src/core/index.ts';
import { wordPairs } from '../../src/kit/index.ts';
import type { PageFilter, SearchQuery } from '../../src/store/index.ts';
import { eachDatabase, keepIn, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { page, round, stems, topic, visit } from './store-records.ts';

eachDatabase((name) => `searching a store in ${name}`, contract);

const TEXTS = ['The source code is here.', 'The code of the source is here.'];

/** The fields that distinguish a separate page from a newer version: the addresses. */
const pagesOwn = ({ url, finalUrl }: PageRecord): Pick<PageRecord, 'url' | 'finalUrl'> => ({ url, finalUrl });

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  const keep = (...records: JournalRecord[]): Promise<void> => keepIn(tested.store, records);
  const find = async (query: Omit<SearchQuery, 'limit'> & { limit?: number }): Promise<number[]> =>
    (await tested.store.search({ limit: 10, ...query })).hits.map((hit) => hit.sequence);

  const ask = async (query: string): Promise<unknown[]> => {
    const rows: unknown[] = [];
    for await (const row of (await tested.store.sql(query, { maxRows: 100 })).rows) rows.push(row.map(Number));
    return rows;
  };

  test('accepts several stems as alternatives for one word', async () => {
    await keep(
      stems(1, { rout: 1, noise: 1 }),
      stems(2, { routes: 1, noise: 1 }),
      stems(3, { other: 1 }),
      stems(4, { routes: 1, rout: 1, log: 1 }),
    );
    expect((await find({ all: [['rout', 'routes']] })).toSorted()).toEqual([1, 2, 4]);
    expect(await find({ all: [['rout', 'routes'], 'log'] })).toEqual([4]);
  });

  test('names a page by its current address', async () => {
    const [old, now] = ['https://old.example/', 'https://now.example/'] as PageRecord['url'][];
    await keep(stems(1, { log: 1 }, { record: { url: old!, redirects: [old!], finalUrl: now! } }));
    expect((await tested.store.search({ limit: 10, all: ['log'] })).hits.map(({ url }) => url)).toEqual([now]);
  });

  test('counts a page once, however many versions it has, even among very many', async () => {
    const pages = Array.from({ length: 2_100 }, (_, i) => stems(i + 1, { log: 1 }));
    const again = pages
      .slice(0, 50)
      .map((old, i) => ({ ...stems(2_101 + i, { log: 1 }), ...pagesOwn(old as PageRecord) }));
    await keep(...pages, ...again);
    const { matches } = await tested.store.search({ limit: 10, all: ['log'] });
    expect(matches).toBe(2_100);
  });

  test('knows the languages of its pages', async () => {
    expect(await tested.store.languages()).toEqual([]);
    await keep(...['de', 'en', '', 'de'].map((language, i) => stems(i + 1, { log: 1 }, { document: { language } })));
    expect(await tested.store.languages()).toEqual(['', 'de', 'en']);
  });

  test('leaves out pages with an excluded word', async () => {
    await keep(stems(1, { log: 1, zodiac: 1 }), stems(2, { log: 1 }), stems(3, { log: 1, star: 1 }));
    expect(await find({ any: ['log'], none: ['zodiac', 'star'] })).toEqual([2]);
  });

  test('checks title and text of the best pages until enough of them pass', async () => {
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

  test('uses the extension of the address if the media type is missing', async () => {
    const at = (n: number, address: string, contentType: string): PageRecord =>
      page(n, address, { stems: { log: 1 }, record: { contentType } });
    await keep(
      at(1, 'https://a.example/one.pdf', 'application/octet-stream'),
      at(2, 'https://a.example/all.zip!/two.PDF', ''),
      at(3, 'https://a.example/three.pdf?download=1', 'application/force-download'),
      at(4, 'https://a.example/four.pdf', 'text/html'),
      at(5, 'https://a.example/pdf', 'application/octet-stream'),
      at(6, 'https://a.example/six.doc', 'application/octet-stream'),
    );
    const filter = { types: ['application/pdf'], endings: ['pdf'] };
    expect((await find({ any: ['log'], ...filter })).toSorted()).toEqual([1, 2, 3]);
  });

  test('excludes the pages of topics, of their subtopics, and of no topic', async () => {
    await keep(
      stems(1, { log: 1 }, { topic: 'databases' }),
      stems(2, { log: 1 }, { topic: 'databases/recovery' }),
      stems(3, { log: 1 }, { topic: 'databasesque' }),
      stems(4, { log: 1 }, { topic: 'databases', others: true }),
    );
    const without = async (filter: SearchQuery['without']): Promise<number[]> =>
      (await find({ any: ['log'], without: filter! })).toSorted();
    expect(await without({ topics: [topic('databases')] })).toEqual([3, 4]);
    expect(await without({ others: true })).toEqual([1, 2, 3]);
    expect(await without({ topics: [topic('databases')], others: true })).toEqual([3]);
  });

  test('checks the titles of all pages with the words, and counts the matches', async () => {
    const titled = (n: number, title: string): JournalRecord => stems(n, { log: 1 + (n % 5) }, { document: { title } });
    await keep(...Array.from({ length: 1_200 }, (_, i) => titled(i + 1, i % 400 === 7 ? 'A log' : 'Else')));
    const title = (text: string): boolean => text === 'A log';
    expect((await find({ any: ['log'], title })).toSorted((a, b) => a - b)).toEqual([8, 408, 808]);
    expect(await tested.store.search({ any: ['log'], title, limit: 1 })).toMatchObject({ matches: 3, unchecked: 0 });
  });

  test('filters by host with subdomains, time and media type, all combined', async () => {
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
    expect(await within({ without: { sites: ['a.example'] } })).toEqual([3, 4]);
    expect(await within({ without: { sites: ['b.example'], types: ['text/html'] } })).toEqual([3]);
    expect(
      await within({ types: ['application/pdf'], without: { sites: ['b.example'], topics: [], types: [] } }),
    ).toEqual([3]);
  });

  test('returns the best pages for each requested measure, in order of the first one', async () => {
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
    expect((await find({ any: ['log'], by: ['authority'], limit: 3 })).toSorted()).toEqual([1, 2, 3]);
    const { hits } = await tested.store.search({ any: ['log'], limit: 3 });
    expect(hits.find((hit) => hit.sequence === 3)?.authority).toBe(0.5);
  });

  test('returns the most important pages by backlinks, PageRank and location', async () => {
    await keep(...[1, 2, 3, 4].map((n) => stems(n, { log: n })));
    const { hits } = await tested.store.search({ any: ['log'], limit: 4 });
    expect(hits.map(({ ib, ir, il }) => [ib, ir, il])).toEqual(Array(4).fill([Number.NaN, Number.NaN, Number.NaN]));
    expect(await tested.store.isImportanceCurrent()).toBe(false);
    await tested.store.saveImportance(
      new Map([
        [1, { ib: 9, ir: 0.5, il: 0.25 }],
        [2, { ib: 1, ir: 2.5, il: 0.25 }],
        [3, { ib: 2, ir: 0.5, il: 1 }],
      ]),
    );
    const by = async (...by: RankMeasure[]): Promise<number[]> => await find({ any: ['log'], by, limit: 1 });
    expect([await by('ib'), await by('ir'), await by('il')]).toEqual([[1], [2], [3]]);
    expect(await find({ any: ['log'], by: ['ib'] })).toEqual([1, 3, 2, 4]);
    expect(await ask('select page, ib, ir, il from page_importance order by page')).toEqual([
      [1, 9, 0.5, 0.25],
      [2, 1, 2.5, 0.25],
      [3, 2, 0.5, 1],
    ]);
    expect(await tested.store.isImportanceCurrent()).toBe(false);
    await tested.store.saveImportance(new Map([[4, { ib: 1, ir: 1, il: 1 }]]));
    expect(await tested.store.isImportanceCurrent()).toBe(true);
    expect(await by('ib')).toEqual([4]);
  });

  test('scores pages below the best authorities of a topic, and never above these', async () => {
    const databases = topic('databases');
    const links = [1, 2].map((n) => ({ topic: databases, url: `https://s.example/${n}`, hub: 0, authority: 0.5 / n }));
    const all = { topic: databases, pages: [1, 3, 4], scores: [0.9, 0.4, 0.1] };
    const other = { topic: topic('mining'), pages: [5], scores: [0.2] };
    await keep(...[1, 2, 3, 4, 5, 6].map((n) => stems(n, { log: 1 })), round(7, { links, authorities: [all, other] }));
    const authorities = async (query: Partial<SearchQuery>): Promise<unknown[]> =>
      (await tested.store.search({ any: ['log'], by: ['authority'], limit: 10, ...query })).hits.map((hit) => [
        hit.sequence,
        hit.authority,
      ]);
    expect(await authorities({})).toEqual([
      [1, 0.5],
      [2, 0.25],
      [3, 0.25],
      [5, 0.2],
      [4, 0.1],
      [6, 0],
    ]);
    expect(await authorities({ topics: [databases], by: ['bm25'] })).toContainEqual([5, 0]);
    await keep(round(8, { authorities: [{ topic: databases, pages: [6], scores: [0.3] }] }));
    // All scores of a topic are replaced at once.
    expect(await authorities({})).toEqual([[6, 0.25], [5, 0.2], ...[1, 2, 3, 4].map((page) => [page, 0])]);
  });

  test('computes BM25 as by hand: saturated counts, rare words, long pages', async () => {
    await keep(stems(1, { log: 2, pad: 2 }), stems(2, { log: 1 }), stems(3, { x: 1 }), stems(4, { x: 2 }));
    const { hits } = await tested.store.search({ any: ['log'], limit: 2 });
    const score = (count: number, length: number): number =>
      (Math.log(1 + (4 - 2 + 0.5) / (2 + 0.5)) * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / 2));
    expect(hits.map(({ sequence, bm25 }) => [sequence, bm25])).toEqual([
      [2, expect.closeTo(score(1, 1), 9)],
      [1, expect.closeTo(score(2, 4), 9)],
    ]);
  });

  test('computes the cosine of 1 + ln count vectors weighted by idf, as by hand', async () => {
    await keep(stems(1, { log: 1, redo: 3 }), stems(2, { log: 2 }), stems(3, { x: 1 }), stems(4, { x: 1 }));
    const { hits } = await tested.store.search({ any: ['log', 'redo'], by: ['cosine'], limit: 2 });
    const [log, redo] = [Math.log(1 + 4 / 2), Math.log(1 + 4 / 1)];
    const words = Math.hypot(log, redo);
    const first = (log + redo * (1 + Math.log(3))) / (words * Math.hypot(1, 1 + Math.log(3)));
    expect(hits.map((hit) => hit.sequence)).toEqual([1, 2]);
    expect(hits[0]!.cosine).toBeCloseTo(first, 2);
    expect(hits[1]!.cosine).toBeCloseTo(log / words, 2);
  });

  test('ranks many matches like few: the best of all, not of the best text matches', async () => {
    for (let n = 1; n <= 4300; n++)
      tested.store.append(stems(n, { log: n === 17 ? 1 : 3 }, { relevance: n === 17 ? 0.9 : 0.1 + (n % 100) / 1000 }));
    await tested.store.flush();
    expect(await find({ any: ['log'], by: ['relevance'], limit: 1 })).toEqual([17]);
    expect(await find({ any: ['log'], by: ['confidence'], limit: 1 })).toEqual([17]);
    expect(await find({ any: ['log'], by: ['relevance'], limit: 1, sites: ['s.example'] })).toEqual([17]);
    expect(await find({ any: ['log'], by: ['relevance'], limit: 1, sites: ['other.example'] })).toEqual([]);
  });

  test('reads matches by verdict until enough of them pass', async () => {
    for (let n = 1; n <= 2300; n++) {
      const text = TEXTS[n > 2100 ? 0 : 1]!;
      tested.store.append(stems(n, { log: 1 }, { relevance: n / 2400, document: { text } }));
    }
    await tested.store.flush();
    const check = ({ text }: { text: string }): boolean => !text.includes('source code');
    expect(await find({ any: ['log'], by: ['relevance'], limit: 3, check })).toEqual([2100, 2099, 2098]);
  });

  test('returns the first of very many in the same order as all, by text and by verdict', async () => {
    for (let n = 1; n <= 4100; n++)
      tested.store.append(stems(n, { log: 1 + (n % 8), [`pad${n % 13}`]: 8 }, { relevance: ((n * 37) % 4101) / 5000 }));
    await tested.store.flush();
    for (const measure of ['bm25', 'cosine', 'relevance', 'confidence'] as const) {
      const all = await find({ any: ['log'], by: [measure], limit: 4100 });
      expect(all).toHaveLength(4100);
      expect(await find({ any: ['log'], by: [measure], limit: 50 })).toEqual(all.slice(0, 50));
    }
  });

  test('computes norms from postings for segments that were written without them', async () => {
    for (let n = 1; n <= 1025; n++) tested.store.append(stems(n, { log: 1 + (n % 5), [`only${n % 7}`]: 2 }));
    await tested.store.flush();
    const cosines = async (): Promise<number[]> =>
      (await tested.store.search({ any: ['log', 'only3'], by: ['cosine'], limit: 50 })).hits.map((hit) => hit.cosine);
    const before = await cosines();
    await tested.store.close();
    await tested.place.tamper('update term_segment set lengths = substr(lengths, 1, length(lengths) / 2)');
    tested.store = await tested.place.open();
    expect(await cosines()).toEqual(before);
  });

  describe('for a phrase', () => {
    const pairs = [...wordPairs('source code')];
    const check = ({ text }: { text: string }): boolean => text.includes('source code');
    /** Every 50th page has the phrase; all have both words. */
    const text = (n: number): string => (n % 50 === 0 ? TEXTS[0]! : TEXTS[1]!);
    const pages = (from: number, to: number): PageRecord[] =>
      Array.from({ length: to - from + 1 }, (_, i) =>
        stems(from + i, { sourc: 1, code: 1 }, { document: { text: text(from + i) } }),
      );
    const phrase = async (): Promise<{ hits: number[]; matches: number; asked: number }> => {
      let asked = 0;
      const counting = (page: { text: string }): boolean => {
        asked++;
        return check(page);
      };
      const query = { all: ['sourc', 'code'], pairs, check: counting, limit: 100 };
      const { hits, matches } = await tested.store.search(query);
      return { hits: hits.map((hit) => hit.sequence).toSorted((a, b) => a - b), matches, asked };
    };
    const expected = (last: number): number[] => Array.from({ length: Math.floor(last / 50) }, (_, i) => 50 * (i + 1));

    test('reads only texts of pages with its word pairs, sealed or new, even after reopening', async () => {
      await keep(...pages(1, 1100));
      expect(await ask('select count(*) from pair_log')).toEqual([[76]]);
      expect(await phrase()).toEqual({ hits: expected(1100), matches: 22, asked: 22 });
      await tested.store.close();
      tested.store = await tested.place.open();
      await keep(...pages(1101, 2200));
      expect(await ask('select distinct segment from pair_block order by segment')).toEqual([[1], [1025]]);
      expect(await phrase()).toEqual({ hits: expected(2200), matches: 44, asked: 44 });
    });

    test('reads the texts of pages stored by an older version, and seals them with new ones', async () => {
      await keep(...pages(1, 1050));
      await tested.store.close();
      await tested.place.tamper('delete from pair_log', 'delete from pair_block');
      tested.store = await tested.place.open();
      expect(await phrase()).toEqual({ hits: expected(1050), matches: 1050, asked: 1050 });
      await keep(...pages(1051, 1100));
      expect(await phrase()).toEqual({ hits: expected(1100), matches: 1051, asked: 1051 });
      await keep(...pages(1101, 1900));
      expect(await phrase()).toEqual({ hits: expected(1900), matches: 1067, asked: 1067 });
      await keep(...pages(1901, 3100));
      expect(await ask('select distinct segment from pair_block')).toEqual([[2049]]);
    });

    test('as an alternative, reads only texts of pages with its word pairs, sealed or new', async () => {
      const other = (n: number): PageRecord => stems(n, { log: 1 }, { document: { text: 'a log' } });
      await keep(...pages(1, 1100), other(1101), stems(1102, { sourc: 1, code: 1, log: 1 }));
      const asked: string[] = [];
      const counting = (page: { text: string }): boolean => {
        asked.push(page.text);
        return check(page);
      };
      const ways = [
        [
          { stems: ['sourc'], pairs },
          { stems: ['log'], pairs: [] },
        ],
      ];
      const query = { all: [['sourc', 'log']], ways, check: counting, sure: ['log'], limit: 100 };
      const { hits, matches } = await tested.store.search(query);
      const found = hits.map((hit) => hit.sequence).toSorted((a, b) => a - b);
      expect(found).toEqual([...expected(1100), 1101, 1102]);
      expect([matches, asked.length]).toEqual([24, 22]);
    });

    test('as an alternative, finds a page without an indexed word', async () => {
      await keep(
        stems(1, { play: 1 }, { document: { text: 'to be or not to be' } }),
        stems(2, { play: 1 }, { document: { text: 'not to be' } }),
        stems(3, { log: 1, play: 1 }, { document: { text: 'a log' } }),
      );
      const ways = [
        [
          { stems: [], pairs: [...wordPairs('to be or not')] },
          { stems: ['log'], pairs: [] },
        ],
      ];
      expect((await find({ any: ['log'], ways })).toSorted()).toEqual([1, 3]);
      expect(await find({ any: ['log'], none: ['log'], ways })).toEqual([1]);
    });

    test('finds a phrase that consists of stop words only', async () => {
      await keep(
        stems(1, { play: 1 }, { document: { text: 'to be or not to be' } }),
        stems(2, { play: 1 }, { document: { text: 'not to be' } }),
      );
      const query = { pairs: [...wordPairs('to be or not')], limit: 5 };
      expect((await tested.store.search(query)).hits.map((hit) => hit.sequence)).toEqual([1]);
    });
  });

  test('reads no text of a page that matches by another word', async () => {
    await keep(
      stems(1, { log: 1 }, { document: { text: 'a log' } }),
      stems(2, { source: 1 }, { document: { text: 'the source code' } }),
      stems(3, { source: 1, log: 2 }, { document: { text: 'a source of logs' } }),
      stems(4, { source: 1 }, { document: { text: 'a source' } }),
    );
    const asked: string[] = [];
    const check = ({ text }: { text: string }): boolean => {
      asked.push(text);
      return text.includes('source code');
    };
    const query = { all: [['log', 'source']], check, sure: ['log'] };
    expect((await find(query)).toSorted()).toEqual([1, 2, 3]);
    expect(asked.toSorted()).toEqual(['a source', 'the source code']);
  });

  describe('word prefixes', () => {
    const note = (...words: string[]): void => {
      const { length } = words;
      if (length > 0) tested.store.noteStems(Uint8Array.from(Buffer.from(words.map((word) => `${word}\n`).join(''))));
    };

    test('returns the stems of stored pages with the prefix, the shortest first, each once', async () => {
      note('currenc', 'money', 'recurr');
      note('current', 'curr', 'curé', 'währung');
      await keep(stems(1, { currenc: 1 }));
      expect(await tested.store.stemsFrom('curr')).toEqual(['curr', 'currenc', 'current']);
      note('current', 'curry');
      await keep(stems(2, { curry: 1 }));
      expect(await tested.store.stemsFrom('curr')).toEqual(['curr', 'curry', 'currenc', 'current']);
      expect(await tested.store.stemsFrom('währ')).toEqual(['währung']);
      expect(await tested.store.stemsFrom('mon', 'wäh')).toEqual(['money', 'währung']);
      expect(await tested.store.stemsFrom('zebra')).toEqual([]);
      await tested.store.close();
      tested.store = await tested.place.open();
      note('currenc', 'curr', 'current', 'currier');
      await keep(stems(3, { currier: 1 }));
      expect(await tested.store.stemsFrom('curr')).toHaveLength(5);
      // Another run does not write known stems again.
      expect(await ask('select sequence, length(stems) from stem_list order by sequence')).toEqual([
        [1, 49],
        [2, 6],
        [3, 8],
      ]);
    });

    test('loads them once for many simultaneous queries', async () => {
      note('currenc', 'money');
      await keep(stems(1, { currenc: 1 }));
      await Promise.all(Array.from({ length: 8 }, () => tested.store.stemsFrom('curr')));
      const searched = vi.spyOn(String.prototype, 'matchAll');
      expect(await tested.store.stemsFrom('zebra')).toEqual([]);
      expect(searched.mock.contexts.filter((list) => `${list}` === '\ncurrenc\nmoney\n')).toHaveLength(1);
      searched.mockRestore();
    });

    test('returns the stems for several prefixes, each once, in any script', async () => {
      note('žlutý', 'zluty', 'كهرباء', 'كه', 'z.l', 'žl');
      await keep(stems(1, { zluty: 1 }));
      expect(await tested.store.stemsFrom('zlu', 'žlu', 'žlut')).toEqual(['zluty', 'žlutý']);
      expect(await tested.store.stemsFrom('كه')).toEqual(['كه', 'كهرباء']);
      expect(await tested.store.stemsFrom('z.')).toEqual(['z.l']);
    });

    test('lists the stems of pages of an older version if it is opened for writing', async () => {
      await keep(
        stems(1, { currenc: 1, money: 2 }),
        visit(2, 'https://s.example/gone'),
        stems(3, { current: 1, money: 1 }),
      );
      await tested.store.close();
      await tested.place.tamper('drop table stem_list', "update meta set value = '10' where name = 'schema_version'");
      const older = await tested.place.open({ readOnly: true });
      expect(await older.stemsFrom('curr')).toBeUndefined();
      await older.close();
      tested.store = await tested.place.open();
      expect(await tested.store.stemsFrom('curr')).toEqual(['currenc', 'current']);
      expect(await ask('select sequence from stem_list')).toEqual([[3]]);
    });
  });

  test('finds pages by author, date of publication and language', async () => {
    const said = (authors: string, published: string) => ({ 'bib.authors': authors, 'bib.published': published });
    const stated = [
      { language: 'en', fields: said('Ada Byron; Alan Turing', '2024-05-03') },
      { language: 'de', fields: said('Alan Turing', '2024') },
      { language: 'de' },
    ];
    await keep(...stated.map((document, i) => page(i + 1, `https://s.example/${i}`, { stems: { rout: 1 }, document })));
    const found = async (filter: PageFilter): Promise<number[]> =>
      (await tested.store.search({ all: ['rout'], limit: 10, ...filter })).hits
        .map(({ sequence }) => sequence)
        .sort((a, b) => a - b);
    const dates = (is: '>=' | '<', value: string) => ({ fields: [{ name: 'bib.published', is, value, isText: true }] });
    expect(await found({ fields: [{ name: 'bib.authors', is: '~', value: 'ada' }] })).toEqual([1]);
    expect(await found(dates('>=', '2024'))).toEqual([1, 2]);
    expect(await found(dates('>=', '2024-05'))).toEqual([1]);
    expect(await found(dates('<', '2024-04~'))).toEqual([2]);
    expect(await found({ languages: ['de', 'fr'] })).toEqual([2, 3]);
    expect(await found({ without: { languages: ['de'] } })).toEqual([1]);
    expect(await tested.store.fields([3, 2])).toEqual(new Map([[2, said('Alan Turing', '2024')]]));
    expect(await tested.store.fields([])).toEqual(new Map());
  });

  test('answers a condition on a field of a store without fields by what to do', async () => {
    await keep(stems(1, { rout: 1 }));
    await tested.store.close();
    await tested.place.tamper('drop table page_field', "update meta set value = '11' where name = 'schema_version'");
    const older = await tested.place.open({ readOnly: true });
    const fields = [{ name: 'price', is: '<', value: '5' }] as const;
    const refusal = { code: 'NO_FIELDS', message: expect.stringContaining('the field "price"') };
    await expect(older.search({ all: ['rout'], limit: 10, fields })).rejects.toMatchObject(refusal);
    await expect(older.search({ all: ['rout'], limit: 10, without: { fields } })).rejects.toMatchObject(refusal);
    await expect(older.exportPages({ fields })[Symbol.asyncIterator]().next()).rejects.toMatchObject(refusal);
    expect((await older.search({ all: ['rout'], limit: 10 })).matches).toBe(1);
    await older.close();
    tested.store = await tested.place.open();
    expect((await tested.store.search({ all: ['rout'], limit: 10, fields })).matches).toBe(0);
  });

  test('hides and counts pages that are gone, and returns them with the reason if asked', async () => {
    const origin = {
      via: 'recheck',
      from: '',
      topic: topic('databases'),
      depth: 0,
      tunnelDepth: 0,
      priority: 1,
    } as const;
    const look = (n: number, page: number, result: VisitRecord['result']): VisitRecord =>
      visit(n, `https://s.example/${page}`, { origin, page, result, reason: 'http', fetchedAt: 1000 + n });
    await keep(
      ...[1, 2, 3, 4].map((n) => stems(n, { log: 1 })),
      look(5, 1, 'gone'),
      // A temporary error does not make a page gone.
      look(6, 2, 'failed'),
      look(7, 3, 'missing'),
      look(8, 4, 'gone'),
      look(9, 4, 'unchanged'),
    );
    const { hits, matches, ended } = await tested.store.search({ any: ['log'], limit: 10 });
    expect([hits.map((hit) => hit.sequence), matches, ended]).toEqual([[2, 3, 4], 3, 1]);
    const all = await tested.store.search({ any: ['log'], ended: true, limit: 10 });
    expect([all.matches, all.ended]).toEqual([4, 0]);
    expect(all.hits.find((hit) => hit.sequence === 1)?.end).toEqual({ ending: 'gone', at: 1005, target: '' });
    expect(all.hits.filter((hit) => hit.end !== undefined)).toHaveLength(1);
  });

  test('answers while pages are added and segments sealed, each page once', async () => {
    let stored = 0;
    for (let n = 1; n <= 2100; n++) {
      tested.store.append(stems(n, { log: 1 }));
      if (n % 150 !== 0) continue;
      const before = stored;
      const { hits, matches } = await tested.store.search({ any: ['log'], limit: 5000 });
      stored = matches;
      expect(new Set(hits.map((hit) => hit.sequence)).size).toBe(matches);
      expect(matches).toBeGreaterThanOrEqual(before);
    }
    await tested.store.flush();
    expect((await tested.store.search({ any: ['log'], limit: 1 })).matches).toBe(2100);
  });
}
