import { describe, expect, test } from 'vitest';
import {
  type CanonicalUrl,
  type Config,
  type CrawlEvent,
  canonicalize,
  DEFAULTS,
  topicTree,
} from '../../src/core/index.ts';
import { HostClocks, type LinkOffer, makeOrdering } from '../../src/crawl/index.ts';
import { CrawlState } from '../../src/engine/state/crawl-state.ts';
import { replay } from '../../src/engine/state/replay.ts';
import { type ParkVisit, scorePark, TrapPark } from '../../src/lab/index.ts';
import {
  type Answer,
  exactConfig,
  type PaperCrawl,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
  topicTreeWith,
} from './support/paper-web.ts';

const park = new TrapPark(3);
const farms = new TrapPark(3, { farms: true });
const topics = [
  { name: 'bees', examples: park.examples.map((url) => ({ kind: 'url' as const, url })), seeds: [...park.seeds] },
];
const tree = topicTree(
  topics,
  park.others.map((url) => ({ kind: 'url' as const, url })),
);

/** The park as a paper web: what drips, pours, breaks off or is not what it says is a failure at once. */
const webOf = (park: TrapPark): ReadonlyMap<string, Answer> => ({ get: (url: string) => answerOf(park, url) }) as never;

function answerOf(park: TrapPark, address: string): Answer {
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
}

function crawlOf(
  traps: Partial<Config['traps']>,
  budget: number,
  { records = [], of = park }: { readonly records?: RecordingJournal['records']; readonly of?: TrapPark } = {},
): PaperCrawl {
  const config = exactConfig({
    crawl: { budget, learn: 20, ordering: 'learned' },
    learn: { retrainEvery: 50 },
    traps: { ...DEFAULTS.traps, ...traps },
  });
  return paperCrawl(webOf(of), config, { tree, journal: RecordingJournal.holding(records) });
}

const scoreOf = ({ fetcher }: PaperCrawl, budget: number, of = park) =>
  scorePark(
    of,
    fetcher.asked.map((url): ParkVisit => ({ url, served: true })),
    budget,
  );

