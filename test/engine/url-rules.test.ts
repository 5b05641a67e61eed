import { describe, expect, test } from 'vitest';
import {
  type CanonicalUrl,
  hostOf,
  ORDERINGS,
  type PageHistory,
  topicTree,
  unpackLinks,
} from '../../src/core/index.ts';
import {
  type Answer,
  at,
  exactConfig,
  type Overrides,
  type PaperCrawl,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
} from './support/paper-web.ts';

type CrawlOverrides = Overrides['crawl'];

async function crawled(crawl: CrawlOverrides, web = paperWeb(), journal = new RecordingJournal()): Promise<PaperCrawl> {
  const made = paperCrawl(web, exactConfig({ crawl: { budget: 500, ...crawl } }), { journal });
  await made.run();
  return made;
}

/** What was asked for of addresses that the crawl found by itself. */
function found({ fetcher }: PaperCrawl): readonly string[] {
  const named = new Set([
    ...[0, 1, 2].map((i) => paperUrl('rail', i)),
    ...[0, 1, 2, 3, 4, 5].map((i) => paperUrl('food', i)),
  ]);
  return fetcher.asked.filter((url) => !named.has(url));
}

const isOn =
  (host: string) =>
  (url: string): boolean =>
    hostOf(url as CanonicalUrl) === host;

/** Pages 6, 9, 12 and 15 of the first host redirect to the second one. */
function movingWeb(): Map<string, Answer> {
  const web = paperWeb();
  for (const i of [6, 9, 12, 15]) {
    const [url, target] = [at(paperUrl('rail', i)), at(`http://rail1.paper.test/moved/${i}`)];
    web.set(target, web.get(url)!);
    web.set(url, { kind: 'redirected', url, target, status: 301, permanent: true, fetchedAt: 0 });
  }
  return web;
}

