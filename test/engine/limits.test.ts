import { describe, expect, test } from 'vitest';
import { registeredDomain, type TopicSpec, type TopicTree, topicTree } from '../../src/core/index.ts';
import {
  type Answer,
  at,
  exactConfig,
  type Overrides,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
} from './support/paper-web.ts';

/** Both subjects as topics. */
function twoTopics(rail: Partial<TopicSpec> = {}, food: Partial<TopicSpec> = {}): TopicTree {
  const examples = (subject: 'rail' | 'food') =>
    [0, 1, 2].map((i) => ({ kind: 'url' as const, url: paperUrl(subject, i) }));
  const topics = [
    { name: 'railways', examples: examples('rail'), ...rail },
    { name: 'cooking', examples: examples('food'), ...food },
  ];
  return topicTree(topics, []);
}

/** The paper web with a registered domain for each host. */
function webOfSites(): Map<string, Answer> {
  const moved = (text: string): string => text.replaceAll(/(rail|food)(\d)\.paper\.test/g, '$1$2.test');
  return new Map(
    [...paperWeb()].map(([url, answer]) => [moved(url), typeof answer === 'string' ? moved(answer) : answer]),
  );
}

function counts(
  journal: RecordingJournal,
  keyOf: (page: ReturnType<RecordingJournal['pages']>[number]) => string,
): Map<string, number> {
  const found = new Map<string, number>();
  for (const page of journal.pages())
    if (page.role === 'crawled') found.set(keyOf(page), (found.get(keyOf(page)) ?? 0) + 1);
  return found;
}

describe.each([1, 8])('with %i parallel fetches', (concurrency) => {
  const config = (crawl: Overrides['crawl']) =>
    exactConfig({ crawl: { budget: 80, learn: 0, ...crawl }, network: { concurrency, perHost: 8, perDomain: 8 } });

  test('a topic stays within its budget, and the other topic continues', async () => {
    const { run, journal } = paperCrawl(paperWeb(), config({}), { tree: twoTopics({ budget: 12 }) });
    expect(await run()).toMatchObject({ reason: 'budget', spent: { topics: ['railways'], sites: 0 } });
    expect(counts(journal, (page) => page.origin.topic)).toEqual(
      new Map([
        ['railways', 12],
        ['cooking', 68],
      ]),
    );
  });

  test('learning and the whole crawl stay within their page limits', async () => {
    const { run, journal } = paperCrawl(paperWeb(), config({ learn: 21, budget: 43 }), { tree: twoTopics() });
    expect(await run()).toMatchObject({ reason: 'budget', status: { fetched: 43 } });
    const harvest = journal.records.findIndex((record) => record.kind === 'phase' && record.phase === 'harvesting');
    const learned = journal.records.slice(0, harvest).filter((r) => r.kind === 'page' && r.role === 'crawled');
    expect(learned).toHaveLength(21);
  });

  test('maxPagesPerTopic applies to every topic, and ends the crawl if all reached it', async () => {
    const { run, journal } = paperCrawl(paperWeb(), config({ maxPagesPerTopic: 15 }), { tree: twoTopics() });
    const spent = { topics: ['railways', 'cooking'], sites: 0 };
    expect(await run()).toMatchObject({ reason: 'frontier-dry', spent });
    expect(counts(journal, (page) => page.origin.topic)).toEqual(
      new Map([
        ['railways', 15],
        ['cooking', 15],
      ]),
    );
  });

  test('maxPagesPerSite applies to every site, without training pages', async () => {
    const [one, two, three] = ['http://rail0.test/page/0', 'http://rail1.test/page/1', 'http://rail2.test/page/2'];
    const others = [0, 1, 2].map((i) => ({ kind: 'url' as const, url: `http://food${i}.test/page/${i}` }));
    const examples = [one, two, three].map((url) => ({ kind: 'url' as const, url: url! }));
    const tree = topicTree([{ name: 'railways', examples }], others);
    const { run, journal } = paperCrawl(webOfSites(), config({ maxPagesPerSite: 7, ordering: 'breadth-first' }), {
      tree,
    });
    const { reason, spent } = await run();
    expect(reason).toBe('frontier-dry');
    const perSite = counts(journal, (page) => registeredDomain(page.host));
    expect(spent).toEqual({ topics: [], sites: [...perSite.values()].filter((pages) => pages >= 7).length });
    expect([...perSite.keys()].sort()).toEqual([
      'food0.test',
      'food1.test',
      'food2.test',
      'rail0.test',
      'rail1.test',
      'rail2.test',
    ]);
    expect([...perSite.values()]).toEqual(Array(6).fill(7));
  });
});

