import { beforeEach, describe, expect, test } from 'vitest';
import {
  FeatureBlock,
  hashesOf,
  LINK_FLAG,
  LINKS_FOLLOWED,
  packLinks,
  ROOT,
  type SteerCommand,
  siteKey,
  topicTree,
  unpackFeatures,
} from '../../src/core/index.ts';
import { requestSteer, type Store } from '../../src/store/index.ts';
import { collect, eachDatabase, readAll, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { crawlStatus, link, page, round, tiny, topic, url, visit } from './store-records.ts';

eachDatabase((name) => `a store in ${name}`, contract);

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  const { keep, ask } = tested;

  describe('between processes', () => {
    test('the crawl publishes its numbers, and a reader sees the latest', async () => {
      expect(await tested.store.published()).toBeUndefined();
      await tested.store.publish(crawlStatus({ fetched: 1 }));
      await tested.store.publish(crawlStatus({ fetched: 2 }));
      const reader = await tested.place.open({ readOnly: true });
      const before = Date.now();
      expect(await reader.published()).toMatchObject({ status: crawlStatus({ fetched: 2 }) });
      expect((await reader.published())!.at).toBeLessThanOrEqual(before);
      await expect(reader.publish(crawlStatus({}))).rejects.toThrow('open only for reading');
      await reader.close();
    });

    test('the crawl reads each request once, in order', async () => {
      const commands: SteerCommand[] = [
        { kind: 'pause' },
        { kind: 'set-budget', budget: 70 },
        { kind: 'lock-host', host: 'a.example' },
        {
          kind: 'judge-page',
          judgement: { key: siteKey('a.example'), sequence: 0, title: '', use: 'bad-site', topic: ROOT },
        },
      ];
      for (const command of commands) {
        await requestSteer(tested.place.options, command);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(await tested.store.takeRequests()).toEqual(commands);
      expect(await tested.store.takeRequests()).toEqual([]);
    });

    test('a write to a closed store fails at once', async () => {
      await tested.store.close();
      const closed = { code: 'STORE_CLOSED' };
      await expect(tested.store.publish(crawlStatus({}))).rejects.toMatchObject(closed);
      await expect(tested.store.saveTopics(topicTree([], []))).rejects.toMatchObject(closed);
      expect(() => tested.store.append(tiny(1))).toThrow(expect.objectContaining(closed));
      await expect(tested.store.close()).resolves.toBeUndefined();
    });

    test('unknown commands are skipped and removed', async () => {
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

    test('keeps the votes of page classifiers with the page, and has none in an older version', async () => {
      const votes = [
        { voter: 'first', topic: topic('databases'), confidence: -0.1 },
        { voter: 'first', topic: topic('databases/systems'), confidence: 1 },
        { voter: 'second', topic: topic('databases'), confidence: 2 / 3 },
      ];
      await keep(page(1, 'https://a.example/', { document: { votes } }), tiny(2));
      const votesOf = async (store: Store) => [...(await store.documents([1, 2])).values()].map((found) => found.votes);
      expect(await votesOf(tested.store)).toEqual([votes, undefined]);
      await tested.store.close();
      await tested.place.tamper('drop table page_vote', "update meta set value = '12' where name = 'schema_version'");
      const reader = await tested.place.open({ readOnly: true });
      expect(await votesOf(reader)).toEqual([undefined, undefined]);
      await reader.close();
      tested.store = await tested.place.open();
      expect(await votesOf(tested.store)).toEqual([undefined, undefined]);
    });

    test('returns packed pages in the order asked for, with the features that judging needs', async () => {
      const votes = [{ voter: 'first', topic: topic('databases'), confidence: 1 }];
      await keep(
        page(1, 'https://a.example/', { stems: { one: 1 }, document: { votes } }),
        visit(2, 'https://b.example/'),
        page(3, 'https://c.example/', { stems: { three: 3 }, relevance: 0.25, others: true }),
      );
      const found = await tested.store.packedPages([3, 2, 1]);
      expect(found.map(({ sequence, relevance, others, hasVotes }) => [sequence, relevance, others, hasVotes])).toEqual(
        [
          [3, 0.25, true, false],
          [1, 0.75, false, true],
        ],
      );
      expect(await tested.store.scoredTopics()).toEqual(new Set(['databases']));
      expect(found.map(({ content }) => unpackFeatures(content).terms?.features)).toEqual(['three', 'one']);
      expect(await tested.store.storedPages([3, 2, 1])).toEqual(found.map(({ content: _, ...row }) => row));
    });

    test('keeps the features of a block of pages until it is replaced; an older store has none', async () => {
      expect(await tested.store.featureBlock(3)).toBeUndefined();
      await tested.store.saveFeatureBlock(3, Uint8Array.of(1, 2));
      await tested.store.saveFeatureBlock(3, Uint8Array.of(4));
      expect([...(await tested.store.featureBlock(3))!]).toEqual([4]);
      await tested.store.close();
      await tested.place.tamper(
        'drop table feature_block',
        "update meta set value = '24' where name = 'schema_version'",
      );
      const reader = await tested.place.open({ readOnly: true });
      expect(await reader.featureBlock(3)).toBeUndefined();
      await reader.close();
      tested.store = await tested.place.open();
      expect(await tested.store.featureBlock(3)).toBeUndefined();
    });

    test('packs the features of each block of records that one process wrote whole', async () => {
      const records = Array.from({ length: 1_600 }, (_, i) => {
        const isPage = [10, 500, 600, 1_100].includes(i + 1);
        const url = `https://p${i + 1}.example/`;
        return isPage ? page(i + 1, url, { stems: { [`word${i + 1}`]: 2 } }) : visit(i + 1, url);
      });
      await keep(...records.slice(0, 700));
      await tested.store.close();
      tested.store = await tested.place.open();
      await keep(...records.slice(700));
      const packed = await Promise.all([0, 1, 2, 3].map((block) => tested.store.featureBlock(block)));
      expect(packed.map((bytes) => bytes !== undefined)).toEqual([true, false, true, false]);
      const block = new FeatureBlock(packed[0]!);
      const found = [9, 10, 500].map((sequence) => block.indexOf(sequence));
      expect(found).toEqual([undefined, 0, 1]);
      expect(block.bagsOf(1).terms!.counts).toEqual(Uint16Array.of(2));
      const hashes = hashesOf({ features: 'word10\nword500', counts: Uint16Array.of(2, 2) });
      expect(block.hashes).toEqual(hashes);
    });

    test('lists current pages by verdict, without those replaced by a newer fetch', async () => {
      await keep(
        page(1, 'https://a.example/'),
        page(2, 'https://b.example/', { others: true }),
        visit(3, 'https://v.example/'),
        page(4, 'https://c.example/'),
        page(5, 'https://a.example/', { others: true }),
      );
      const { accepted, rejected } = await tested.store.currentPages();
      expect([[...accepted], [...rejected]]).toEqual([[4], [2, 5]]);
    });

    test('keeps the priorities of links with their record, exactly', async () => {
      const links = [link('https://t.example/1'), link('https://t.example/2'), link('https://t.example/3')];
      const given = { ordering: 'mine', priorities: Float64Array.of(1 / 3, Number.NaN, 0) };
      const table = { ...packLinks(links), given };
      await keep(
        page(1, 'https://a.example/', { document: { links: table } }),
        visit(2, 'https://b.example/', { result: 'noindex', reason: LINKS_FOLLOWED, links: table, language: 'en' }),
        page(3, 'https://c.example/', { links }),
      );
      const givenTo = async (store: Store) =>
        (await readAll(store)).map((record) => {
          if (record.kind === 'page') return record.document.links.given;
          return record.kind === 'visit' ? record.links?.given : undefined;
        });
      expect(await givenTo(tested.store)).toEqual([given, given, undefined]);
      await tested.store.close();
      await tested.place.tamper(
        'drop table link_priority',
        "update meta set value = '13' where name = 'schema_version'",
      );
      const reader = await tested.place.open({ readOnly: true });
      expect(await givenTo(reader)).toEqual([undefined, undefined, undefined]);
      await reader.close();
      tested.store = await tested.place.open();
    });

    test('a store of the previous version is upgraded and keeps its records', async () => {
      await keep(tiny(1), visit(2, 'https://v.example/'));
      await tested.store.close();
      await tested.place.tamper(
        'drop table steer',
        'drop table steer_request',
        'drop table live_status',
        'drop table first_verdict',
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

    test('searches and lists pages by their new verdicts', async () => {
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

    test('keeps the progress of judging with the verdicts', async () => {
      expect(await tested.store.judgingProgress()).toBeUndefined();
      await tested.store.saveVerdicts([], { basis: 'one', accepted: 7, rejected: Number.MAX_SAFE_INTEGER });
      await tested.store.saveVerdicts([verdict(1, 'mining', 0.9)], { basis: 'two', accepted: 0, rejected: 3 });
      await tested.store.saveVerdicts([]);
      expect(await tested.store.judgingProgress()).toEqual({ basis: 'two', accepted: 0, rejected: 3 });
    });

    test('returns the first verdicts in the journal, so that a crawl resumes exactly', async () => {
      const first = await readAll(tested.store);
      await tested.store.saveVerdicts([verdict(1, 'mining', 0.9)]);
      await tested.store.saveVerdicts([verdict(1, 'databases', 0.1)]);
      expect(await readAll(tested.store)).toEqual(first);
    });

    test('reads the first verdicts that an older version stored in rows, and packs them', async () => {
      const first = await readAll(tested.store);
      await tested.store.saveVerdicts([verdict(1, 'mining', 0.9)]);
      await tested.store.close();
      await tested.place.tamper(
        'drop table first_scores',
        'drop table first_topics',
        `create table first_score (page bigint, n int, topic varchar(100), confidence double precision,
          calibrated double precision, bayes double precision, bayes_calibrated double precision,
          cosine double precision, relevance double precision)`,
        "insert into first_score values (1, 0, 'databases', 0.25, 0.75, 0.25, 1.5, 0.125, 0.75)",
        "update meta set value = '21' where name = 'schema_version'",
      );
      const reader = await tested.place.open({ readOnly: true });
      expect(await readAll(reader)).toEqual(first);
      await reader.close();
      tested.store = await tested.place.open();
      expect(await readAll(tested.store)).toEqual(first);
      expect(await ask('select page, names from first_scores join first_topics on id = topics')).toEqual([
        [1, 'databases'],
      ]);
    });

    test('skips a page that is not stored', async () => {
      await tested.store.saveVerdicts([verdict(9, 'mining', 0.9)]);
      expect(await ask('select count(*) from page_score where page = 9')).toEqual([[0]]);
    });
  });

  describe('explaining a URL', () => {
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

    test('finds the page by its URL, its redirects, its duplicates and later redirects', async () => {
      const found = async (address: string): Promise<unknown[]> => {
        const facts = await tested.store.lookup(address);
        expect(await tested.store.pageOf(address)).toEqual(facts.page);
        return [facts.page?.sequence, facts.as, facts.visits.map((v) => v.sequence)];
      };
      expect(await found('https://a.example/')).toEqual([1, 'page', []]);
      expect(await found('https://b.example/old')).toEqual([3, 'page', [2]]);
      expect(await found('https://b.example/new')).toEqual([3, 'redirect', []]);
      expect(await found('https://copy.example/')).toEqual([1, 'duplicate', [5]]);
      expect(await found('https://d.example/')).toEqual([3, 'redirect', [6]]);
    });

    test('finds the newest version by every address of older ones', async () => {
      const newer = page(8, 'https://b.example/old', {
        record: { finalUrl: url('https://b.example/newest'), redirects: [url('https://b.example/old')] },
      });
      const copy = visit(7, 'https://copy.example/b', { result: 'duplicate', reason: 'same-content', page: 3 });
      await keep(copy, newer);
      await keep({ ...newer, sequence: 9 });
      for (const name of ['b.example/old', 'b.example/new', 'b.example/newest', 'copy.example/b', 'd.example/'])
        expect((await tested.store.pageOf(`https://${name}`))?.sequence, name).toBe(9);
    });

    test('finds a page by every earlier redirect to it', async () => {
      const sent = (sequence: number, from: string, to: string) =>
        visit(sequence, `https://${from}.example/`, { result: 'redirected', target: `https://${to}.example/` });
      const namesOf = async (name: string): Promise<unknown> =>
        (await tested.store.pageOf(`https://${name}.example/`))?.sequence;
      await keep(sent(7, 'first', 'hop'));
      await keep(sent(8, 'second', 'wanted'), sent(9, 'hop', 'wanted'));
      await keep(sent(10, 'third', 'copy-of-b'), sent(11, 'fourth', 'copy-of-b'));
      const copy = { result: 'duplicate', reason: 'same-content', page: 3 } as const;
      await keep(page(12, 'https://wanted.example/'), visit(13, 'https://copy-of-b.example/', copy));
      const names = ['wanted', 'first', 'second', 'hop', 'third', 'fourth'];
      expect(await Promise.all(names.map(namesOf))).toEqual([12, 12, 12, 12, 3, 3]);
    });

    test('forgets that a URL was a copy if a later fetch gave something else', async () => {
      const copies = ['lost', 'sent', 'other', 'tried'].map((name) => `https://copy.example/${name}`);
      const same = { result: 'duplicate', reason: 'same-content' } as const;
      await keep(...copies.map((address, i) => visit(7 + i, address, { ...same, page: 1 })));
      await keep(
        visit(11, copies[0]!, { reason: 'http', status: 404 }),
        visit(12, copies[1]!, { result: 'redirected', reason: 'permanent', target: 'https://b.example/new' }),
        visit(13, copies[2]!, { ...same, page: 3 }),
        visit(14, copies[3]!, { retried: true }),
      );
      const pages = await Promise.all(copies.map(async (address) => (await tested.store.pageOf(address))?.sequence));
      expect(pages).toEqual([undefined, 3, 3, 1]);
    });

    test('forgets it even if both answers are written at once', async () => {
      const copies = ['lost', 'other', 'tried'].map((name) => `https://copy.example/${name}`);
      const same = { result: 'duplicate', reason: 'same-content' } as const;
      await keep(
        ...copies.map((address, i) => visit(7 + i, address, { ...same, page: 1 })),
        visit(10, copies[0]!, { reason: 'http', status: 404 }),
        visit(11, copies[1]!, { ...same, page: 3 }),
        visit(12, copies[2]!, { retried: true }),
      );
      const pages = await Promise.all(copies.map(async (address) => (await tested.store.pageOf(address))?.sequence));
      expect(pages).toEqual([undefined, 3, 1]);
    });

    test('names the page that a duplicate repeats', async () => {
      const { visits } = await tested.store.lookup('https://copy.example/');
      expect(visits.map(({ target }) => target)).toEqual(['https://a.example/']);
    });

    test('names the pages that link to a URL that was not fetched', async () => {
      const facts = await tested.store.lookup('https://c.example/');
      expect(facts.page).toBeUndefined();
      expect(facts.visits).toMatchObject([{ sequence: 4, reason: 'timeout' }]);
      expect(facts.linkedFrom).toEqual([
        { sequence: 1, url: 'https://a.example/', anchor: 'a link', role: 'crawled', nofollow: false },
        { sequence: 3, url: 'https://b.example/old', anchor: 'to C', role: 'crawled', nofollow: false },
      ]);
    });

    test('says which of these mark the link, or all their links, as nofollow', async () => {
      const far = 'https://far.example/';
      const asked = page(7, 'https://e.example/', { links: [{ ...link(far), flags: LINK_FLAG.nofollow }] });
      const all = page(8, 'https://f.example/', { links: [link(far)] });
      const free = page(9, 'https://g.example/', { links: [link(far)] });
      await keep(asked, { ...all, document: { ...all.document, nofollow: true } }, free);
      const { linkedFrom } = await tested.store.lookup(far);
      expect(linkedFrom.map(({ nofollow }) => nofollow)).toEqual([true, true, false]);
    });

    test('reports the last error of a host for its waiting links', async () => {
      const down = 'https://down.example';
      const from = { links: [link(`${down}/a`), link(`${down}/b`)] };
      await keep(page(7, 'https://e.example/', from), visit(8, `${down}/a`, { reason: 'http', status: 503 }));
      await keep(visit(9, `${down}/c`, { result: 'refused', reason: 'bad-host' }));
      const trouble = async (path: string): Promise<unknown> =>
        (await tested.store.lookup(`${down}${path}`)).hostTrouble?.sequence;
      expect([await trouble('/a'), await trouble('/b')]).toEqual([undefined, 8]);
      await keep(page(10, `${down}/d`));
      expect(await trouble('/b')).toBeUndefined();
      await keep(visit(11, `${down}/e`, { reason: 'http', status: 404 }));
      expect(await trouble('/b')).toBeUndefined();
    });

    test('knows nothing of an unknown URL', async () => {
      const nothing = { page: undefined, as: undefined, visits: [], linkedFrom: [], hostTrouble: undefined };
      expect(await tested.store.lookup('https://nowhere.example/')).toEqual(nothing);
      expect(await tested.store.pageOf('https://nowhere.example/')).toBeUndefined();
      expect(await tested.store.pathTo('https://nowhere.example/')).toEqual([]);
    });

    test('returns the path from the seed, with the anchors along it', async () => {
      const path = await tested.store.pathTo('https://c.example/');
      expect(path.map((step) => [step.kind, step.url, step.anchor])).toEqual([
        ['page', 'https://a.example/', ''],
        ['page', 'https://b.example/old', 'to B'],
        ['visit', 'https://c.example/', 'to C'],
      ]);
    });

    test('ends a circular path', async () => {
      await keep(
        page(7, 'https://x.example/', { from: 'https://y.example/' }),
        page(8, 'https://y.example/', { from: 'https://x.example/' }),
      );
      expect((await tested.store.pathTo('https://x.example/')).map((step) => step.sequence)).toEqual([8, 7]);
    });
  });

  test('exports every page in fetch order', async () => {
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
        language: 'en',
      },
    ]);
  });

  test('counts sitemaps neither as pages nor as fetched', async () => {
    const found = page(1, 'https://a.example/', { relevance: 1 });
    const sitemap = page(2, 'https://a.example/sitemap.xml', { others: true });
    await keep(found, { ...sitemap, origin: { ...sitemap.origin, via: 'sitemap' } });
    expect(await tested.store.status()).toMatchObject({ pages: 1, fetched: 1, relevant: 1, harvestRate: 1 });
  });

  test('summarizes the crawl; copies and unstorable pages count as fetched, rechecks do not', async () => {
    const looked = visit(17, 'https://c.example/');
    await keep(
      { kind: 'run', sequence: 1, at: 1, settings: '{}' },
      page(2, 'https://www.a.example:8080/', { relevance: 1 }),
      page(3, 'https://b.a.example/', { others: true }),
      page(4, 'https://c.example/', { topic: 'cycling', relevance: 0.5 }),
      page(5, 'https://train.example/', { record: { role: 'example' } }),
      visit(6, 'https://v.example/1'),
      visit(7, 'https://v.example/2'),
      visit(8, 'https://v.example/3', { result: 'refused', reason: 'robots' }),
      visit(9, 'https://v.example/3', { reason: 'http', status: 403 }),
      visit(10, 'https://v.example/3', { reason: 'http', status: 503 }),
      visit(11, 'https://v.example/3', { reason: 'http', status: 403 }),
      round(12),
      { kind: 'phase', sequence: 13, phase: 'learning', reason: '', at: 1 },
      { kind: 'phase', sequence: 14, phase: 'harvesting', reason: '', at: 2 },
      visit(15, 'https://v.example/copy', { result: 'duplicate', reason: 'same-content', page: 2 }),
      visit(16, 'https://v.example/unwanted', { result: 'noindex', reason: 'links-followed' }),
      visit(17, 'https://c.example/', {
        origin: { ...looked.origin, via: 'recheck' },
        result: 'duplicate',
        reason: 'same-content',
        page: 2,
      }),
    );
    expect(await tested.store.status()).toEqual({
      records: 17,
      pages: 3,
      trainingPages: 1,
      seeds: 3,
      fetched: 5,
      relevant: 2,
      harvestRate: 2 / 5,
      left: { gone: 0, moved: 0, same: 1, noindex: 0 },
      phase: 'harvesting',
      // The gone page was fetched and relevant, but is in no topic any more.
      topics: [{ topic: 'databases', accepted: 1, others: 1, meanConfidence: 0.5, meanRelevance: 1 }],
      visitedUrls: 9,
      linksExtracted: 0,
      maxDepth: 0,
      estimates: [expect.objectContaining({ topic: 'databases', positives: 3, negatives: 50, heldOutPrecision: 0.5 })],
      hosts: 3,
      sites: 2,
      visits: [
        { result: 'duplicate', reason: 'same-content', status: 0, count: 2 },
        { result: 'failed', reason: 'http', status: 403, count: 2 },
        { result: 'failed', reason: 'timeout', status: 0, count: 2 },
        { result: 'failed', reason: 'http', status: 503, count: 1 },
        { result: 'noindex', reason: 'links-followed', status: 0, count: 1 },
        { result: 'refused', reason: 'robots', status: 0, count: 1 },
      ],
      mirrors: [],
      knownUrls: 10,
      rounds: 1,
      runs: 1,
      firstFetchedAt: 1_041_775_202_000,
      lastFetchedAt: 1_041_775_204_000,
    });
  });

  test('summarizes an empty crawl', async () => {
    expect(await tested.store.status()).toMatchObject({
      records: 0,
      pages: 0,
      harvestRate: Number.NaN,
      phase: undefined,
      topics: [],
    });
  });

  describe('opened read-only', () => {
    test('reads while another store writes, and sees new records', async () => {
      await keep(tiny(1));
      const reader = await tested.place.open({ readOnly: true });
      await keep(tiny(2));
      expect(await reader.count()).toBe(2);
      await reader.close();
    });

    test('rejects writes', async () => {
      const reader = await tested.place.open({ readOnly: true });
      expect(() => reader.append(tiny(1))).toThrow(/open only for reading/);
      await expect(reader.saveTopics(topicTree([], []))).rejects.toThrow(/open only for reading/);
      await reader.close();
    });

    test('says what to do if the store is missing, and makes none', async () => {
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
    test('a newer store is not changed', async () => {
      await tested.place.tamper(`update meta set value = '999' where name = 'schema_version'`);
      await expect(tested.place.open()).rejects.toMatchObject({
        code: 'STORE_TOO_NEW',
        message: expect.stringContaining('version 999'),
      });
      await expect(tested.place.open({ readOnly: true })).rejects.toMatchObject({ code: 'STORE_TOO_NEW' });
    });

    test('a database of another program is not changed', async () => {
      await tested.place.tamper('drop table meta', 'create table customers (id int)');
      await expect(tested.place.open()).rejects.toMatchObject({
        code: 'STORE_FOREIGN',
        message: expect.stringContaining('customers'),
      });
    });

    test('a database of another program that has a table meta, too, is not changed', async () => {
      await tested.store.close();
      await tested.place.tamper('drop table meta', 'create table meta (id int)');
      for (const readOnly of [false, true])
        await expect(tested.place.open({ readOnly })).rejects.toMatchObject({
          code: 'STORE_FOREIGN',
          hint: expect.stringContaining(database.name === 'SQLite' ? 'Move the file away' : 'store.url'),
        });
    });

    test('a record that another process has written names two processes as the cause', async () => {
      await keep(tiny(1));
      await tested.place.tamper(`insert into journal (sequence, kind) values (2, 'page')`);
      tested.store.append(tiny(2));
      await expect(tested.store.flush()).rejects.toMatchObject({
        code: 'STORE_SHARED',
        hint: expect.stringContaining('lock.db'),
      });
    });

    test('a store whose creation was interrupted is completed', async () => {
      await tested.store.close();
      await tested.place.tamper('drop table meta', 'drop table link', 'drop view census');
      tested.store = await tested.place.open();
      await keep(tiny(1));
      expect(await ask('select accepted from census')).toEqual([[1]]);
    });
  });
}
