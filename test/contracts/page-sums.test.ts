import { beforeEach, expect, test } from 'vitest';
import type { PageRecord } from '../../src/core/index.ts';
import { eachDatabase, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { link, page, topic, visit } from './store-records.ts';

eachDatabase((name) => `sums over the pages of a store in ${name}`, contract);

const RECHECK = { via: 'recheck', from: '', topic: topic('databases'), depth: 0, tunnelDepth: 0, priority: 1 } as const;

function contract(database: Database): void {
  const tested = storeOfEachTest(database);

  const found = (sequence: number, site: string, relevance: number, others = false): PageRecord =>
    page(sequence, `https://www.${site}/${sequence}`, {
      ...{ others, relevance, topic: sequence % 2 === 0 ? 'databases' : 'mining', from: 'https://seed.example/' },
      links: [link(`https://${site}/x${sequence}`), link('https://y.example/')],
    });

  /** Everything that the sums answer. */
  const answers = async () => {
    const { topics, ...status } = await tested.store.status();
    const views = ['census', 'sites_by_density', 'harvest_by_minute'];
    const rows = await Promise.all(views.map((view) => tested.ask(`select * from ${view}`)));
    const beginning = await tested.store.beginning(10_000, 10);
    const round = (value: unknown): unknown => (typeof value === 'number' ? Number(value.toFixed(6)) : value);
    return JSON.parse(JSON.stringify({ topics, status, rows, beginning }, (_, value) => round(value)));
  };
  /** The same, after the sums were made again from the pages. */
  const answersAnew = async () => {
    await tested.store.close();
    await tested.place.tamper(
      ...['page_sum', 'host_sum', 'minute_sum'].map((table) => `drop table ${table}`),
      `delete from meta where name = 'links'`,
      "update meta set value = '20' where name = 'schema_version'",
    );
    tested.store = await tested.place.open();
    return await answers();
  };

  beforeEach(async () => {
    await tested.keep(
      page(1, 'https://seed.example/', { record: { role: 'example' } }),
      found(2, 'a.example', 0.9),
      found(3, 'a.example', 0.2, true),
      found(4, 'b.example', 0.6),
      visit(5, 'https://b.example/gone'),
      found(6, 'b.example', 0.4, true),
    );
  });

  test('are right for pages that were only found', async () => {
    const { status, rows } = await answers();
    expect(status).toMatchObject({ pages: 4, relevant: 2, trainingPages: 1, sites: 2, hosts: 2, linksExtracted: 8 });
    expect(rows[1]).toEqual([
      ['a.example', 2, 1, 0.5, 0.55],
      ['b.example', 2, 1, 0.5, 0.5],
    ]);
    expect(await answersAnew()).toEqual(await answers());
  });

  test('follow verdicts that change', async () => {
    const verdict = ({ sequence, assignment }: PageRecord) => ({ sequence, assignment });
    await tested.store.saveVerdicts([
      verdict(found(2, 'a.example', 0.1, true)),
      verdict(found(3, 'a.example', 0.8)),
      verdict(page(1, 'https://seed.example/', { relevance: 0.3 })),
    ]);
    const before = await answers();
    expect(before.status).toMatchObject({ pages: 4, relevant: 2 });
    expect(await answersAnew()).toEqual(before);
  });

  test('leave out pages that a newer version replaced, and those that are gone', async () => {
    const newer = page(7, 'https://www.a.example/2', { record: { origin: RECHECK, role: 'crawled' } });
    await tested.keep(
      newer,
      visit(8, 'https://www.b.example/4', { origin: RECHECK, result: 'gone', reason: 'http', status: 410, page: 4 }),
    );
    const before = await answers();
    expect(before.topics.find((one: { topic: string }) => one.topic === 'databases')).toMatchObject({ accepted: 1 });
    expect(await answersAnew()).toEqual(before);
  });

  test('are computed from the pages of a store that an older version wrote', async () => {
    const { status, topics } = await answers();
    await tested.store.close();
    await tested.place.tamper(
      ...['page_sum', 'host_sum', 'minute_sum'].map((table) => `drop table ${table}`),
      "update meta set value = '20' where name = 'schema_version'",
    );
    const reader = await tested.place.open({ readOnly: true });
    expect(await reader.status()).toMatchObject({ ...status, topics: [{ topic: 'databases' }, { topic: 'mining' }] });
    expect(topics).toHaveLength(2);
    await reader.close();
    tested.store = await tested.place.open();
  });

  test('summarize the whole blocks of a long journal', async () => {
    const more = Array.from({ length: 594 }, (_, i) => found(7 + i, 'c.example', 0.6));
    await tested.keep(...more);
    const pages = (parts: number) => tested.store.beginning(600, parts).then((beginning) => beginning.pages);
    const sum = (groups: Awaited<ReturnType<typeof pages>>) =>
      groups.reduce((total, group) => [total[0]! + group.pages, total[1]! + group.relevance], [0, 0]);
    const [summed, read] = [sum(await pages(1)), sum(await pages(600))];
    expect(summed[0]).toBe(598);
    expect(read[0]).toBe(598);
    expect(summed[1]).toBeCloseTo(read[1]!, 6);
  });
}
