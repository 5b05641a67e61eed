import { describe, expect, test } from 'vitest';
import { type JournalRecord, type Judgement, MAX_JUDGED, packLinks, statementsOf } from '../../src/core/index.ts';
import type { Journal } from '../../src/engine/index.ts';
import type { ReadOptions } from '../../src/store/index.ts';
import { packCounts } from '../support/pack-counts.ts';
import { collect, eachDatabase, readAll, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { document, link, page, round, scores, tiny, topic, typicalPage, url, visit } from './store-records.ts';

eachDatabase((name) => `the journal in ${name}`, contract);

/** The longest possible decision on a page. */
const LARGE_JUDGEMENT: Judgement = {
  key: 'https://a.example/',
  sequence: 2,
  title: '"\u0001'.repeat(MAX_JUDGED.title / 2),
  use: 'example',
  topic: topic('t'.repeat(MAX_JUDGED.topic)),
  without: Array.from({ length: MAX_JUDGED.without }, (_, i) => 190_000 + i),
};
const LARGEST_JUDGEMENT: Judgement = {
  ...LARGE_JUDGEMENT,
  key: LARGE_JUDGEMENT.key + 'x'.repeat(MAX_JUDGED.json - JSON.stringify(LARGE_JUDGEMENT).length),
};

function contract(database: Database): void {
  const tested = storeOfEachTest(database);
  const { keep, reopen, ask } = tested;

  test('implements the journal of the engine', () => {
    const journal: Journal = tested.store;
    expect(journal.backlog).toBe(0);
  });

  test('is empty at first', async () => {
    expect(await tested.store.count()).toBe(0);
    expect(await readAll(tested.store)).toEqual([]);
  });

  test('returns every kind of record unchanged, pages without text and features', async () => {
    const whole = page(2, 'https://a.example/', {
      links: [link('https://b.example/', 'Grüße 🚲'), { ...link('https://c.example/'), flags: 9, position: 1 }],
      record: {
        finalUrl: url('https://a.example/index'),
        redirects: [url('https://a.example/'), url('https://a.example/home')],
        assignment: {
          ...page(1, 'https://x.example/').assignment,
          others: true,
          scores: [scores('databases/recovery', 0.5), scores('databases', 0.25)],
        },
      },
      document: { title: 'Recovery – 回復', noindex: true, nofollow: true, canonical: 'https://a.example/c' },
    });
    const records: JournalRecord[] = [
      { kind: 'run', sequence: 1, at: 1, settings: '{"crawl":{}}' },
      whole,
      visit(3, 'https://b.example/', {
        result: 'refused',
        reason: 'robots',
        detail: 'line 4',
        retried: true,
        page: 7,
      }),
      round(4),
      { kind: 'phase', sequence: 5, phase: 'learning', reason: 'trained', at: 2 },
      { kind: 'steer', sequence: 6, command: { kind: 'set-budget', budget: 1200 }, at: 3 },
      { kind: 'steer', sequence: 7, command: { kind: 'mark-topic', topic: topic('a "b" – c'), good: false }, at: 4 },
      { kind: 'steer', sequence: 8, command: { kind: 'judge-page', judgement: LARGEST_JUDGEMENT }, at: 5 },
      { kind: 'steer', sequence: 9, command: { kind: 'reclassified', model: 3 }, at: 6 },
      visit(10, 'https://a.example/tags', {
        result: 'noindex',
        reason: 'links-followed',
        language: 'de',
        links: packLinks([link('https://d.example/', 'Grüße'), { ...link('https://e.example/'), flags: 1 }]),
      }),
    ];
    await keep(...records);
    const units = Uint16Array.from(whole.document.text, (character) => character.charCodeAt(0));
    const derived = { text: '', features: {}, statements: statementsOf(units) };
    const bare = { ...whole, document: { ...whole.document, ...derived } };
    expect(await readAll(tested.store)).toEqual(records.with(1, bare));
  });

  test('returns all records in order, in chunks, after reopening', async () => {
    for (let n = 1; n <= 620; n++) tested.store.append(n % 3 === 0 ? visit(n, `https://v.example/${n}`) : tiny(n));
    await reopen();
    const chunks = await collect(tested.store.read());
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.flat().map((record) => record.sequence)).toEqual(Array.from({ length: 620 }, (_, i) => i + 1));
    expect(await tested.store.count()).toBe(620);
  });

  test('returns the records after a sequence number, with or without links', async () => {
    await keep(tiny(1), page(2, 'https://a.example/', { links: [link('https://b.example/')] }), tiny(3));
    const sizes = async (options: ReadOptions): Promise<number[][]> =>
      (await collect(tested.store.read(options)))
        .flat()
        .map((record) => [record.sequence, record.kind === 'page' ? record.document.links.size : 0]);
    expect(await sizes({ after: 1 })).toEqual([
      [2, 1],
      [3, 0],
    ]);
    expect(await sizes({ after: 1, links: false })).toEqual([
      [2, 0],
      [3, 0],
    ]);
    expect(await sizes({ after: 3 })).toEqual([]);
  });

  test('counts undurable records as backlog, and reports each durable sequence in order', async () => {
    await reopen({ batch: 2, flushMs: 60_000 });
    const stored: number[] = [];
    tested.store.onStored((sequence) => stored.push(sequence));
    for (let n = 1; n <= 5; n++) tested.store.append(tiny(n));
    expect(tested.store.backlog).toBe(5);
    await tested.store.flush();
    // Batches that wait for the writer share a transaction.
    expect(stored.at(-1)).toBe(5);
    expect(stored).toEqual([2, 4, 5].filter((sequence) => stored.includes(sequence)));
    expect(tested.store.backlog).toBe(0);
  });

  test('makes a single record durable without a flush', async () => {
    const stored = new Promise<number>((resolve) => tested.store.onStored(resolve));
    tested.store.append(tiny(1));
    expect(await stored).toBe(1);
  });

  test('makes appended records durable on close', async () => {
    tested.store.append(tiny(1));
    await reopen();
    expect(await tested.store.count()).toBe(1);
  });

  test('rejects a record out of order, even after reopening', async () => {
    await keep(tiny(1));
    expect(() => tested.store.append(tiny(1))).toThrow('Expected the record with sequence 2, got 1');
    await reopen();
    expect(() => tested.store.append(tiny(3))).toThrow('Expected the record with sequence 2, got 3');
  });

  test('returns whole documents, and leaves out unknown ones', async () => {
    const features = {
      terms: packCounts([
        ['recoveri', 3],
        ['c++', 70_000],
      ]),
      pairs: packCounts([['log sequenc', 1]]),
    };
    const whole = document({
      features,
      text: 'Wörter. '.repeat(5000),
      links: packLinks([link('https://b.example/')]),
    });
    await keep(page(1, 'https://a.example/', { document: whole }), visit(2, 'https://b.example/'));
    expect(await tested.store.documents([1, 2, 99])).toEqual(new Map([[1, whole]]));
  });

  test('returns texts, including empty ones', async () => {
    await keep(
      page(1, 'https://a.example/', { document: { text: 'One text' } }),
      page(2, 'https://b.example/', { document: { text: '' } }),
    );
    expect(await tested.store.texts([1, 2, 3])).toEqual(
      new Map([
        [1, 'One text'],
        [2, ''],
      ]),
    );
  });

  test('names the pages with a limit on the text to show', async () => {
    await keep(
      page(1, 'https://a.example/', { document: { maxSnippet: 0 } }),
      page(2, 'https://b.example/'),
      page(3, 'https://c.example/', { document: { maxSnippet: 80 } }),
    );
    expect(await tested.store.snippetLimits([1, 2, 3, 99])).toEqual(
      new Map([
        [1, 0],
        [3, 80],
      ]),
    );
    const documents = await tested.store.documents([1, 2, 3]);
    expect([...documents.values()].map(({ maxSnippet }) => maxSnippet)).toEqual([0, undefined, 80]);
  });

  test('stores many features compactly and returns them', async () => {
    const terms = packCounts(Array.from({ length: 3000 }, (_, i) => [`stem${i}`, i + 1] as const));
    await keep(page(1, 'https://a.example/', { document: { features: { terms } } }));
    expect((await tested.store.documents([1])).get(1)?.features.terms).toEqual(terms);
  });

  test('reports a missing record instead of resuming without it', async () => {
    await keep(tiny(1), tiny(2), tiny(3));
    await tested.place.tamper('delete from journal where sequence = 2');
    await expect(readAll(tested.store)).rejects.toThrow(/damaged: its record 2 is missing/);
  });

  test('reports a missing page that the journal names', async () => {
    await keep(tiny(1), tiny(2), tiny(3));
    await tested.place.tamper('delete from page where sequence = 2');
    await expect(readAll(tested.store)).rejects.toThrow(/damaged: its record 2 is missing/);
  });

  describe('hostile contents of pages', () => {
    test('accepts lone surrogates, NUL and a title of a million characters', async () => {
      const title = `\uD800 bad \0 ${'x'.repeat(1_000_000)}`;
      const hostile = page(1, 'https://a.example/', {
        links: [link('https://b.example/\uDFFF', 'anchor \0 \uD800'), link(`https://b.example/${'y'.repeat(100_000)}`)],
        stems: { 'st\uD800em': 1, "o'clock": 2, '"quoted"': 3 },
        document: { title, text: `\uD800\0${'z'.repeat(10)}`, language: 'x'.repeat(1000) },
      });
      await keep(hostile, tiny(2));
      const [first] = (await readAll(tested.store)) as [ReturnType<typeof page>, unknown];
      expect(first.document.title).toMatch(/^\uFFFD bad \uFFFD x+$/);
      expect(first.document.title.length).toBeLessThan(2000);
      expect(first.document.links.size).toBe(2);
      expect(await tested.store.texts([1])).toEqual(new Map([[1, '\uFFFD\0zzzzzzzzzz']]));
    });

    test('accepts NaN and infinite numbers', async () => {
      const { NaN: nan, POSITIVE_INFINITY: infinite } = Number;
      const odd = {
        ...page(1, 'https://x.example/').assignment,
        relevance: nan,
        scores: [{ ...scores('databases', nan), bayes: infinite }],
      };
      await keep(page(1, 'https://a.example/', { record: { assignment: odd, bytes: infinite, status: 1e12 } }));
      const [first] = (await readAll(tested.store)) as [ReturnType<typeof page>];
      expect(first.assignment.relevance).toBeNaN();
      expect(first.assignment.scores[0]?.bayes).toBeNaN();
    });

    test('accepts a page with 5,000 links, and one that links to itself', async () => {
      const links = Array.from({ length: 5000 }, (_, i) => link(`https://b.example/${i}`));
      await keep(
        page(1, 'https://a.example/', { links }),
        page(2, 'https://c.example/', { links: [link('https://c.example/')] }),
      );
      expect(await ask('select page, count(*) from link group by page order by page')).toEqual([
        [1, 5000],
        [2, 1],
      ]);
    });
  });

  describe('a URL that is fetched twice', () => {
    test('keeps both records, marks the older one, and finds only the newer one', async () => {
      const old = page(1, 'https://a.example/', { stems: { old: 1 } });
      await keep(
        old,
        page(2, 'https://a.example/', { stems: { new: 1 } }),
        page(3, 'https://a.example/', { stems: { newest: 1 } }),
      );
      expect((await readAll(tested.store)).map((record) => record.sequence)).toEqual([1, 2, 3]);
      expect(await ask('select sequence, replaced_by from page order by sequence')).toEqual([
        [1, 2],
        [2, 3],
        [3, null],
      ]);
      const { hits } = await tested.store.search({ any: ['old', 'new', 'newest'], limit: 10 });
      expect(hits).toMatchObject([{ sequence: 3 }]);
      expect((await tested.store.lookup('https://a.example/')).page?.sequence).toBe(3);
      expect((await collect(tested.store.exportPages())).map((row) => row.sequence)).toEqual([3]);
    });
  });

  test('stores typical pages in many batches and reads them all back', async () => {
    for (let n = 1; n <= 300; n++) tested.store.append(typicalPage(n));
    await tested.store.flush();
    const records = await readAll(tested.store);
    expect(records).toHaveLength(300);
    expect(records.map((record) => (record.kind === 'page' ? record.document.links.size : 0))).toEqual(
      Array(300).fill(30),
    );
    const tables = ['page_content', 'page_score'];
    for (const table of tables) expect(await ask(`select count(*) from ${table}`)).toEqual([[300]]);
    expect(
      await ask('select count(*) from url u where (select count(*) from url v where v.hash = u.hash) > 1'),
    ).toEqual([[0]]);
  });
}
