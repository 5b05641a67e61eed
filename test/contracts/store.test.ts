import { beforeEach, describe, expect, test } from 'vitest';
import {
  type JournalRecord,
  type Judgement,
  MAX_JUDGED,
  packCounts,
  packLinks,
  type SteerCommand,
  topicTree,
} from '../../src/core/index.ts';
import type { Journal } from '../../src/engine/index.ts';
import { type ReadOptions, requestSteer, type Store } from '../../src/store/index.ts';
import { eachDatabase, keepIn, storeOfEachTest } from './each-database.ts';
import type { Database, Place } from './store-databases.ts';
import {
  crawlStatus,
  document,
  link,
  type PageParts,
  page,
  round,
  scores,
  topic,
  typicalPage,
  url,
  visit,
} from './store-records.ts';

eachDatabase((name) => `a store in ${name}`, contract);

/** As long as a decision on a page can be. */
const LARGEST_JUDGEMENT: Judgement = {
  key: `https://a.example/${'x'.repeat(MAX_JUDGED.key - 18)}`,
  sequence: 2,
  title: '"\u0001'.repeat(MAX_JUDGED.title / 2),
  use: 'example',
  topic: topic('t'.repeat(MAX_JUDGED.topic)),
  without: Array.from({ length: MAX_JUDGED.without }, (_, i) => 190_000 + i),
};

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  const keep = (...records: JournalRecord[]): Promise<void> => keepIn(tested.store, records);

  const reopen = async (more: Parameters<Place['open']>[0] = {}): Promise<void> => {
    await tested.store.close();
    tested.store = await tested.place.open(more);
  };

  const ask = async (query: string): Promise<unknown[][]> => rowsOf(await tested.store.sql(query, { maxRows: 1000 }));

  describe('between processes', () => {
    test('the crawl tells its numbers, and a process that only reads sees the last ones', async () => {
      expect(await tested.store.published()).toBeUndefined();
      await tested.store.publish(crawlStatus({ fetched: 1 }));
      await tested.store.publish(crawlStatus({ fetched: 2 }));
      const reader = await tested.place.open({ readOnly: true });
      const before = Date.now();
      expect(await reader.published()).toMatchObject({ status: crawlStatus({ fetched: 2 }) });
      expect((await reader.published())!.at).toBeLessThanOrEqual(before);
      await expect(reader.publish(crawlStatus({}))).rejects.toThrow('opened for reading alone');
      await reader.close();
    });

    test('the crawl takes each request once, in the order in which they were made', async () => {
      const commands: SteerCommand[] = [
        { kind: 'pause' },
        { kind: 'set-budget', budget: 70 },
        { kind: 'lock-host', host: 'a.example' },
      ];
      for (const command of commands) {
        await requestSteer(tested.place.options, command);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(await tested.store.takeRequests()).toEqual(commands);
      expect(await tested.store.takeRequests()).toEqual([]);
    });

    test('what is no command is passed over and does not stay', async () => {
      await tested.place.tamper(
        `insert into steer_request (id, at, command) values (1, 1, '{"kind":"rm -rf"}'), (2, 1, '{')`,
      );
      expect(await tested.store.takeRequests()).toEqual([]);
      expect(await ask('select count(*) from steer_request')).toEqual([[0]]);
    });

    test('a request can be made while records are written', async () => {
      for (let n = 1; n <= 300; n++) tested.store.append(tiny(n));
      await Promise.all([tested.store.flush(), requestSteer(tested.place.options, { kind: 'pause' })]);
      expect(await tested.store.takeRequests()).toEqual([{ kind: 'pause' }]);
      expect(await tested.store.count()).toBe(300);
    });

    test('a store of the version before is brought up to date with its records kept', async () => {
      await keep(tiny(1), visit(2, 'https://v.example/'));
      await tested.store.close();
      await tested.place.tamper(
        'drop table steer',
        'drop table steer_request',
        'drop table live_status',
        'drop table first_verdict',
        'drop table first_score',
        'drop table snippet_limit',
        "update meta set value = '1' where name = 'schema_version'",
      );
      const reader = await tested.place.open({ readOnly: true });
      expect(await reader.published()).toBeUndefined();
      expect((await collect(reader.read())).flat()).toHaveLength(2);
      expect(await reader.snippetLimits([1])).toEqual(new Map());
      await reader.close();
      tested.store = await tested.place.open();
      await keep({ kind: 'steer', sequence: 3, command: { kind: 'end-learning' }, at: 1 });
      expect((await readAll(tested.store)).map((record) => record.kind)).toEqual(['page', 'visit', 'steer']);
    });
  });

  describe('with new verdicts', () => {
    const verdict = (sequence: number, id: string, relevance: number) => {
      const { assignment } = page(sequence, 'https://x.example/', { topic: id, relevance });
      return { sequence, assignment: { ...assignment, model: 2 } };
    };

    beforeEach(async () => {
      await keep(page(1, 'https://a.example/', { others: true }), page(2, 'https://b.example/'));
    });

    test('searches and lists pages by what is said of them now', async () => {
      await tested.store.saveVerdicts([verdict(1, 'databases', 0.9)]);
      await tested.store.saveVerdicts([verdict(1, 'mining', 0.8), verdict(2, 'databases', 0.7)]);
      const rows = await collect(tested.store.exportPages({ relevant: true }));
      expect(rows.map((row) => [row.url, row.topic, row.relevance])).toEqual([
        ['https://a.example/', 'mining', 0.8],
        ['https://b.example/', 'databases', 0.7],
      ]);
      expect(
        (await tested.store.search({ any: ['text'], topics: [topic('mining')], limit: 5 })).hits.map((hit) => hit.url),
      ).toEqual(['https://a.example/']);
      expect((await tested.store.lookup('https://a.example/')).page?.assignment).toEqual(
        verdict(1, 'mining', 0.8).assignment,
      );
      expect(await ask('select page, n, topic from page_score order by page, n')).toEqual([
        [1, 0, 'mining'],
        [2, 0, 'databases'],
      ]);
    });

    test('goes on telling the journal what the crawl said first, so that it resumes as it went', async () => {
      const first = await readAll(tested.store);
      await tested.store.saveVerdicts([verdict(1, 'mining', 0.9)]);
      await tested.store.saveVerdicts([verdict(1, 'databases', 0.1)]);
      expect(await readAll(tested.store)).toEqual(first);
    });

    test('passes over a page that is not stored', async () => {
      await tested.store.saveVerdicts([verdict(9, 'mining', 0.9)]);
      expect(await ask('select count(*) from page_score where page = 9')).toEqual([[0]]);
    });
  });

  describe('as a journal', () => {
    test('is the journal that the engine asks for', () => {
      const journal: Journal = tested.store;
      expect(journal.backlog).toBe(0);
    });

    test('is empty at first', async () => {
      expect(await tested.store.count()).toBe(0);
      expect(await readAll(tested.store)).toEqual([]);
    });

    test('gives back every kind of record as it was, pages without text and features', async () => {
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
          links: packLinks([link('https://d.example/', 'Grüße'), { ...link('https://e.example/'), flags: 1 }]),
        }),
      ];
      await keep(...records);
      const bare = { ...whole, document: { ...whole.document, text: '', features: {} } };
      expect(await readAll(tested.store)).toEqual(records.with(1, bare));
    });

    test('gives back all records in order, in chunks, after it was opened again', async () => {
      for (let n = 1; n <= 620; n++) tested.store.append(n % 3 === 0 ? visit(n, `https://v.example/${n}`) : tiny(n));
      await reopen();
      const chunks = await collect(tested.store.read());
      expect(chunks.length).toBeGreaterThan(1);
      expect(chunks.flat().map((record) => record.sequence)).toEqual(Array.from({ length: 620 }, (_, i) => i + 1));
      expect(await tested.store.count()).toBe(620);
    });

    test('gives the records behind a sequence, with or without links', async () => {
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

    test('counts what is not durable as backlog, and names each durable sequence in order', async () => {
      await reopen({ batch: 2, flushMs: 60_000 });
      const stored: number[] = [];
      tested.store.onStored((sequence) => stored.push(sequence));
      for (let n = 1; n <= 5; n++) tested.store.append(tiny(n));
      expect(tested.store.backlog).toBe(5);
      await tested.store.flush();
      expect(stored).toEqual([2, 4, 5]);
      expect(tested.store.backlog).toBe(0);
    });

    test('makes a lone record durable without a flush', async () => {
      const stored = new Promise<number>((resolve) => tested.store.onStored(resolve));
      tested.store.append(tiny(1));
      expect(await stored).toBe(1);
    });

    test('close makes durable what was appended', async () => {
      tested.store.append(tiny(1));
      await reopen();
      expect(await tested.store.count()).toBe(1);
    });

    test('refuses a record out of turn, also after it was opened again', async () => {
      await keep(tiny(1));
      expect(() => tested.store.append(tiny(1))).toThrow('Expected the record with sequence 2, got 1');
      await reopen();
      expect(() => tested.store.append(tiny(3))).toThrow('Expected the record with sequence 2, got 3');
    });

    test('gives whole documents, and leaves out unknown ones', async () => {
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

    test('gives texts, empty ones too', async () => {
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

    test('tells of which pages only so much may be shown', async () => {
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

    test('keeps many features compactly and gives them back', async () => {
      const terms = packCounts(Array.from({ length: 3000 }, (_, i) => [`stem${i}`, i + 1] as const));
      await keep(page(1, 'https://a.example/', { document: { features: { terms } } }));
      expect((await tested.store.documents([1])).get(1)?.features.terms).toEqual(terms);
    });

    test('reports a record that is missing, instead of resuming without it', async () => {
      await keep(tiny(1), tiny(2), tiny(3));
      await tested.place.tamper('delete from journal where sequence = 2');
      await expect(readAll(tested.store)).rejects.toThrow(/damaged: its record 2 is missing/);
    });

    test('reports a page that is missing although the journal names it', async () => {
      await keep(tiny(1), tiny(2), tiny(3));
      await tested.place.tamper('delete from page where sequence = 2');
      await expect(readAll(tested.store)).rejects.toThrow(/damaged: its record 2 is missing/);
    });
  });

  describe('whatever the web puts into a page', () => {
    test('takes lone surrogates, NUL and a title of a million characters', async () => {
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

    test('takes numbers that are none', async () => {
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

    test('takes a page with 5,000 links, and one that links to itself', async () => {
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

  describe('a URL that is fetched again', () => {
    test('keeps both records, marks the older one, and finds the newer one alone', async () => {
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

  describe('search', () => {
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

    test('wants every one of the stems in all; those in any then only raise the score', async () => {
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

    test('finds short, common, accented and odd stems as they are', async () => {
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

    test('takes operators of the index for plain text', async () => {
      await keep(stems(1, { log: 1 }));
      for (const stem of ['"', 'log" OR "x', '*', '(log', '+log', '-log', 'NOT', 'NEAR', '@', '', ' ', '\0'])
        await expect(tested.store.search({ any: [stem], limit: 10 })).resolves.toBeDefined();
    });

    test('finds nothing without a stem', async () => {
      await keep(stems(1, { log: 1 }));
      expect(await find({})).toEqual([]);
      expect(await find({ all: [], any: [] })).toEqual([]);
    });

    test('keeps to accepted pages of the topics and those below them', async () => {
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

    test('finds pages of sealed segments and the newest ones alike, after reopening too', async () => {
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

    test('leaves training pages of OTHERS out', async () => {
      await keep(stems(1, { log: 1 }), stems(2, { log: 1 }, { record: { role: 'others' } }));
      expect(await find({ any: ['log'] })).toEqual([1]);
    });
  });

  describe('asked about a URL', () => {
    const seed = page(1, 'https://a.example/', {
      links: [link('https://b.example/old', 'to B'), link('https://c.example/')],
    });
    const moved = page(3, 'https://b.example/old', {
      from: 'https://a.example/',
      links: [link('https://c.example/', 'to C')],
      record: { finalUrl: url('https://b.example/new'), redirects: [url('https://b.example/old')] },
    });

    beforeEach(async () => {
      const sent = visit(2, 'https://b.example/old', {
        result: 'redirected',
        reason: 'permanent',
        target: 'https://b.example/new',
      });
      const dead = visit(4, 'https://c.example/', { origin: { ...sent.origin, from: 'https://b.example/new' } });
      const copy = visit(5, 'https://copy.example/', { result: 'duplicate', reason: 'same-content', page: 1 });
      const late = visit(6, 'https://d.example/', {
        result: 'redirected',
        reason: 'temporary',
        target: 'https://b.example/new',
      });
      await keep(seed, sent, moved, dead, copy, late);
    });

    test('finds the page by its URL, its redirects, its duplicates, and what was sent to it later', async () => {
      const found = async (address: string): Promise<unknown[]> => {
        const facts = await tested.store.lookup(address);
        return [facts.page?.sequence, facts.as, facts.visits.map((v) => v.sequence)];
      };
      expect(await found('https://a.example/')).toEqual([1, 'page', []]);
      expect(await found('https://b.example/old')).toEqual([3, 'page', [2]]);
      expect(await found('https://b.example/new')).toEqual([3, 'redirect', []]);
      expect(await found('https://copy.example/')).toEqual([1, 'duplicate', [5]]);
      expect(await found('https://d.example/')).toEqual([3, 'redirect', [6]]);
    });

    test('names the pages that link to a URL that was not fetched', async () => {
      const facts = await tested.store.lookup('https://c.example/');
      expect(facts.page).toBeUndefined();
      expect(facts.visits).toMatchObject([{ sequence: 4, reason: 'timeout' }]);
      expect(facts.linkedFrom).toEqual([
        { sequence: 1, url: 'https://a.example/', anchor: 'a link' },
        { sequence: 3, url: 'https://b.example/old', anchor: 'to C' },
      ]);
    });

    test('knows nothing of a URL that never occurred', async () => {
      const nothing = { page: undefined, as: undefined, visits: [], linkedFrom: [] };
      expect(await tested.store.lookup('https://nowhere.example/')).toEqual(nothing);
      expect(await tested.store.pathTo('https://nowhere.example/')).toEqual([]);
    });

    test('tells the path from the seed, with the anchors that led on', async () => {
      const path = await tested.store.pathTo('https://c.example/');
      expect(path.map((step) => [step.kind, step.url, step.anchor])).toEqual([
        ['page', 'https://a.example/', ''],
        ['page', 'https://b.example/old', 'to B'],
        ['visit', 'https://c.example/', 'to C'],
      ]);
    });

    test('ends a path that runs in a circle', async () => {
      await keep(
        page(7, 'https://x.example/', { from: 'https://y.example/' }),
        page(8, 'https://y.example/', { from: 'https://x.example/' }),
      );
      expect((await tested.store.pathTo('https://x.example/')).map((step) => step.sequence)).toEqual([8, 7]);
    });
  });

  test('exports every page in order of fetching', async () => {
    await keep(
      page(1, 'https://a.example/', { record: { role: 'example' } }),
      visit(2, 'https://v.example/'),
      page(3, 'https://b.example/', { from: 'https://a.example/', others: true }),
    );
    const rows = await collect(tested.store.exportPages());
    expect(rows).toEqual([
      expect.objectContaining({ url: 'https://a.example/', role: 'example', via: '', sequence: 1, others: false }),
      {
        url: 'https://b.example/',
        finalUrl: 'https://b.example/',
        title: 'A title',
        role: 'crawled',
        topic: 'databases',
        others: true,
        confidence: 0.25,
        relevance: 0.75,
        depth: 1,
        tunnelDepth: 0,
        sequence: 3,
        fetchedAt: 1_041_775_203_000,
        status: 200,
        contentType: 'text/html',
        via: 'https://a.example/',
        site: 'b.example',
      },
    ]);
  });

  test('sums the crawl up', async () => {
    await keep(
      { kind: 'run', sequence: 1, at: 1, settings: '{}' },
      page(2, 'https://www.a.example:8080/', { relevance: 1 }),
      page(3, 'https://b.a.example/', { others: true }),
      page(4, 'https://c.example/', { topic: 'cycling', relevance: 0.5 }),
      page(5, 'https://train.example/', { record: { role: 'example' } }),
      visit(6, 'https://v.example/1'),
      visit(7, 'https://v.example/2'),
      visit(8, 'https://v.example/3', { result: 'refused', reason: 'robots' }),
      round(9),
      { kind: 'phase', sequence: 10, phase: 'learning', reason: '', at: 1 },
      { kind: 'phase', sequence: 11, phase: 'harvesting', reason: '', at: 2 },
    );
    expect(await tested.store.status()).toEqual({
      records: 11,
      pages: 3,
      trainingPages: 1,
      relevant: 2,
      harvestRate: 2 / 3,
      phase: 'harvesting',
      topics: [
        { topic: 'cycling', accepted: 1, others: 0, meanConfidence: 0, meanRelevance: 0.5 },
        { topic: 'databases', accepted: 1, others: 1, meanConfidence: 0.5, meanRelevance: 1 },
      ],
      hosts: 3,
      sites: 2,
      visits: [
        { result: 'failed', reason: 'timeout', count: 2 },
        { result: 'refused', reason: 'robots', count: 1 },
      ],
      mirrors: [],
      knownUrls: 8,
      rounds: 1,
      runs: 1,
      firstFetchedAt: 1_041_775_202_000,
      lastFetchedAt: 1_041_775_204_000,
    });
  });

  test('sums an empty crawl up', async () => {
    expect(await tested.store.status()).toMatchObject({
      records: 0,
      pages: 0,
      harvestRate: Number.NaN,
      phase: undefined,
      topics: [],
    });
  });

  describe('ready-made views', () => {
    test('harvest_by_minute: pages, relevant ones and mean relevance of each minute', async () => {
      const at = (minute: number): { fetchedAt: number } => ({ fetchedAt: Date.UTC(2003, 0, 5, 14, minute, 59, 999) });
      await keep(
        page(1, 'https://a.example/', { relevance: 1, record: at(0) }),
        page(2, 'https://b.example/', { relevance: 0.5, others: true, record: at(0) }),
        page(3, 'https://c.example/', { relevance: 0.25, record: at(2) }),
        page(4, 'https://d.example/', { record: { ...at(2), role: 'example' } }),
      );
      expect(await ask('select * from harvest_by_minute')).toEqual([
        ['2003-01-05 14:00', 2, 1, 0.5, 0.75],
        ['2003-01-05 14:02', 1, 1, 1, 0.25],
      ]);
    });

    test('census: what each topic holds', async () => {
      await tested.store.saveTopics(topicTree([{ name: 'databases' }], []));
      await keep(
        page(1, 'https://a.example/', { relevance: 1 }),
        page(2, 'https://b.example/', { relevance: 0.5 }),
        page(3, 'https://c.example/', { topic: '', others: true }),
        page(4, 'https://d.example/', { record: { role: 'example' } }),
        page(5, 'https://e.example/', { record: { role: 'others' } }),
      );
      expect(await ask('select * from census')).toEqual([
        ['databases', 1, 2, 0, 1, 0.25, 0.75],
        ['', 0, 0, 1, 0, null, null],
      ]);
    });

    test('unvisited_links_of_top_hubs: what the ten best hubs of a topic point to and nobody fetched', async () => {
      const hub = (n: number, ...targets: string[]): JournalRecord =>
        page(n, `https://hub${n}.example/`, { links: targets.map((t) => link(t, `to ${t}`)) });
      const others = Array.from({ length: 10 }, (_, i) => hub(i + 2, `https://far.example/${i + 2}`));
      await keep(
        hub(1, 'https://new.example/', 'https://hub2.example/', 'https://dead.example/', 'https://later.example/'),
        ...others,
        visit(12, 'https://dead.example/'),
        visit(13, 'https://later.example/', { retried: true }),
      );
      const hubs = Array.from({ length: 11 }, (_, i) => ({
        url: `https://hub${i + 1}.example/`,
        hub: 1 - i / 20,
        authority: 0,
      }));
      await tested.store.saveScores(topic('databases'), hubs);
      expect((await ask('select * from unvisited_links_of_top_hubs')).slice(0, 3)).toEqual([
        ['databases', 'https://hub1.example/', 1, 'https://new.example/', 'to https://new.example/'],
        ['databases', 'https://hub1.example/', 1, 'https://later.example/', 'to https://later.example/'],
        ['databases', 'https://hub2.example/', 0.95, 'https://far.example/2', 'to https://far.example/2'],
      ]);
      expect(await ask(`select count(*) from unvisited_links_of_top_hubs where url like 'https://far%'`)).toEqual([
        [9],
      ]);
    });

    const threeTopics = (): JournalRecord[] => [
      page(1, 'https://a.example/1', {
        topic: 'recovery',
        links: [link('https://b.example/1'), link('https://a.example/2')],
      }),
      page(2, 'https://a.example/2', {
        topic: 'recovery',
        links: [link('https://b.example/1'), link('https://c.example/1')],
      }),
      page(3, 'https://b.example/1', { topic: 'mining', links: [link('https://c.example/1')] }),
      page(4, 'https://c.example/1', { topic: 'cycling', others: true, links: [link('https://b.example/1')] }),
      page(5, 'https://x.example/1', { topic: 'recovery', links: [link('https://b.example/1')] }),
    ];

    test('one_link_away: topics that cite a topic or are cited by it', async () => {
      await keep(...threeTopics());
      expect(await ask('select * from one_link_away')).toEqual([
        ['mining', 'recovery', 'is cited by', 3, 3, 1],
        ['recovery', 'mining', 'cites', 3, 3, 1],
      ]);
    });

    test('cited_across_topics: pages of one topic cited by pages of another', async () => {
      await keep(...threeTopics());
      expect(await ask('select * from cited_across_topics')).toEqual([
        ['mining', 'recovery', 'https://b.example/1', 'A title', 3, 2],
      ]);
    });

    test('sites_by_density: the densest sites first, hosts of one site together', async () => {
      await keep(
        page(1, 'https://www.uni.example/1', { relevance: 1 }),
        page(2, 'https://db.uni.example/2', { relevance: 0, others: true }),
        page(3, 'https://dense.example/1', { relevance: 0.5 }),
        page(4, 'http://127.0.0.1:8080/', { relevance: 0, others: true }),
      );
      expect(await ask('select * from sites_by_density')).toEqual([
        ['dense.example', 1, 1, 1, 0.5],
        ['uni.example', 2, 1, 0.5, 0.5],
        ['127.0.0.1', 1, 0, 0, 0],
      ]);
    });
  });

  describe('tables', () => {
    test('hold a round in rows that people can read', async () => {
      await keep(round(1));
      expect(await ask('select example, topic, origin, confidence from training order by n')).toEqual([
        ['https://a.example/', 'databases', 'user', 0.5],
        ['query', '', 'others', null],
      ]);
      expect(await ask('select step, example, origin from archetype order by n')).toEqual([
        ['admitted', 'https://b.example/', 'archetype-by-authority'],
        ['dropped', 'https://c.example/', ''],
        ['refused', 'https://e.example/', ''],
      ]);
      expect(await ask('select xi_alpha_precision, held_out_auc, example_rank, features from estimate')).toEqual([
        [null, 0.875, 0.75, 2000],
      ]);
      expect(
        await ask('select s.topic, u.url, s.hub, s.authority from link_score s join url u on u.id = s.url_id'),
      ).toEqual([['databases', 'https://a.example/', 0.75, 0.25]]);
    });

    test('hold the scores of a topic that were saved last', async () => {
      const score = (address: string): { url: string; hub: number; authority: number } => ({
        url: address,
        hub: 1,
        authority: 0,
      });
      await tested.store.saveScores(topic('a'), [
        score('https://x.example/'),
        score('https://x.example/'),
        score('https://y.example/'),
      ]);
      await tested.store.saveScores(topic('b'), [score('https://z.example/')]);
      await tested.store.saveScores(topic('a'), [score('https://y.example/')]);
      await tested.store.saveScores(topic('b'), []);
      expect(await ask('select s.topic, u.url from link_score s join url u on u.id = s.url_id')).toEqual([
        ['a', 'https://y.example/'],
      ]);
    });

    test('hold the topic tree that was saved last', async () => {
      await tested.store.saveTopics(topicTree([{ name: 'old' }], []));
      await tested.store.saveTopics(topicTree([{ name: 'science', topics: [{ name: 'databases' }] }], []));
      expect(await ask('select id, parent, name, good from topic order by place')).toEqual([
        ['', null, '', 0],
        ['science', '', 'science', 0],
        ['science/databases', 'science', 'databases', 1],
      ]);
    });

    test('number each URL once, however often it occurs and in whichever batch', async () => {
      const links = [link('https://b.example/'), link('https://b.example/', 'again'), link('https://a.example/')];
      await keep(page(1, 'https://a.example/', { links }));
      await reopen();
      await keep(page(2, 'https://b.example/', { links }), visit(3, 'https://A.example/'));
      expect(await ask('select url, count(*) from url group by url order by url')).toEqual([
        ['https://A.example/', 1],
        ['https://a.example/', 1],
        ['https://b.example/', 1],
      ]);
    });
  });

  describe('sql', () => {
    beforeEach(() => keep(tiny(1), tiny(2), tiny(3)));

    test('answers with columns and rows, duplicate names too', async () => {
      const result = await tested.store.sql(
        `select sequence as n, url, sequence as n, null as "nothing" from page where sequence = 1`,
        { maxRows: 10 },
      );
      expect(result.columns).toEqual(['n', 'url', 'n', 'nothing']);
      expect(await rowsOf(result)).toEqual([[1, 'https://t.example/1', 1, null]]);
      expect(result.truncated).toBe(false);
    });

    test('stops at maxRows and says so', async () => {
      const result = await tested.store.sql('select sequence from page order by sequence', { maxRows: 2 });
      expect(await rowsOf(result)).toEqual([[1], [2]]);
      expect(result.truncated).toBe(true);
    });

    test('is not truncated when the answer just fits', async () => {
      const result = await tested.store.sql('select sequence from page', { maxRows: 3 });
      expect(await rowsOf(result)).toHaveLength(3);
      expect(result.truncated).toBe(false);
    });

    test('can be left unread', async () => {
      const result = await tested.store.sql('select * from page', { maxRows: 3 });
      await result.close();
    });

    test.each([
      'delete from page',
      'insert into meta (name, value) values (1, 2)',
      'update page set title = 1',
      'drop table page',
      'create table x (a int)',
      'begin',
      '  /* select */ delete from page',
      '-- select\ndelete from page',
      'select 1; delete from page',
      '',
      '-- nothing',
    ])('refuses to run %j', async (statement) => {
      await expect(tested.store.sql(statement, { maxRows: 1 })).rejects.toMatchObject({
        code: expect.stringMatching(/^SQL_/),
      });
      expect(await ask('select count(*) from page')).toEqual([[3]]);
    });

    test('tells what is wrong with a query and where the tables are described', async () => {
      await expect(tested.store.sql('select nonsense from page', { maxRows: 1 })).rejects.toMatchObject({
        code: 'SQL_INVALID',
        message: expect.stringContaining('nonsense'),
        hint: expect.stringContaining('docs/schema.md'),
      });
      await expect(tested.store.sql('selec * from page', { maxRows: 1 })).rejects.toMatchObject({
        code: expect.stringMatching(/^SQL_/),
      });
    });

    test('finds its words in text and comments no reason to refuse', async () => {
      expect(await ask(`/* into outfile */ select 'drop; table into outfile' as x -- delete`)).toEqual([
        ['drop; table into outfile'],
      ]);
      expect(await ask('with t as (select 1 as n) select n from t;')).toEqual([[1]]);
    });
  });

  describe('opened for reading alone', () => {
    test('reads while another store writes, and sees what is stored meanwhile', async () => {
      await keep(tiny(1));
      const reader = await tested.place.open({ readOnly: true });
      await keep(tiny(2));
      expect(await reader.count()).toBe(2);
      await reader.close();
    });

    test('refuses to write', async () => {
      const reader = await tested.place.open({ readOnly: true });
      expect(() => reader.append(tiny(1))).toThrow(/opened for reading alone/);
      await expect(reader.saveTopics(topicTree([], []))).rejects.toThrow(/opened for reading alone/);
      await reader.close();
    });

    test('says what to do when there is no store yet, and makes none', async () => {
      const empty = await database.place();
      for (let i = 0; i < 2; i++)
        await expect(empty.open({ readOnly: true })).rejects.toMatchObject({
          code: 'STORE_MISSING',
          hint: expect.stringContaining('bingo crawl'),
        });
      await empty.drop();
    });
  });

  describe('of another version', () => {
    test('a newer store is left alone', async () => {
      await tested.place.tamper(`update meta set value = '999' where name = 'schema_version'`);
      await expect(tested.place.open()).rejects.toMatchObject({
        code: 'STORE_TOO_NEW',
        message: expect.stringContaining('version 999'),
      });
      await expect(tested.place.open({ readOnly: true })).rejects.toMatchObject({ code: 'STORE_TOO_NEW' });
    });

    test('a database of another program is left alone', async () => {
      await tested.place.tamper('drop table meta', 'create table customers (id int)');
      await expect(tested.place.open()).rejects.toMatchObject({
        code: 'STORE_FOREIGN',
        message: expect.stringContaining('customers'),
      });
    });

    test('a store whose making was cut short is made whole', async () => {
      await tested.store.close();
      await tested.place.tamper('drop table meta', 'drop table link', 'drop view census');
      tested.store = await tested.place.open();
      await keep(tiny(1));
      expect(await ask('select accepted from census')).toEqual([[1]]);
    });
  });

  test('takes typical pages in many batches and reads them all back', async () => {
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

function tiny(sequence: number): JournalRecord {
  return page(sequence, `https://t.example/${sequence}`);
}

function stems(sequence: number, counts: Readonly<Record<string, number>>, parts: PageParts = {}): JournalRecord {
  return page(sequence, `https://s.example/${sequence}`, { stems: counts, ...parts });
}

async function readAll(store: Store): Promise<JournalRecord[]> {
  return (await collect(store.read())).flat();
}

async function rowsOf(result: Awaited<ReturnType<Store['sql']>>): Promise<unknown[][]> {
  return (await collect(result.rows)).map((row) => [...row]);
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
