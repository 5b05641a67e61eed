import { describe, expect, test } from 'vitest';
import { type CanonicalUrl, type Config, canonicalize, DEFAULTS, topicTree } from '../../src/core/index.ts';
import { type ParkVisit, scorePark, TrapPark } from '../../src/lab/index.ts';
import {
  type Answer,
  exactConfig,
  type PaperCrawl,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
} from './support/paper-web.ts';

const park = new TrapPark(3);
const topics = [
  { name: 'bees', examples: park.examples.map((url) => ({ kind: 'url' as const, url })), seeds: [...park.seeds] },
];
const tree = topicTree(
  topics,
  park.others.map((url) => ({ kind: 'url' as const, url })),
);

/** The park as a paper web: what drips, pours, breaks off or is not what it says is a failure at once. */
const web = {
  get(address: string): Answer {
    const url = canonicalize(address) as CanonicalUrl;
    const { status, headers, body, manner } = park.answer(url);
    if (status === 302) {
      const target = canonicalize(headers.location!, url)!;
      return { kind: 'redirected', url, target, status, permanent: false, fetchedAt: 0 };
    }
    const isReadable = headers['content-type']?.startsWith('text/html') && headers['content-encoding'] === undefined;
    if (status === 200 && manner === 'plain' && isReadable) return body;
    return {
      kind: 'failed',
      url,
      retry: 'never',
      reason: 'timeout',
      detail: 'no whole answer',
      status: 0,
      fetchedAt: 0,
    };
  },
} as unknown as ReadonlyMap<string, Answer>;

function crawlOf(
  traps: Partial<Config['traps']>,
  budget: number,
  records: RecordingJournal['records'] = [],
): PaperCrawl {
  const config = exactConfig({
    crawl: { budget, learn: 20, ordering: 'learned' },
    learn: { retrainEvery: 50 },
    traps: { ...DEFAULTS.traps, ...traps },
  });
  return paperCrawl(web, config, { tree, journal: RecordingJournal.holding(records) });
}

const scoreOf = ({ fetcher }: PaperCrawl, budget: number) =>
  scorePark(
    park,
    fetcher.asked.map((url): ParkVisit => ({ url, served: true })),
    budget,
  );

describe('a crawl of the trap park', () => {
  test('finds far more in the same number of requests than one that follows every link', async () => {
    const guarded = crawlOf({}, 500);
    await guarded.run();
    const open = crawlOf({ enabled: false }, 500);
    await open.run();
    const [with_, without] = [scoreOf(guarded, 500), scoreOf(open, 500)];
    expect(without.trapped).toBeGreaterThan(400);
    expect(with_.trapped).toBeLessThan(320);
    expect(with_.found).toBeGreaterThan(1.5 * without.found);
  });

  test('cut off anywhere and resumed fetches the same pages in the same order', async () => {
    const whole = crawlOf({}, 240);
    await whole.run();
    const { records } = whole.journal;
    for (const share of [0.3, 0.6, 0.9]) {
      const resumed = crawlOf({}, 240, records.slice(0, Math.floor(share * records.length)));
      await resumed.run();
      expect(resumed.journal.crawled()).toEqual(whole.journal.crawled());
    }
  });

  test('records copies with the page that they are copies of', async () => {
    const { run, journal } = crawlOf({}, 450);
    await run();
    const copies = journal.records.flatMap((record) =>
      record.kind === 'visit' && record.result === 'duplicate' ? [record] : [],
    );
    const pages = new Set(journal.pages().map(({ sequence }) => sequence));
    expect(copies.length).toBeGreaterThan(5);
    expect(new Set(copies.map(({ reason }) => reason))).toEqual(new Set(['same-content', 'near-duplicate']));
    expect(copies.filter(({ page }) => !pages.has(page))).toEqual([]);
  });
});

