import { describe, expect, test } from 'vitest';
import type { CrawlEvent, Refusal } from '../../src/core/index.ts';
import { liftedObstacle } from '../../src/engine/steering/setting-changes.ts';
import { type Answer, at, exactConfig, type Overrides, paperCrawl, paperUrl, paperWeb } from './support/paper-web.ts';

const refused = (url: string, reason: Refusal): Answer => ({
  ...{ kind: 'refused', url: at(url), reason, detail: '', fetchedAt: 0 },
});
const changesOf = (events: readonly CrawlEvent[]) =>
  events.flatMap((event) => (event.kind === 'settings' ? event.changes : []));

/** A crawl with some settings, whose web refuses pages of one host; then the same with other settings and a web that gives them. */
async function twice(reason: Refusal, before: Overrides, after: Overrides, role: 'pages' | 'example' = 'pages') {
  const whole = paperWeb();
  const web = paperWeb();
  const held = role === 'example' ? [1] : [4, 7, 10, 13, 16, 19, 22];
  for (const i of held) web.set(paperUrl('rail', i), refused(paperUrl('rail', i), reason));
  const first = paperCrawl(web, exactConfig({ ...before, crawl: { budget: 200, ...before.crawl } }));
  await first.run();
  const names = held.map((i) => paperUrl('rail', i)).filter((url) => first.fetcher.asked.includes(url));
  const second = paperCrawl(whole, exactConfig({ ...after, crawl: { budget: 200, ...after.crawl } }), {
    journal: first.journal,
  });
  await second.run();
  return { first, second, names };
}