describe('URLs that crawl.exclude names', () => {
  test('are never requested, and counted as excluded', async () => {
    const made = await crawled({ exclude: ['rail1.paper.test', '/page/3'] });
    expect(found(made).length).toBeGreaterThan(30);
    expect(found(made).filter((url) => isOn('rail1.paper.test')(url) || /\/page\/3/.test(url))).toEqual([]);
    const out = made.crawl.status().leftOut ?? [];
    expect(out.find(({ rule }) => rule === 'crawl.exclude')?.addresses).toBeGreaterThan(20);
  });

  test('are not requested after a redirect either, and are reported and counted', async () => {
    const made = await crawled({ exclude: ['/moved/'], reserve: true }, movingWeb());
    expect(made.fetcher.asked).toContain(paperUrl('rail', 6));
    expect(made.fetcher.asked.filter((url) => url.includes('/moved/'))).toEqual([]);
    expect(made.crawl.status().leftOut).toContainEqual({ rule: 'crawl.exclude', addresses: 4 });
  });

  test('are still fetched if the user named the page', async () => {
    const tree = topicTree(
      [{ name: 'railways', examples: [{ kind: 'url', url: paperUrl('rail', 0) }], seeds: [paperUrl('rail', 1)] }],
      [3, 4].map((i) => ({ kind: 'url', url: paperUrl('food', i) })),
    );
    const config = exactConfig({ crawl: { budget: 20, exclude: ['paper.test'] } });
    const { fetcher, run } = paperCrawl(paperWeb(), config, { tree });
    await run();
    const named = [paperUrl('rail', 0), paperUrl('food', 3), paperUrl('food', 4), paperUrl('rail', 1)];
    expect(fetcher.asked.toSorted()).toEqual(named.toSorted());
  });

  test('are dropped from the queue if a rule is new', async () => {
    const first = await crawled({ budget: 25 });
    const before = first.fetcher.asked.length;
    expect(first.fetcher.asked.some(isOn('rail1.paper.test'))).toBe(true);
    const second = await crawled({ exclude: ['rail1.paper.test'] }, paperWeb(), first.journal);
    expect(before).toBeLessThan(40);
    expect(second.fetcher.asked.length).toBeGreaterThan(20);
    expect(second.fetcher.asked.filter(isOn('rail1.paper.test'))).toEqual([]);
  });

  test('are not retried after a failure before the rule existed', async () => {
    const failing = [...paperWeb()].filter(([url]) => isOn('rail1.paper.test')(url)).map(([url]) => at(url));
    const web = paperWeb();
    const trouble = { kind: 'failed', retry: 'later', reason: 'reset', detail: '', status: 0, fetchedAt: 0 } as const;
    for (const url of failing.slice(1)) web.set(url, { ...trouble, url });
    const first = await crawled({ budget: 10, maxTries: 50 }, web);
    expect(first.journal.records.some((record) => record.kind === 'visit' && record.retried)).toBe(true);
    const second = await crawled({ exclude: ['rail1.paper.test'] }, web, first.journal);
    expect(second.fetcher.asked.filter(isOn('rail1.paper.test'))).toEqual([]);
  });

  test('include URLs in sitemaps, and sitemaps themselves', async () => {
    const sitemaps = { budget: 30, sitemaps: true };
    const asked = async (exclude: readonly string[]): Promise<number> => {
      const { fetcher } = await crawled({ ...sitemaps, exclude });
      return fetcher.asked.filter((url) => url.endsWith('/sitemap.xml')).length;
    };
    expect([await asked([]), await asked(['/sitemap.xml', 'rail0.paper.test/robots.txt'])]).toEqual([3, 0]);
  });

  test('are skipped by a recheck, also as the target of a moved page; the pages stay', async () => {
    const { journal } = await crawled({ budget: 30 });
    const pages = journal.pages().map((record): PageHistory => {
      const { sequence, url, finalUrl, redirects, host, role, origin, document } = record;
      const { contentHash, simhash } = document;
      return {
        ...{ sequence, url, finalUrl, redirects, host, role, origin, contentHash, simhash, others: false },
        ...{ etag: '', lastModified: '', firstAt: 0, changedAt: 0, checkedAt: 0, triedAt: 0, checks: 0, changes: 0 },
        ...{ missing: 0, movedAt: 0, movedFrom: '', backAt: 0, ending: undefined, endedAt: 0, target: '' },
      } as PageHistory;
    });
    const web = paperWeb();
    for (const { finalUrl: url } of pages.filter(({ host }) => host === 'rail2.paper.test')) {
      const target = at(url.replace('rail2', 'rail1'));
      web.set(url, { kind: 'redirected', url, target, status: 301, permanent: true, fetchedAt: 0 });
    }
    const config = exactConfig({ crawl: { budget: 30, exclude: ['rail1.paper.test'] } });
    const again = paperCrawl(web, config, { journal, recheck: pages, onlyRecheck: true });
    const before = journal.records.length;
    await again.run();
    const out = pages.filter(({ host, role }) => host === 'rail1.paper.test' && role === 'crawled');
    expect(out.length).toBeGreaterThan(3);
    expect(again.fetcher.asked.filter((url) => out.some(({ finalUrl }) => finalUrl === url))).toEqual([]);
    expect(again.fetcher.asked).toContain(paperUrl('rail', 1));
    const ended = journal.records
      .slice(before)
      .filter((r) => r.kind === 'visit' && ['gone', 'missing'].includes(r.result));
    expect(ended).toEqual([]);
    expect(again.fetcher.asked.some(isOn('rail2.paper.test'))).toBe(true);
  });
});

