import { beforeEach, describe, expect, test } from 'vitest';
import { type JournalRecord, topicTree } from '../../src/core/index.ts';
import type { PageScore } from '../../src/store/index.ts';
import { eachDatabase, rowsOf, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { link, page, round, tiny, topic, visit } from './store-records.ts';

eachDatabase((name) => `the tables in ${name}`, contract);

function contract(database: Database): void {
  const tested = storeOfEachTest(database);
  const { keep, reopen, ask } = tested;

  test('hold a round in readable rows', async () => {
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

  test('name phases and rounds in the order of the crawl', async () => {
    await keep({ kind: 'phase', sequence: 1, phase: 'learning', reason: '', at: 1 } as JournalRecord, round(2), {
      kind: 'phase',
      sequence: 3,
      phase: 'harvesting',
      reason: '',
      at: 2,
    } as JournalRecord);
    expect((await tested.store.milestones()).map(({ sequence, kind, name }) => `${sequence} ${kind} ${name}`)).toEqual([
      '1 phase learning',
      expect.stringMatching(/^2 round \d+/),
      '3 phase harvesting',
    ]);
  });

  test('hold the last saved scores of a topic', async () => {
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

  test('hold the best scores and all authorities of a topic from one save, or neither', async () => {
    const best = (authority: number): PageScore[] => [{ url: 'https://x.example/', hub: 0, authority }];
    const held = (): Promise<unknown[][]> =>
      ask('select s.authority, a.page, a.authority from link_score s, authority a');
    await tested.store.saveScores(topic('a'), best(0.5), { pages: [7], scores: [0.25] });
    expect(await held()).toEqual([[0.5, 7, 0.25]]);
    await tested.store.saveScores(topic('a'), best(0.75), { pages: [8], scores: [0.5] });
    expect(await held()).toEqual([[0.75, 8, 0.5]]);
    const noPage = { pages: [Number.NaN], scores: [1] };
    await expect(tested.store.saveScores(topic('a'), best(1), noPage)).rejects.toThrow();
    expect(await held()).toEqual([[0.75, 8, 0.5]]);
  });

  test('hold the last saved topic tree', async () => {
    await tested.store.saveTopics(topicTree([{ name: 'old' }], []));
    await tested.store.saveTopics(topicTree([{ name: 'science', topics: [{ name: 'databases' }] }], []));
    expect(await ask('select id, parent, name, good from topic order by place')).toEqual([
      ['', null, '', 0],
      ['science', '', 'science', 0],
      ['science/databases', 'science', 'databases', 1],
    ]);
  });

  test('hold no link scores of removed topics', async () => {
    await tested.store.saveTopics(topicTree([{ name: 'databases' }, { name: 'mining' }], []));
    await keep(page(1, 'https://a.example/', {}));
    const scores = [{ url: 'https://a.example/', hub: 0.5, authority: 1 }];
    for (const name of ['databases', 'mining'])
      await tested.store.saveScores(topic(name), scores, { pages: [1], scores: [1] });
    await tested.store.saveTopics(topicTree([{ name: 'databases' }], []));
    expect(await ask('select topic from link_score')).toEqual([['databases']]);
    expect(await ask('select topic from authority')).toEqual([['databases']]);
  });

  test('number each URL once, however often and in whichever batch it occurs', async () => {
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

    test('census: the contents of each topic', async () => {
      await tested.store.saveTopics(topicTree([{ name: 'databases' }], []));
      await keep(
        page(1, 'https://a.example/', { relevance: 1 }),
        page(2, 'https://b.example/', { relevance: 0.5 }),
        page(3, 'https://c.example/', { topic: '', others: true }),
        page(4, 'https://d.example/', { record: { role: 'example' } }),
        page(5, 'https://e.example/', { others: true, record: { role: 'others' } }),
      );
      expect(await ask('select * from census')).toEqual([
        ['databases', 1, 2, 0, 1, 0.25, 0.75],
        ['', 0, 0, 1, 0, null, null],
      ]);
    });

    test('census, one_link_away and cited_across_topics: without pages that are gone', async () => {
      const gone = visit(4, 'https://c.example/', { result: 'gone', page: 3 });
      await keep(
        page(1, 'https://a.example/', { links: [link('https://b.example/'), link('https://c.example/')] }),
        page(2, 'https://b.example/', { topic: 'cycling' }),
        page(3, 'https://c.example/', { topic: 'cycling' }),
        { ...gone, origin: { ...gone.origin, via: 'recheck' } },
      );
      expect(await ask('select topic, accepted from census order by topic')).toEqual([
        ['cycling', 1],
        ['databases', 1],
      ]);
      expect(await ask(`select near_topic, links from one_link_away where direction = 'cites'`)).toEqual([
        ['cycling', 1],
      ]);
      expect(await ask('select url from cited_across_topics')).toEqual([['https://b.example/']]);
    });

    test('unvisited_links_of_top_hubs: unfetched links of the ten best hubs of a topic', async () => {
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

    test('one_link_away and cited_across_topics: from packed links, as the views find them', async () => {
      const links = [link('https://b.example/1')];
      // So many that the links of the first ones are packed.
      const many = Array.from({ length: 1100 }, (_, i) =>
        page(i + 6, `https://y.example/${i}`, { stems: { y: 1 }, links }),
      );
      await keep(...threeTopics(), ...many);
      expect(await ask('select first, last, links from link_segment')).toEqual([[1, 1024, 7 + 1019]]);
      const views = ['one_link_away', 'cited_across_topics'];
      const rows = await Promise.all(views.map((view) => ask(`select * from ${view}`)));
      expect(rows.map((list) => list.length)).toEqual([4, 2]);
      // The name of the database hides the temporary table in SQLite alone.
      if (database.name === 'SQLite')
        expect(await Promise.all(views.map((view) => ask(`select * from main.${view}`)))).toEqual(rows);
      const { linkedFrom } = await tested.store.lookup('https://b.example/1');
      expect(linkedFrom).toHaveLength(100);
      expect(linkedFrom.slice(0, 5).map(({ sequence }) => sequence)).toEqual([1, 2, 4, 5, 6]);
      expect((await tested.store.lookup('https://a.example/2')).linkedFrom).toHaveLength(1);
    });

    test('topic_citations: links between sites, with lift over the base rate', async () => {
      await keep(...threeTopics());
      // Of 3 links between sites, all go from "recovery" to "mining": no more than expected.
      expect(await ask('select topic, cited_topic, links, lift from topic_citations')).toEqual([
        ['recovery', 'mining', 3, 1],
      ]);
      await keep(page(6, 'https://d.example/1', { topic: 'mining', links: [link('https://x.example/1')] }));
      // 4 links; "mining" cites once, and once "recovery" is cited: 1 · 4 / (1 · 1) = 4.
      expect(await ask('select topic, cited_topic, links, round(lift, 3) from topic_citations')).toEqual([
        ['mining', 'recovery', 1, 4],
        ['recovery', 'mining', 3, 1.333],
      ]);
    });

    test('typed_links: links with the topics of both ends, which join to typed paths', async () => {
      await keep(...threeTopics());
      const path = `select a.from_url, a.to_url, b.to_url from typed_links a join typed_links b on b.from_page = a.to_page`;
      expect(await ask(`${path} where a.from_topic = 'recovery' and b.to_topic = 'mining'`)).toEqual([
        ['https://a.example/1', 'https://a.example/2', 'https://b.example/1'],
      ]);
      expect(await ask(`select count(*) from typed_links where to_topic = 'cycling'`)).toEqual([[0]]);
    });

    test('citation_dates: links of every version of a page, with its time', async () => {
      const at = (record: JournalRecord, fetchedAt: number): JournalRecord =>
        ({ ...record, fetchedAt }) as JournalRecord;
      const [a1, a2, b1] = threeTopics() as [JournalRecord, JournalRecord, JournalRecord];
      await keep(at(a1, 10), at(a2, 20), at(b1, 30));
      const links = (time: number): Promise<unknown> =>
        ask(
          `select topic, cited_topic, count(*) from citation_dates where since <= ${time} and (until is null or until > ${time}) group by topic, cited_topic`,
        );
      expect(await links(5)).toEqual([]);
      expect(await links(15)).toEqual([['recovery', 'mining', 1]]);
      expect(await links(25)).toEqual([['recovery', 'mining', 2]]);
    });

    test('frontier: waiting links, with the time since their parents were fetched', async () => {
      await keep({ ...threeTopics()[0]!, fetchedAt: 77 } as JournalRecord);
      const place = { topic: 'recovery', queue: 'outgoing', tries: 1, depth: 2, tunnelDepth: 0, via: 'link' };
      const frontier = [
        {
          ...place,
          url: 'https://n.example/',
          host: 'n.example',
          place: 1,
          priority: 0.5,
          parent: 'https://a.example/1',
          parentPage: 1,
        },
        { ...place, url: 'https://s.example/', host: 's.example', place: 2, priority: 0.25, parent: '', parentPage: 0 },
      ];
      const query = 'select url, place, priority, tries, parent, waiting_since from frontier order by n';
      const asked = await tested.store.sql(query, { maxRows: 10, frontier });
      expect(await rowsOf(asked)).toEqual([
        ['https://n.example/', 1, 0.5, 1, 'https://a.example/1', 77],
        ['https://s.example/', 2, 0.25, 1, '', 0],
      ]);
      await expect(tested.store.sql(query, { maxRows: 10 })).rejects.toThrow(/frontier/);
      await expect(tested.store.sql('delete from frontier', { maxRows: 10, frontier })).rejects.toMatchObject({
        code: 'SQL_READ_ONLY',
      });
    });

    test('narrowly_cited_sites: sites that few other sites cite first', async () => {
      await keep(...threeTopics());
      expect(
        await ask('select site, citing_pages, citing_sites, round(most_from_one, 2) from narrowly_cited_sites'),
      ).toEqual([['b.example', 3, 2, 0.67]]);
    });

    test('sites_by_topic: relevant pages per topic and site, and their share of the site', async () => {
      await keep(...threeTopics());
      expect(await ask('select topic, site, relevant, pages, density from sites_by_topic')).toEqual([
        ['mining', 'b.example', 1, 1, 1],
        ['recovery', 'a.example', 2, 2, 1],
        ['recovery', 'x.example', 1, 1, 1],
      ]);
    });

    test('harvest_by_100_pages and relevance_by_tenth: pages in order of fetching, and by relevance', async () => {
      const pages = Array.from({ length: 103 }, (_, i) =>
        page(i + 1, `https://a.example/${i}`, { relevance: i < 100 ? 0.25 : 1, others: i < 100 }),
      );
      await keep(...pages);
      expect(await ask('select * from harvest_by_100_pages')).toEqual([
        [1, 100, 0, 0.25],
        [101, 3, 3, 1],
      ]);
      expect(await ask('select * from relevance_by_tenth')).toEqual([
        [0.2, 100, 0],
        [0.9, 3, 3],
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

    test('is not truncated if the answer just fits', async () => {
      const result = await tested.store.sql('select sequence from page', { maxRows: 3 });
      expect(await rowsOf(result)).toHaveLength(3);
      expect(result.truncated).toBe(false);
    });

    test('returns integers exactly, however large', async () => {
      expect(
        await ask(
          'select 9007199254740991, -9007199254740993, 9223372036854775807, max(sequence), sum(sequence), 1.5 from page',
        ),
      ).toEqual([[9007199254740991, -9007199254740993n, 9223372036854775807n, 3, 6, 1.5]]);
    });

    test('need not be read to its end', async () => {
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

    test('without a view that is newer than the store explain how to get it', async () => {
      await tested.place.tamper('drop view rechecked');
      await expect(ask('select * from rechecked')).rejects.toMatchObject({
        code: 'SQL_INVALID',
        hint: expect.stringMatching(/older Bingo.*rechecked.*bingo crawl/),
      });
      await expect(ask('select * from nothing')).rejects.toMatchObject({
        hint: expect.stringContaining('docs/schema.md'),
      });
    });

    test('explains a wrong query and says where the tables are described', async () => {
      await expect(tested.store.sql('select nonsense from page', { maxRows: 1 })).rejects.toMatchObject({
        code: 'SQL_INVALID',
        message: expect.stringContaining('nonsense'),
        hint: expect.stringContaining('docs/schema.md'),
      });
      await expect(tested.store.sql('selec * from page', { maxRows: 1 })).rejects.toMatchObject({
        code: expect.stringMatching(/^SQL_/),
      });
    });

    test('accepts forbidden words in text and comments', async () => {
      expect(await ask(`/* into outfile */ select 'drop; table into outfile' as x -- delete`)).toEqual([
        ['drop; table into outfile'],
      ]);
      expect(await ask('with t as (select 1 as n) select n from t;')).toEqual([[1]]);
    });
  });
}