describe('a crawl that is resumed with other settings', () => {
  test('reports which ones changed', async () => {
    const { first, second } = await twice('type', {}, { traps: { maxPathDepth: 30 }, network: { robots: false } });
    expect(changesOf(first.events)).toEqual([]);
    expect(changesOf(second.events)).toEqual([
      { setting: 'network.robots', before: true, now: false, askedAgain: 0 },
      { setting: 'traps.maxPathDepth', before: 24, now: 30, askedAgain: 0 },
    ]);
  });

  test('does not report limits of the run', async () => {
    const { second } = await twice(
      'type',
      { crawl: { learn: 20, budget: 200, timeMs: 0 } },
      { crawl: { learn: 30, budget: 300, timeMs: 60_000 } },
    );
    expect(changesOf(second.events)).toEqual([]);
  });

  test.each<[Refusal, Overrides, Overrides, string]>([
    ['private-address', {}, { network: { allowPrivate: true } }, 'network.allowPrivate'],
    ['size', { network: { maxBodyBytes: 10 } }, { network: { maxBodyBytes: 1000 } }, 'network.maxBodyBytes'],
    ['size', {}, { network: { maxBytesByType: ['text/html=9000000'] } }, 'network.maxBytesByType'],
    ['robots', {}, { network: { robots: false } }, 'network.robots'],
    ['locked-host', { crawl: { lockedHosts: ['x.test'] } }, {}, 'crawl.lockedHosts'],
    ['locked-host', {}, { crawl: { lockSearchEngines: false } }, 'crawl.lockSearchEngines'],
    ['locked-host', { crawl: { exclude: ['x.test'] } }, {}, 'crawl.exclude'],
  ])('asks again for what was refused as %s and is allowed now', async (reason, before, after, setting) => {
    const { second, names } = await twice(reason, before, after);
    expect(names.length).toBeGreaterThan(3);
    expect(changesOf(second.events)).toMatchObject([{ setting, askedAgain: names.length }]);
    expect(second.journal.crawled()).toEqual(expect.arrayContaining(names));
  });

  test.each([
    ['dns', { dnsServers: ['192.0.2.1'] }],
    ['tls', { insecureTls: true }],
    ['timeout', { minBytesPerSecond: 1 }],
    ['timeout', { totalTimeoutMs: 1e9 }],
  ] as const)('knows failures by %s that %o may mend', (reason, network) => {
    const [before, now] = [exactConfig(), exactConfig({ network })];
    expect(liftedObstacle({ result: 'failed', reason }, before, now)).toBe(`network.${Object.keys(network)[0]}`);
    expect(liftedObstacle({ result: 'failed', reason: 'http' }, before, now)).toBeUndefined();
    expect(liftedObstacle({ result: 'failed', reason }, now, now)).toBeUndefined();
    expect(liftedObstacle({ result: 'failed', reason }, {}, now)).toBeUndefined();
  });

  test('does not request a page again that a setting still forbids, or another one forbade', async () => {
    const stricter = await twice('size', { network: { maxBodyBytes: 1000 } }, { network: { maxBodyBytes: 10 } });
    expect(stricter.second.fetcher.asked).toEqual([]);
    const other = await twice('type', {}, { network: { allowPrivate: true } });
    expect(other.second.fetcher.asked).toEqual([]);
  });

  test('requests once: the next run knows the result', async () => {
    const { first, second, names } = await twice('size', {}, { network: { maxBodyBytes: 1e9 } });
    const third = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 200 }, network: { maxBodyBytes: 1e9 } }), {
      journal: first.journal,
    });
    await third.run();
    expect([changesOf(third.events), third.fetcher.asked]).toEqual([[], []]);
    expect(second.fetcher.asked.filter((url) => names.includes(url))).toHaveLength(names.length);
  });

  test('learns from an example that was unavailable before', async () => {
    const { second } = await twice('private-address', {}, { network: { allowPrivate: true } }, 'example');
    const rounds = second.journal.records.filter((record) => record.kind === 'round');
    const learnedFrom = [rounds[0], rounds.at(-1)].map((round) => round?.training.map(({ key }) => key));
    expect(learnedFrom[0]).not.toContain(paperUrl('rail', 1));
    expect(learnedFrom[1]).toContain(paperUrl('rail', 1));
  });

  test('does not count an example as unavailable that was fetched under another setting', async () => {
    const [small, large] = [10, 1000].map((maxBodyBytes) => ({ network: { maxBodyBytes }, crawl: { budget: 30 } }));
    const { second } = await twice('size', small!, large!, 'example');
    const third = paperCrawl(paperWeb(), exactConfig(small), { journal: second.journal });
    expect(await third.run()).toMatchObject({ unusedTraining: [] });
  });

  test('follows links that a URL rule excluded before', async () => {
    const web = paperWeb();
    const deep = 'http://rail0.paper.test/a/b/c/d/e/f';
    web.set(deep, web.get(paperUrl('rail', 30)) as string);
    for (const i of [0, 1, 2])
      web.set(
        paperUrl('rail', i),
        (web.get(paperUrl('rail', i)) as string).replace('<p>', `<p><a href="${deep}">x</a> `),
      );
    const shallow = paperCrawl(web, exactConfig({ crawl: { budget: 200 }, traps: { maxPathDepth: 4 } }));
    await shallow.run();
    const deeper = paperCrawl(web, exactConfig({ crawl: { budget: 200 } }), { journal: shallow.journal });
    await deeper.run();
    expect(deeper.fetcher.asked).toEqual([deep]);
  });

  test('records no password of a proxy, a search service or a database', async () => {
    // The address is read as a browser reads it: the last @ ends the password.
    const store = { url: 'mysql://me:a@secret@127.0.0.1:3306/bingo' };
    const network = { proxy: 'http://me:secret@127.0.0.1:3128', searchService: 'searxng:http://me:secret@search.test' };
    const { journal, run } = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 1 }, network, store }));
    await run();
    const settings = journal.records.flatMap((record) => (record.kind === 'run' ? [record.settings] : []));
    expect(settings.join()).toContain('127.0.0.1:3128');
    expect(settings.join()).not.toContain('secret');
  });

  test.each<[string, Overrides]>([
    ['fewer pages of a site', { crawl: { maxPagesPerSite: 10 } }],
    ['locked hosts', { crawl: { lockedHosts: ['rail1.paper.test', 'food1.paper.test'] } }],
    ['rules that keep out', { crawl: { exclude: ['rail1.paper.test', '/page/3', '/moved/'] } }],
    ['rules that let in', { crawl: { include: ['rail0.paper.test/page/', 'food2.paper.test'] } }],
    ['no redirects', { crawl: { maxRedirects: 0 } }],
    ['fewer pages of a topic', { crawl: { maxPagesPerTopic: 20 } }],
  ])('gets in the end what a crawl without them gets: %s', async (_, narrow) => {
    const web = paperWeb();
    for (const i of [6, 9, 12, 15]) {
      const moved = `http://rail0.paper.test/moved/${i}`;
      web.set(moved, web.get(paperUrl('rail', i)) as string);
      const target = at(moved);
      web.set(paperUrl('rail', i), {
        ...({ kind: 'redirected', url: at(paperUrl('rail', i)), target, status: 301, permanent: true } as const),
        fetchedAt: 0,
      });
    }
    const wide: Overrides = { crawl: { budget: 500 } };
    const whole = paperCrawl(web, exactConfig(wide));
    await whole.run();
    const first = paperCrawl(web, exactConfig({ crawl: { ...wide.crawl, ...narrow.crawl } }));
    await first.run();
    const before = first.journal.crawled().length;
    expect(before).toBeLessThan(whole.journal.crawled().length);
    const second = paperCrawl(web, exactConfig(wide), { journal: first.journal });
    await second.run();
    expect(second.journal.crawled().toSorted()).toEqual(whole.journal.crawled().toSorted());
  });
});
