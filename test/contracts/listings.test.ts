import { expect, test } from 'vitest';
import type { JournalRecord } from '../../src/core/index.ts';
import type { Store } from '../../src/store/index.ts';
import { collect, eachDatabase, keepIn, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { link, page, round, topic, visit } from './store-records.ts';

eachDatabase((name) => `what a store in ${name} lists`, contract);

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  const keep = (...records: JournalRecord[]): Promise<void> => keepIn(tested.store, records);

  test('pages of one topic, without those of its subtopics', async () => {
    await keep(
      page(1, 'https://a.example/', { topic: 'databases' }),
      page(2, 'https://b.example/', { topic: 'databases/recovery' }),
      page(3, 'https://c.example/', { topic: 'databases', others: true }),
      page(4, 'https://d.example/', { topic: 'gardens' }),
    );
    const rows = await collect(tested.store.exportPages({ topic: topic('databases') }));
    expect(rows.map((row) => row.sequence)).toEqual([1, 3]);
  });

  test('only relevant pages: found by the crawl, and accepted', async () => {
    await keep(
      page(1, 'https://a.example/', { record: { role: 'example' } }),
      page(2, 'https://b.example/'),
      page(3, 'https://c.example/', { others: true }),
      page(4, 'https://d.example/', { topic: 'gardens' }),
    );
    const sequencesOf = async (filter: Parameters<Store['exportPages']>[0]): Promise<number[]> =>
      (await collect(tested.store.exportPages(filter))).map((row) => row.sequence);
    expect(await sequencesOf({ relevant: true })).toEqual([2, 4]);
    expect(await sequencesOf({ relevant: true, topic: topic('gardens') })).toEqual([4]);
    expect(await sequencesOf({})).toEqual([1, 2, 3, 4]);
  });

  test('pages by time, by site, by type, and by topic with its subtopics', async () => {
    await keep(
      page(1, 'https://a.example/'),
      page(2, 'https://www.a.example/'),
      page(3, 'https://b.example/', { topic: 'gardens', record: { contentType: 'application/pdf' } }),
      page(4, 'https://c.example/', { others: true }),
    );
    const sequencesOf = async (filter: Parameters<Store['exportPages']>[0]): Promise<number[]> =>
      (await collect(tested.store.exportPages(filter))).map((row) => row.sequence);
    const [, second, third] = (await collect(tested.store.exportPages())).map(({ fetchedAt }) => fetchedAt);
    expect(await sequencesOf({ since: second! })).toEqual([2, 3, 4]);
    expect(await sequencesOf({ since: second!, until: third! })).toEqual([2]);
    expect(await sequencesOf({ sites: ['a.example'] })).toEqual([1, 2]);
    expect(await sequencesOf({ types: ['application/pdf'] })).toEqual([3]);
    expect(await sequencesOf({ topics: [topic('databases')] })).toEqual([1, 2]);
    expect(await sequencesOf({ topics: [topic('databases'), topic('gardens')], since: second! })).toEqual([2, 3]);
  });

  test('pages while signals and keys are still handled', async () => {
    await keep(page(1, 'https://a.example/'), page(2, 'https://b.example/'));
    const hadTurn = async (read: () => Promise<unknown>): Promise<boolean> => {
      let isMine = false;
      const turn = setImmediate(() => {
        isMine = true;
      });
      await read();
      clearImmediate(turn);
      return isMine;
    };
    expect(await hadTurn(() => collect(tested.store.exportPages()))).toBe(true);
    expect(await hadTurn(() => tested.store.documents([1]))).toBe(true);
    expect(await hadTurn(() => tested.store.texts([1]))).toBe(true);
  });

  test('each page once, in its old version, while rechecks continue', async () => {
    await keep(...Array.from({ length: 1002 }, (_, i) => page(i + 1, `https://a.example/${i + 1}`)));
    const sequences: number[] = [];
    for await (const { sequence } of tested.store.exportPages({ topic: topic('databases') })) {
      if (sequence === 1)
        await keep(...[1, 500, 1001, 'new'].map((name, i) => page(1003 + i, `https://a.example/${name}`)));
      sequences.push(sequence);
    }
    expect(sequences).toEqual(Array.from({ length: 1002 }, (_, i) => i + 1));
    const now = await collect(tested.store.exportPages());
    expect(now.map(({ sequence }) => sequence).slice(-5)).toEqual([1002, 1003, 1004, 1005, 1006]);
    expect(now).toHaveLength(1003);
  });

  test('only rounds, in order, complete', async () => {
    const rounds = [round(2), round(4, { model: 2, undone: true }), round(5, { model: 3, blob: Uint8Array.of(9) })];
    await keep(page(1, 'https://a.example/'), rounds[0]!, page(3, 'https://b.example/'), rounds[1]!, rounds[2]!);
    expect(await collect(tested.store.rounds())).toEqual(rounds);
  });

  test('every topic name that a round used', async () => {
    const trained = (sequence: number, name: string): JournalRecord => {
      const entry = { key: 'a', title: '', topic: topic(name), origin: 'user', confidence: 0 } as const;
      return round(sequence, { training: [entry] });
    };
    await keep(trained(1, 'old'), trained(2, 'new'), trained(3, 'new'));
    expect((await tested.store.trainedTopics()).toSorted()).toEqual(['new', 'old']);
  });

  test('the records that name topics, in order', async () => {
    const named = (sequence: number, id: string, now: string): JournalRecord => ({
      ...{ kind: 'steer', sequence, at: sequence },
      command: { kind: 'name-topic', id, topic: topic(now) },
    });
    const marked = { kind: 'mark-topic', topic: topic('name-topic'), good: true } as const;
    await keep(
      named(1, 'birds', 'fowl'),
      { kind: 'steer', sequence: 2, command: marked, at: 2 },
      named(3, 'birds', 'animals/fowl'),
      named(4, 'owls "x" %', ''),
    );
    expect(await tested.store.topicNamings()).toEqual([
      { sequence: 1, id: 'birds', topic: 'fowl' },
      { sequence: 3, id: 'birds', topic: 'animals/fowl' },
      { sequence: 4, id: 'owls "x" %', topic: '' },
    ]);
  });

  test('the site of a page is its registered domain', async () => {
    await keep(page(1, 'https://www.shop.example.co.uk/'));
    expect(await collect(tested.store.exportPages())).toMatchObject([{ site: 'example.co.uk' }]);
  });

  test('other addresses of a page if asked: redirects, copies, and copies behind redirects', async () => {
    await keep(
      page(1, 'https://a.example/'),
      visit(2, 'https://moved.example/', { result: 'redirected', target: 'https://hop.example/' }),
      visit(3, 'https://hop.example/', { result: 'redirected', target: 'https://copy.example/' }),
      visit(4, 'https://copy.example/', { result: 'duplicate', reason: 'near-duplicate', page: 1 }),
      page(5, 'https://b.example/', { links: [link('https://moved.example/'), link('https://copy.example/')] }),
    );
    const rows = (await collect(tested.store.exportPages({ copies: true }))).map(({ url, duplicateOf }) => [
      url,
      duplicateOf,
    ]);
    expect(rows[0]).toEqual(['https://a.example/', undefined]);
    expect(rows.slice(1, 4).sort()).toEqual(
      ['https://copy.example/', 'https://hop.example/', 'https://moved.example/'].map((url) => [
        url,
        'https://a.example/',
      ]),
    );
    expect(rows.slice(4)).toEqual([['https://b.example/', undefined]]);
    expect(await collect(tested.store.exportPages())).toHaveLength(2);
    expect((await collect(tested.store.pageLinks())).flat()).toEqual([
      { from: 5, to: 1 },
      { from: 5, to: 1 },
    ]);
  });

  test('hosts whose pages are mostly copies of pages of another host', async () => {
    const copyOf = (sequence: number, address: string): JournalRecord =>
      visit(sequence, address, { result: 'duplicate', reason: 'same-content', page: 1 });
    await keep(
      page(1, 'https://a.example/'),
      page(2, 'https://mirror.example/own'),
      page(3, 'https://quotes.example/1'),
      page(4, 'https://quotes.example/2'),
      ...[5, 6, 7, 8].map((n) => copyOf(n, `https://mirror.example/${n}`)),
      ...[9, 10, 11, 12].map((n) => copyOf(n, `https://quotes.example/${n}`)),
      ...[13, 14, 15].map((n) => copyOf(n, `https://few.example/${n}`)),
    );
    expect((await tested.store.status()).mirrors).toEqual([
      { host: 'mirror.example', original: 'a.example', copies: 4 },
    ]);
  });

  test('links between stored pages, including redirects and pages fetched later', async () => {
    await keep(
      page(1, 'https://a.example/', {
        links: [link('https://old.example/'), link('https://nowhere.example/'), link('https://c.example/')],
      }),
      page(2, 'https://old.example/', {
        record: { finalUrl: 'https://b.example/' as never, redirects: ['https://old.example/' as never] },
        links: [link('https://a.example/', 'one'), link('https://a.example/', 'two')],
      }),
      page(3, 'https://c.example/'),
    );
    expect((await collect(tested.store.pageLinks())).flat()).toEqual([
      { from: 1, to: 2 },
      { from: 1, to: 3 },
      { from: 2, to: 1 },
      { from: 2, to: 1 },
    ]);
  });

  test('links of some pages alone', async () => {
    await keep(
      page(1, 'https://a.example/', { links: [link('https://b.example/'), link('https://c.example/')] }),
      page(2, 'https://b.example/', { links: [link('https://a.example/')] }),
      page(3, 'https://c.example/', { links: [link('https://b.example/'), link('https://nowhere.example/')] }),
    );
    expect((await collect(tested.store.pageLinks([1, 3]))).flat()).toEqual([
      { from: 1, to: 2 },
      { from: 1, to: 3 },
      { from: 3, to: 2 },
    ]);
    expect(await collect(tested.store.pageLinks([]))).toEqual([]);
  });

  test('no links of an empty store', async () => {
    expect(await collect(tested.store.pageLinks())).toEqual([]);
  });

  test('pages with a link score, best authorities first, without unfetched URLs', async () => {
    await keep(page(1, 'https://a.example/'), page(2, 'https://b.example/'));
    await tested.store.saveScores(topic('databases'), [
      { url: 'https://a.example/', hub: 0.5, authority: 0.25 },
      { url: 'https://b.example/', hub: 0, authority: 1 },
      { url: 'https://never.example/', hub: 1, authority: 0.5 },
    ]);
    expect(await tested.store.scoredPages(topic('databases'))).toEqual([
      { sequence: 2, hub: 0, authority: 1 },
      { sequence: 1, hub: 0.5, authority: 0.25 },
    ]);
    expect(await tested.store.scoredPages(topic('gardens'))).toEqual([]);
  });

  test('the topics of pages, and the topics whose OTHERS have pages', async () => {
    expect(await tested.store.pageTopics()).toEqual([]);
    const pages = ['databases', 'gardens', '', 'databases'].map((name, i) =>
      page(i + 1, `https://a.example/${i}`, { topic: name }),
    );
    await keep(...pages);
    expect([...(await tested.store.pageTopics())].sort()).toEqual(['', 'databases', 'gardens']);
  });

  test('the training pages of the last round', async () => {
    expect(await tested.store.training()).toEqual([]);
    const entry = { title: 'B', topic: topic('databases'), origin: 'archetype-by-authority' as const };
    await keep(round(1), round(2, { model: 2, training: [{ ...entry, key: 'https://b.example/', confidence: 1.5 }] }));
    expect(await tested.store.training()).toEqual([{ ...entry, key: 'https://b.example/', confidence: 1.5 }]);
  });
}