describe('a crawl of the trap park', () => {
  test('finds far more with the same requests than a crawl that follows every link', async () => {
    const guarded = crawlOf({}, 500);
    await guarded.run();
    const open = crawlOf({ enabled: false }, 500);
    await open.run();
    const [with_, without] = [scoreOf(guarded, 500), scoreOf(open, 500)];
    expect(without.trapped).toBeGreaterThan(400);
    expect(with_.trapped).toBeLessThan(320);
    expect(with_.found).toBeGreaterThan(1.5 * without.found);
  });

  test('fetches the same pages in the same order if cut anywhere and resumed', async () => {
    const whole = crawlOf({}, 240);
    await whole.run();
    const { records } = whole.journal;
    for (const share of [0.3, 0.6, 0.9]) {
      const resumed = crawlOf({}, 240, { records: records.slice(0, Math.floor(share * records.length)) });
      await resumed.run();
      expect(resumed.journal.crawled()).toEqual(whole.journal.crawled());
    }
  });

  test('records copies with their original page', async () => {
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

describe('a crawl of a park with endless text in the words of the topic', () => {
  // A section of accepted pages has six times as many.
  const share = { sectionPages: 1 };

  test('finds more if no section exceeds its share while others wait', async () => {
    const [fair, greedy] = [crawlOf(share, 1000, { of: farms }), crawlOf({ sectionPages: 0 }, 1000, { of: farms })];
    await fair.run();
    await greedy.run();
    const [with_, without] = [scoreOf(fair, 1000, farms), scoreOf(greedy, 1000, farms)];
    expect(without.found).toBeLessThan(165);
    expect(with_.found).toBeGreaterThan(190);
  });

  test('fetches the same pages in the same order if cut anywhere and resumed', async () => {
    const whole = crawlOf(share, 300, { of: farms });
    await whole.run();
    const { records } = whole.journal;
    for (const part of [0.4, 0.7, 0.9]) {
      const kept = records.slice(0, Math.floor(part * records.length));
      const resumed = crawlOf(share, 300, { records: kept, of: farms });
      await resumed.run();
      expect(resumed.journal.crawled()).toEqual(whole.journal.crawled());
    }
  });
});

describe('an endless site that no other site links to', () => {
  const texts = (n: number): string => `http://endless.test/texts/${n}`;
  const config = (sectionPages: number, budget = 150): Config =>
    exactConfig({ crawl: { budget, learn: 10, ordering: 'learned' }, traps: { sectionPages } });

  const url = (address: string) => ({ kind: 'url' as const, url: address });
  /** Starts there and at an honest page. */
  const tree = topicTree(
    [
      {
        name: 'railways',
        examples: [0, 1, 2].map((n) => url(paperUrl('rail', n))),
        seeds: ['http://endless.test/', paperUrl('rail', 3)],
      },
    ],
    [0, 1, 2, 3, 4, 5].map((n) => url(paperUrl('food', n))),
  );
  const crawlOf = (config: Config, journal = new RecordingJournal()) =>
    paperCrawl(endlessWeb(), config, { tree, journal });

  function endlessWeb(): Map<string, Answer> {
    const web = paperWeb();
    const more = paperWeb(400);
    const text = (n: number): string => (more.get(paperUrl('rail', 100 + n)) as string).replace(/<a .*<\/a>/, '');
    const naming = (html: string, ...urls: readonly string[]): string =>
      html.replace('</p>', `${urls.map((url) => ` <a href="${url}">rail</a>`).join('')}</p>`);
    for (let n = 1; n < 200; n++) web.set(texts(n), naming(text(n), texts(2 * n), texts(2 * n + 1)));
    web.set('http://endless.test/', naming(text(0), texts(1)));
    return web;
  }
  const toldOf = ({ events }: PaperCrawl) =>
    events.flatMap((event) => (event.kind === 'alarm' && event.code === 'endless' ? [event] : []));

  test('is postponed at the limit of its share, and read on if nothing better waits', async () => {
    const [fair, greedy, long] = [crawlOf(config(1, 100)), crawlOf(config(0, 100)), crawlOf(config(1))];
    for (const { run } of [fair, greedy, long]) await run();
    const textsOf = ({ journal }: PaperCrawl): number =>
      journal.crawled().filter((url) => url.startsWith('http://endless.test/texts/')).length;
    const railsOf = ({ journal }: PaperCrawl): number =>
      journal.crawled().filter((url) => url.includes('/rail')).length;
    // Without shares, only the guard of patterns holds the texts back.
    expect(textsOf(greedy)).toBeGreaterThanOrEqual(50);
    expect(textsOf(fair)).toBeLessThanOrEqual(textsOf(greedy) / 2);
    // All that can be reached of the others, 57 less the one that is its seed.
    expect(railsOf(long)).toBe(56);
    expect(textsOf(long)).toBeGreaterThan(textsOf(fair) + 20);
  });

  test('has waiting links of equal weight, whenever they were found', async () => {
    const { crawl, network } = config(1);
    const random = { ...config(1), crawl: { ...crawl, ordering: 'random' as const } };
    const { run, journal } = crawlOf(random);
    await run();
    const hosts = new HostClocks({ ...network, maxTries: 3 });
    const state = new CrawlState(tree, random, { hosts, resolve: () => {} });
    await replay(state, journal);
    const { priorityOf } = makeOrdering('random', { seed: crawl.seed, tunnelDecay: 1 });
    const waiting = state.frontier.waitingOn('endless.test');
    const weights = waiting.map(({ url, priority }) => priority / priorityOf({ url } as LinkOffer));
    expect(waiting.length).toBeGreaterThan(10);
    expect(new Set(weights)).toEqual(new Set([1 / 16]));
  });

  test('is reported once with its pages and linking sites, also across a resume', async () => {
    const whole = crawlOf(config(1));
    await whole.run();
    expect(toldOf(whole)).toMatchObject([{ data: { place: 'endless.test/texts/…' } }]);
    expect(toldOf(whole)[0]?.message).toContain(
      '24 pages fetched from endless.test/texts/…; no other site links to it',
    );
    const resumed = crawlOf(config(1), RecordingJournal.holding(whole.journal.records));
    await resumed.run();
    expect(toldOf(resumed)).toEqual([]);
  });

  test('is crawled in the same order if the crawl is resumed', async () => {
    const whole = crawlOf(config(1));
    await whole.run();
    const { records } = whole.journal;
    for (let cut = 20; cut < records.length; cut += 7) {
      const resumed = crawlOf(config(1), RecordingJournal.holding(records.slice(0, cut)));
      await resumed.run();
      expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
    }
  });
});

describe('a site with noindex overview pages', () => {
  const article = (n: number): string => `http://rail1.paper.test/article/${n}`;
  const month = (n: number): string => `http://rail0.paper.test/calendar/2026/${n}`;
  const list = (n: number): string => `http://rail1.paper.test/list/${n}`;
  const overview = (...links: readonly string[]): string =>
    `<html><head><meta name="robots" content="noindex"></head><body>${links.map((to) => `<a href="${to}">more</a>`).join(' ')}</body></html>`;
  const config = (budget: number): Config => exactConfig({ crawl: { budget, learn: 10, ordering: 'random' } });

  /** Every page of the first host names the calendar, every page of the second the lists, which alone name 30 articles. */
  /** Twelve words that no other page has. */
  const ownWords = (n: number): string => {
    const letters = (i: number): string => Array.from(String(i), (digit) => 'bdfgklmnpr'[Number(digit)]).join('a');
    return Array.from({ length: 12 }, (_, i) => `qu${letters(100 * (n + 1) + i)}`).join(' ');
  };
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
      web.set(article(n), text(n).replace('<p>', `<p>${ownWords(n)}. `));
    }
    return web;
  }
  const askedFor = ({ fetcher }: PaperCrawl, folder: string): number =>
    fetcher.asked.filter((url) => url.includes(folder)).length;

  test('is postponed if they lead to no page, and read completely if they do', async () => {
    const crawl = paperCrawl(overviewWeb(), config(180));
    await crawl.run();
    expect([askedFor(crawl, '/list/'), askedFor(crawl, '/article/')]).toEqual([31, 30]);
    expect(askedFor(crawl, '/calendar/')).toBeLessThan(20);
  });

  test('is crawled in the same order if the crawl is resumed', async () => {
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

describe('the canonical URL of a page (rel=canonical)', () => {
  const words =
    'The viaduct carries the railway over the river and its locomotive depot kept a track gauge of its own until steam gave way to diesel';
  const others = 'Roast the garlic with butter and knead the dough while the oven warms then simmer the broth';
  const rail = (i: number): string => `http://rail${i % 3}.paper.test/page/${i}`;
  const html = (text: string, canonical: string, links: readonly string[] = []): string =>
    `<html><head><title>A page</title><link rel="canonical" href="${canonical}"></head><body><p>${text}</p>${links
      .map((url) => `<a href="${url}">more</a>`)
      .join(' ')}</body></html>`;

  test('is trusted for nearly equal pages of its own site, and for no others', async () => {
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

test('the harvest after relearning skips what relearning found worthless', async () => {
  const [web, isOld] = [paperWeb(), /\/old\/\d+$/];
  const old = Array.from({ length: 30 }, (_, i) => `<a href="http://rail0.paper.test/old/${i}">x</a>`).join(' ');
  for (let i = 6; i < 60; i++)
    web.set(paperUrl('rail', i), (web.get(paperUrl('rail', i)) as string).replace('<p>', `<p>${old} `));
  const onEvent = (event: CrawlEvent): void => {
    if (event.kind !== 'page' || isAgain || made.crawl.status().phase !== 'harvesting') return;
    isAgain = true;
    made.crawl.steer({ kind: 'set-limit', limit: 'learn', value: 20 });
    made.crawl.steer({ kind: 'begin-learning' });
  };
  let isAgain = false;
  const config = exactConfig({ crawl: { budget: 60, learn: 1, ordering: 'breadth-first' } });
  const made: PaperCrawl = paperCrawl(web, config, { onEvent, tree: topicTreeWith([0, 1, 2]) });
  await made.run();
  expect(made.journal.records.filter((record) => record.kind === 'phase').length).toBeGreaterThan(3);
  expect(made.fetcher.asked.filter((url) => isOld.test(url))).toHaveLength(config.traps.wastedFetches);
});
