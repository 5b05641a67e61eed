import { describe, expect, test } from 'vitest';
import { contentHash, LINKS_FOLLOWED, type PageRecord, packLinks } from '../../src/core/index.ts';
import type { Store, StoreProblem } from '../../src/store/index.ts';
import { eachDatabase, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { link, page, round, url, visit } from './store-records.ts';

eachDatabase((name) => `the check of a store in ${name}`, contract);

/** A page whose text has the right digest. */
function whole(sequence: number, address: string, parts: Parameters<typeof page>[2] = {}): PageRecord {
  const text = `The text of page ${sequence}: ä, 茶`;
  const stems = { [`stem${sequence}`]: 2, shared: 1, 红茶: 3 };
  const document = { text, contentHash: contentHash(Buffer.from(text)), ...parts.document };
  return page(sequence, address, { stems, ...parts, document });
}

const RECORDS = [
  whole(1, 'https://a.example/', {
    links: [link('https://b.example/'), link(`https://c.example/${'x'.repeat(3000)}`)],
  }),
  whole(2, 'https://b.example/', { links: [link('https://a.example/'), link('https://b.example/old')] }),
  visit(3, 'https://b.example/old', { result: 'redirected', target: 'https://b.example/' }),
  visit(4, 'https://n.example/', {
    ...{ result: 'noindex', reason: LINKS_FOLLOWED, links: packLinks([link('https://a.example/')]), language: 'en' },
  }),
  round(5),
  { kind: 'run', sequence: 6, at: 1, settings: '{}' } as const,
  whole(7, 'https://a.example/', { record: { finalUrl: url('https://a.example/new') } }),
  visit(8, 'https://d.example/', { result: 'duplicate', page: 2 }),
  whole(9, 'https://e.example/', { document: { text: '', contentHash: '' } }),
];

async function problemsOf(store: Store): Promise<readonly StoreProblem[]> {
  const found: StoreProblem[] = [];
  for await (const event of store.check()) if (event.kind === 'problem') found.push(event.problem);
  return found;
}

/** Part and record of each problem. */
async function placesOf(store: Store): Promise<readonly string[]> {
  return [...new Set((await problemsOf(store)).map(({ part, sequence }) => `${part} ${sequence}`))].sort();
}

const swap = (table: string, column: string): string[] => [
  `update ${table} set ${column} = 1000 where ${column} = 1`,
  `update ${table} set ${column} = 1 where ${column} = 2`,
  `update ${table} set ${column} = 2 where ${column} = 1000`,
];

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  test('finds nothing wrong in a store of every kind of record, nor in an empty one', async () => {
    expect(await problemsOf(tested.store)).toEqual([]);
    await tested.keep(...RECORDS);
    expect(await problemsOf(tested.store)).toEqual([]);
  });

  describe('names the part and the record', () => {
    test.each<[string, readonly string[], readonly string[]]>([
      ['a record missing in the journal', ['delete from journal where sequence = 5'], ['journal 5']],
      ['a missing visit', ['delete from visit where sequence = 8'], ['journal 8']],
      ['a record in two tables', [`insert into run values (3, 1, '{}')`], ['journal 3']],
      ['a missing last record', ['delete from journal where sequence = 9'], ['journal 9']],
      ['swapped texts', swap('page_content', 'page'), ['index 1', 'index 2', 'pages 1', 'pages 2']],
      ['swapped pages', swap('page', 'sequence'), ['pages 1', 'pages 2']],
      ['swapped links', swap('link', 'page'), ['pages 1', 'pages 2']],
      ['a missing text', ['delete from page_content where page = 2'], ['pages 2']],
      ['a damaged text', [`update page_content set content = x'28b52ffd00' where page = 2`], ['pages 2']],
      ['a text without a page', ['update page_content set page = 5 where page = 2'], ['pages 2', 'pages 5']],
      ['a missing link', ['delete from link where page = 1'], ['pages 1', 'sums 0']],
      ['a changed URL', [`update page set url = 'https://x.example/' where sequence = 2`], ['pages 2']],
      [
        'a URL that leads to another page',
        [`update alias set page = 9 where reason = 'page' and page = 2`],
        ['pages 2', 'pages 9'],
      ],
      ['a URL that is not found', [`update url set hash = 1 where url = 'https://b.example/'`], ['pages 1', 'pages 2']],
      ['a page missing in the index', ['delete from term_log where page = 2'], ['index 2']],
      ['words of another page in the index', swap('term_log', 'page'), ['index 1', 'index 2']],
      ['a falsified sum of pages', ['update page_sum set pages = pages + 1 where block = 0'], ['sums 0']],
      ['a falsified relevance', ['update host_sum set relevance = relevance + 0.001'], ['sums 0']],
      ['a sum of a host without pages', [`insert into host_sum values ('x', 'x', 1, 0, 0, 0, 0)`], ['sums 0']],
      ['a missing sum', ['delete from minute_sum'], ['sums 0']],
      ['a falsified number of links', [`update meta set value = '7' where name = 'links'`], ['sums 0']],
      ['a page in the index alone', ['update term_log set page = 8 where page = 9'], ['index 8', 'index 9']],
    ])('of %s', async (_, damage, places) => {
      await tested.keep(...RECORDS);
      await tested.store.close();
      await tested.place.tamper(...damage);
      tested.store = await tested.place.open({ readOnly: true });
      expect(await placesOf(tested.store)).toEqual(places);
    });
  });

  test('compares segments of the index with their pages', async () => {
    const links = [link('https://s.example/1')];
    const pages = Array.from({ length: 1100 }, (_, i) => whole(i + 1, `https://s.example/${i + 1}`, { links }));
    await tested.keep(...pages);
    expect(await problemsOf(tested.store)).toEqual([]);
    await tested.store.close();
    const [first] = await segmentsOf(tested.place.open);
    expect(first).toEqual([1, 1024]);
    await tested.place.tamper('update term_block set stem = stem + 1 where segment = 1');
    tested.store = await tested.place.open({ readOnly: true });
    const found = await problemsOf(tested.store);
    expect(new Set(found.map(({ part }) => part))).toEqual(new Set(['index']));
    expect(found.at(-1)!.sequence).toBeLessThanOrEqual(1024);
    expect(found[0]!.message).toContain('search index');
    await tested.store.close();
    await tested.place.tamper(
      'update term_block set stem = stem - 1 where segment = 1',
      'update link_segment set links = links - 1',
    );
    tested.store = await tested.place.open({ readOnly: true });
    const message = 'The packed links of the records 1 to 1024 do not match the table link (link_segment).';
    expect(await problemsOf(tested.store)).toEqual([{ part: 'sums', sequence: 0, url: '', message }]);
  });
}

async function segmentsOf(open: () => Promise<Store>): Promise<readonly unknown[]> {
  const store = await open();
  const rows: unknown[] = [];
  for await (const row of (await store.sql('select first, last from term_segment', { maxRows: 10 })).rows)
    rows.push(row);
  await store.close();
  return rows;
}