describe('if crawl.include names URLs', () => {
  test('requests no others, except those that the user named', async () => {
    const made = await crawled({ include: ['rail0.paper.test', '/page/1'] });
    expect(found(made).length).toBeGreaterThan(10);
    expect(found(made).filter((url) => !isOn('rail0.paper.test')(url) && !/\/page\/1/.test(url))).toEqual([]);
    expect(made.fetcher.asked).toContain(paperUrl('rail', 2));
    expect(made.crawl.status().leftOut?.map(({ rule }) => rule)).toContain('crawl.include');
  });

  test('follows redirects to no others', async () => {
    const { fetcher } = await crawled({ include: ['/page/'] }, movingWeb());
    expect(fetcher.asked).toContain(paperUrl('rail', 6));
    expect(fetcher.asked.filter((url) => url.includes('/moved/'))).toEqual([]);
  });

  test('still reads the sitemaps of a site', async () => {
    const { fetcher } = await crawled({ budget: 20, sitemaps: true, include: ['/page/'] });
    expect(fetcher.asked.filter((url) => url.endsWith('/sitemap.xml'))).toHaveLength(3);
  });
});

test('a crawl with rules that is cut and resumed makes the same decisions', async () => {
  const rules = {
    budget: 40,
    exclude: ['/page/4', 'food1.paper.test'],
    include: ['rail0.paper.test', 'paper.test/page/'],
  };
  const whole = await crawled(rules, movingWeb());
  for (const cut of [20, 35, 50]) {
    const resumed = await crawled(rules, movingWeb(), RecordingJournal.holding(whole.journal.records.slice(0, cut)));
    expect(resumed.journal.crawled(), `cut behind ${cut}`).toEqual(whole.journal.crawled());
  }
});

describe('links that crawl.prefer and crawl.defer name', () => {
  const FIRST = 'rail1.paper.test';
  /** Where in a crawl the pages of a host come on average, of all pages that the crawl found; 0 first, 1 last. */
  const placeOf = (made: PaperCrawl, host: string): number => {
    const urls = found(made);
    const places = urls.flatMap((url, i) => (isOn(host)(url) ? [i / (urls.length - 1)] : []));
    return places.reduce((sum, place) => sum + place, 0) / places.length;
  };

  test.each(ORDERINGS)('are fetched before or after all others, whatever the ordering: %s', async (ordering) => {
    const plain = await crawled({ ordering, learn: 0 });
    const ruled = await crawled({ ordering, learn: 0, prefer: [FIRST], defer: ['rail2.paper.test'] });
    expect(placeOf(ruled, FIRST)).toBeLessThan(placeOf(plain, FIRST));
    expect(placeOf(ruled, 'rail2.paper.test')).toBeGreaterThan(placeOf(plain, 'rail2.paper.test'));
    expect(found(ruled).toSorted()).toEqual(found(plain).toSorted());
  });

  test('wait for no other link while one of them waits', async () => {
    const made = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 100, learn: 0, prefer: [FIRST] } }));
    await made.run();
    const known = new Set<string>();
    const asked = new Set<string>();
    for (const page of made.journal.pages()) {
      const isFirst = isOn(FIRST)(page.finalUrl);
      const waits = [...known].filter((url) => !asked.has(url) && isOn(FIRST)(url));
      if (page.role === 'crawled' && !isFirst) expect(waits, page.finalUrl).toEqual([]);
      asked.add(page.finalUrl);
      if (page.role !== 'others') for (const { url } of unpackLinks(page.document.links)) known.add(url);
    }
  });

  test('do so again in a resumed crawl, and from the next run on if the rule is new', async () => {
    const rules = { budget: 50, prefer: [FIRST, '/page/4'], defer: ['/page/1', 'food0.paper.test'] };
    const whole = await crawled(rules);
    for (const cut of [20, 40]) {
      const resumed = await crawled(rules, paperWeb(), RecordingJournal.holding(whole.journal.records.slice(0, cut)));
      expect(resumed.journal.crawled(), `cut behind ${cut}`).toEqual(whole.journal.crawled());
    }
    const first = await crawled({ budget: 20, learn: 0 });
    const before = first.journal.crawled().length;
    const second = await crawled({ budget: 24, learn: 0, prefer: [FIRST] }, paperWeb(), first.journal);
    expect(second.journal.crawled().slice(before).filter(isOn(FIRST))).toHaveLength(4);
  });
});
