import { expect, test } from 'vitest';
import type { JournalRecord, SiteUse } from '../../src/core/index.ts';
import type { TrainingDesk } from '../../src/engine/index.ts';
import { markedSites, siteJudgement, siteLines } from '../../src/workbench/judging/marked-sites.ts';
import { eachDatabase, storeOfEachTest } from './each-database.ts';
import type { Database } from './store-databases.ts';
import { link, page, visit } from './store-records.ts';

eachDatabase((name) => `marks of sites in ${name}`, contract);

function contract(database: Database): void {
  const tested = storeOfEachTest(database);
  const mark = (sequence: number, site: string, use: SiteUse | 'free'): JournalRecord => {
    return {
      kind: 'steer',
      sequence,
      at: sequence,
      command: { kind: 'judge-page', judgement: siteJudgement(site, use) },
    };
  };

  test('the last mark of a host applies, to its subdomains too', async () => {
    await tested.keep(
      mark(1, 'a.example', 'bad-site'),
      mark(2, 'https://b.example:8080/x?y', 'bad-site'),
      { kind: 'steer', sequence: 3, at: 3, command: { kind: 'lock-host', host: 'd.example' } },
      mark(4, 'a.example', 'free'),
      mark(5, 'C.example', 'bad-site'),
      mark(6, 'good.c.example', 'good-site'),
    );
    const { sites, marks } = await markedSites(tested.store);
    expect(Object.fromEntries(sites)).toEqual({
      ...{ 'b.example:8080': 'bad-site', 'c.example': 'bad-site', 'good.c.example': 'good-site' },
    });
    const hosts = ['a.example', 'b.example', 'b.example:8080', 'www.c.example:81', 'x.good.c.example', 'cc.example'];
    expect(hosts.map((host) => marks.markOf(host))).toEqual([
      ...[undefined, undefined, 'bad-site', 'bad-site', 'good-site', undefined],
    ]);
  });

  test('known addresses of a site that were never fetched are counted', async () => {
    const names = ['a.example/1', 'www.a.example:81/2', 'aa.example/', 'b.example/?a.example', 'a.example/failed'];
    await tested.keep(
      page(1, 'https://a.example/', { links: [...names, 'a.example/'].map((name) => link(`https://${name}`)) }),
      visit(2, 'https://a.example/failed'),
    );
    expect(await tested.store.countUnfetched('a.example')).toBe(2);
    expect(await tested.store.countUnfetched("it's")).toBe(0);
  });

  test('the pages of a site that are in a topic are counted', async () => {
    await tested.keep(
      page(1, 'https://a.example/'),
      page(2, 'https://www.a.example:8080/'),
      page(3, 'https://aa.example/'),
      page(4, 'https://a.example/others', { others: true }),
    );
    const desk = { training: () => [], waitingFor: () => 3 } as unknown as TrainingDesk;
    const [line] = await siteLines(tested.store, desk, [siteJudgement('a.example', 'bad-site')]);
    expect(line).toBe('a.example: blocked; removes 2 pages from topics, sets aside 3 waiting links.');
  });
}