test('learning counts found pages, not seeds that are copies or noindex', async () => {
  const web = paperWeb();
  const [copy, hidden] = ['http://rail0.paper.test/copy', 'http://rail0.paper.test/hidden'];
  const text = (i: number): string => web.get(paperUrl('rail', i)) as string;
  web.set(copy, text(0));
  web.set(hidden, text(6).replace('<head>', '<head><meta name="robots" content="noindex">'));
  const tree = twoTopics({ seeds: [copy, hidden, paperUrl('rail', 3)] });
  const { run, journal } = paperCrawl(web, exactConfig({ crawl: { budget: 20, learn: 4 } }), { tree });
  await run();
  const { records } = journal;
  const phases = records.flatMap((record, i) => (record.kind === 'phase' ? [[record.phase, i] as const] : []));
  expect(phases.map(([phase]) => phase)).toEqual(['learning', 'harvesting']);
  const learned = records.slice(phases[0]![1], phases[1]![1]);
  expect(learned.filter((r) => r.kind === 'visit').map(({ result }) => result)).toEqual(['duplicate', 'noindex']);
  expect(learned.filter((r) => r.kind === 'page' && r.origin.via === 'link')).toHaveLength(4);
});

test('requests a failing redirect target at most crawl.maxTries times', async () => {
  const web = paperWeb();
  const target = 'http://rail1.paper.test/late';
  const trouble = { kind: 'failed', retry: 'later', reason: 'http', detail: '', status: 503, fetchedAt: 0 } as const;
  web.set(target, { ...trouble, url: at(target) });
  for (let i = 0; i < 12; i++) {
    const url = at(`http://rail0.paper.test/moved/${i}`);
    web.set(url, { kind: 'redirected', url, target: at(target), status: 301, permanent: true, fetchedAt: 0 });
    const from = paperUrl('rail', i);
    web.set(from, (web.get(from) as string).replace('<p>', `<p><a href="${url}">x</a> <a href="${target}">y</a> `));
  }
  const crawl = { budget: 200, learn: 0, maxTries: 4 };
  const { run, fetcher } = paperCrawl(web, exactConfig({ crawl, network: { backoffMs: 0 } }), { tree: twoTopics() });
  await run();
  expect(fetcher.asked.filter((url) => url.includes('/moved/')).length).toBeGreaterThan(6);
  expect(fetcher.asked.filter((url) => url === target)).toHaveLength(4);
});

describe('a topic whose links look worse than those of another', () => {
  test('still gets its share of the fetches', async () => {
    // Pages of cooking say little of it: their confidence is low throughout.
    const web = paperWeb();
    const dull = (text: string): string =>
      text.replaceAll(/\b(flour|butter|oven|recipe|dough|sugar|vanilla)\b/g, 'place');
    for (let i = 3; i < 60; i++) web.set(paperUrl('food', i), dull(web.get(paperUrl('food', i)) as string));
    const share = async (fairShare: number): Promise<number> => {
      const config = exactConfig({
        crawl: { budget: 40, learn: 0, ordering: 'confidence', fairShare },
        learn: { maxArchetypes: 0 },
      });
      const { run, journal } = paperCrawl(web, config, { tree: twoTopics() });
      await run();
      return counts(journal, (page) => page.origin.topic).get('cooking') ?? 0;
    };
    const [without, half, whole] = [await share(0), await share(0.5), await share(1)];
    expect(half).toBeGreaterThanOrEqual(8);
    expect(without).toBeLessThan(half);
    expect(whole).toBeGreaterThanOrEqual(half);
  });

  test('gets the same share after the crawl was stopped and resumed', async () => {
    const config = exactConfig({ crawl: { budget: 50, learn: 10 } });
    const whole = paperCrawl(paperWeb(), config, { tree: twoTopics({ budget: 20 }) });
    await whole.run();
    for (const cut of [12, 25, 40]) {
      const journal = RecordingJournal.holding(whole.journal.records.slice(0, cut));
      const resumed = paperCrawl(paperWeb(), config, { tree: twoTopics({ budget: 20 }), journal });
      await resumed.run();
      expect(resumed.journal.crawled()).toEqual(whole.journal.crawled());
    }
  });
});
