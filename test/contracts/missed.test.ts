import { expect, test } from 'vitest';
import type { JournalRecord } from '../../src/core/index.ts';
import { eachDatabase, keepIn, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { link, page, visit } from './store-records.ts';

eachDatabase((name) => `what a store in ${name} reports as missed`, contract);

function contract(database: Database): void {
  const tested = storeOfEachTest(database);
  const keep = (...records: JournalRecord[]): Promise<void> => keepIn(tested.store, records);

  test('groups what relevant pages link to by site and reason, most links first', async () => {
    const links = ['https://far.example/1', 'https://far.example/2', 'https://shut.example/', 'https://down.example/'];
    await keep(
      page(1, 'https://a.example/', { links: links.map((url) => link(url)) }),
      page(2, 'https://b.example/', { links: [link('https://far.example/2')] }),
      page(3, 'https://c.example/', { others: true, links: [link('https://else.example/')] }),
      visit(4, 'https://shut.example/', { result: 'refused', reason: 'robots' }),
      visit(5, 'https://down.example/', { result: 'failed', reason: 'timeout' }),
    );
    const found = await tested.store.missed(10);
    expect(found).toEqual([
      {
        kind: 'unfetched',
        site: 'far.example',
        reason: '',
        addresses: 2,
        linking: 2,
        example: 'https://far.example/2',
      },
      { kind: 'unreachable', site: 'down.example', reason: 'timeout', addresses: 1, linking: 1, example: links[3] },
      { kind: 'refused', site: 'shut.example', reason: 'robots', addresses: 1, linking: 1, example: links[2] },
    ]);
    expect(await tested.store.missed(1)).toHaveLength(1);
  });

  test('reports pages without text, and nothing that was stored otherwise', async () => {
    await keep(
      page(1, 'https://a.example/', { links: [link('https://app.example/'), link('https://b.example/')] }),
      page(2, 'https://app.example/', { others: true, document: { tokens: 3 } }),
      page(3, 'https://b.example/', { document: { tokens: 300 } }),
    );
    expect((await tested.store.missed(10)).map(({ kind, site }) => [kind, site])).toEqual([
      ['unrendered', 'app.example'],
    ]);
  });
}