describe('a site whose overviews ask not to be stored', () => {
  const article = (n: number): string => `http://rail1.paper.test/article/${n}`;
  const month = (n: number): string => `http://rail0.paper.test/calendar/2026/${n}`;
  const list = (n: number): string => `http://rail1.paper.test/list/${n}`;
  const overview = (...links: readonly string[]): string =>
    `<html><head><meta name="robots" content="noindex"></head><body>${links.map((to) => `<a href="${to}">more</a>`).join(' ')}</body></html>`;
  const config = (budget: number): Config => exactConfig({ crawl: { budget, learn: 10, ordering: 'random' } });

  /** Every page of the first host names the calendar, every page of the second the lists, which alone name 30 articles. */
  function overviewWeb(): Map<string, Answer> {
    const web = paperWeb();
    const text = (i: number): string => web.get(paperUrl('rail', i)) as string;
    for (let i = 0; i < 60; i += 3) {
      web.set(paperUrl('rail', i), text(i).replace('</p>', ` <a href="${month(0)}">dates</a></p>`));
      web.set(paperUrl('rail', i + 1), text(i + 1).replace('</p>', ` <a href="${list(0)}">all</a></p>`));
    }
    for (let n = 0; n < 200; n++) web.set(month(n), overview(month(n + 1), month(n + 12)));
    for (let n = 0; n < 30; n++) {
      web.set(list(n), overview(list(n + 1), article(n)));
      web.set(article(n), text(n).replace('<p>', `<p>article${n} `));
    }
    return web;
  }
  const askedFor = ({ fetcher }: PaperCrawl, folder: string): number =>
    fetcher.asked.filter((url) => url.includes(folder)).length;

  test('is left for the end where they lead to no page, and read to the end where they do', async () => {
    const crawl = paperCrawl(overviewWeb(), config(180));
    await crawl.run();
    expect([askedFor(crawl, '/list/'), askedFor(crawl, '/article/')]).toEqual([31, 30]);
    expect(askedFor(crawl, '/calendar/')).toBeLessThan(20);
  });

  test('is crawled in the same order when the crawl is resumed', async () => {
    const whole = paperCrawl(overviewWeb(), config(100));
    await whole.run();
    const { records } = whole.journal;
    for (let cut = 20; cut < records.length; cut += 9) {
      const resumed = paperCrawl(overviewWeb(), config(100), {
        journal: RecordingJournal.holding(records.slice(0, cut)),
      });
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  });
});

describe('what a page says of itself (rel=canonical)', () => {
  const words =
    'The viaduct carries the railway over the river and its locomotive depot kept a track gauge of its own until steam gave way to diesel';
  const others = 'Roast the garlic with butter and knead the dough while the oven warms then simmer the broth';
  const rail = (i: number): string => `http://rail${i % 3}.paper.test/page/${i}`;
  const html = (text: string, canonical: string, links: readonly string[] = []): string =>
    `<html><head><title>A page</title><link rel="canonical" href="${canonical}"></head><body><p>${text}</p>${links
      .map((url) => `<a href="${url}">more</a>`)
      .join(' ')}</body></html>`;

  test('is believed of pages of its own site that say nearly the same, and of nothing else', async () => {
    const original = 'http://a.test/original';
    const start = 'http://a.test/';
    const web = new Map<string, Answer>([
      [start, html(`${words} start`, start, [original])],
      [original, html(words, original, ['http://a.test/copy', 'http://a.test/liar', 'http://thief.test/'])],
      ['http://a.test/copy', html(`${words} indeed`, original)],
      ['http://a.test/liar', html(others, original)],
      ['http://thief.test/', html(`${words} stolen`, original)],
      [rail(0), html(words.slice(20), rail(0))],
      [rail(1), html(words.slice(0, 90), rail(1))],
    ]);
    const tree = topicTree(
      [
        {
          name: 'railways',
          examples: [
            { kind: 'url', url: rail(0) },
            { kind: 'url', url: rail(1) },
          ],
          seeds: [start],
        },
      ],
      [{ kind: 'url', url: 'http://o.test/' }],
    );
    web.set('http://o.test/', html('Nothing of interest is said here about people and places of the world', ''));
    const config = exactConfig({ crawl: { budget: 20, learn: 0 }, traps: { nearDuplicateBits: 4, staleBits: 14 } });
    const { run, journal } = paperCrawl(web, config, { tree });
    await run();
    const copies = journal.records.flatMap((r) => (r.kind === 'visit' && r.result === 'duplicate' ? [r] : []));
    expect(copies.map(({ url, reason }) => [url, reason])).toEqual([['http://a.test/copy', 'canonical']]);
    expect(journal.crawled()).toContain('http://a.test/liar');
    expect(journal.crawled()).toContain('http://thief.test/');
  });
});
