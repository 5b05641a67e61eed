import { describe, expect, test } from 'vitest';
import type { FetchOutcome } from '../../../src/core/index.ts';
import { topicTree } from '../../../src/core/index.ts';
import { Reachability } from '../../../src/engine/fetching/reachability.ts';
import { type Answer, at, exactConfig, type PaperCrawl, paperCrawl, paperUrl, paperWeb } from '../support/paper-web.ts';

const silence = (host: string, reason = 'dns', status = 0): FetchOutcome => {
  return { kind: 'failed', url: at(`http://${host}/`), retry: 'later', reason, detail: '', status, fetchedAt: 0 };
};
const gone = (host: string): FetchOutcome => {
  return { kind: 'refused', url: at(`http://${host}/`), reason: 'robots', detail: '', fetchedAt: 0 };
};

/** A machine whose network comes and goes; `looks` says for each look at a site that answered whether it does. */
function machine(...looks: readonly boolean[]) {
  const told: string[] = [];
  const asked: string[] = [];
  const state = { isWanted: true, meanwhile: async (): Promise<unknown> => undefined };
  const reachability = new Reachability({
    isReachable: async (url) => {
      asked.push(url);
      return looks[Math.min(asked.length, looks.length) - 1] ?? false;
    },
    sleep: async (ms) => {
      told.push(`slept ${ms}`);
      await state.meanwhile();
    },
    isWanted: () => state.isWanted,
    onLost: () => told.push('lost'),
    onBack: () => told.push('back'),
  });
  return { reachability, told, asked, state };
}

describe('the network is taken for lost', () => {
  test('when three sites in a row are silent, and those that answered before are, too', async () => {
    const { reachability, told, asked } = machine(false, false, false, true);
    expect(await reachability.wasLost(gone('a.test'))).toBe(false);
    expect(await reachability.wasLost(silence('b.test', 'connect'))).toBe(false);
    expect(await reachability.wasLost(silence('www.b.test', 'timeout'))).toBe(false);
    expect(await reachability.wasLost(silence('c.test', 'reset'))).toBe(false);
    expect(await reachability.wasLost(silence('d.test'))).toBe(true);
    expect(told).toEqual(['lost', 'slept 1000', 'slept 2000', 'slept 4000', 'back']);
    expect(new Set(asked)).toEqual(new Set(['http://a.test/']));
  });

  test('when the machine says twice in a row that it has no way out, however few sites there are', async () => {
    const silent = ['EAI_AGAIN', 'ECONNREFUSED'].map(
      (code) => `robots.txt: no name server answers for b.test (${code})`,
    );
    for (const detail of ['connect ENETUNREACH 192.0.2.1:80', ...silent]) {
      const { reachability, told } = machine(false, true);
      const failed = { ...silence('a.test', 'connect'), detail } as FetchOutcome;
      await reachability.wasLost(gone('a.test'));
      expect(await reachability.wasLost(failed)).toBe(false);
      expect(await reachability.wasLost(failed)).toBe(true);
      expect(told).toEqual(['lost', 'slept 1000', 'back']);
    }
  });

  test('as soon as the proxy does not answer', async () => {
    const { reachability, told } = machine(false, true);
    const failed = { ...silence('a.test', 'connect'), detail: 'the proxy does not answer: connect ECONNREFUSED' };
    await reachability.wasLost(gone('a.test'));
    expect(await reachability.wasLost(failed as FetchOutcome)).toBe(true);
    expect(told).toEqual(['lost', 'slept 1000', 'back']);
  });

  test('by all that were under way at that moment, who wait together', async () => {
    const { reachability, told } = machine(false, true);
    await reachability.wasLost(gone('a.test'));
    const hosts = ['b.test', 'c.test', 'd.test', 'e.test', 'e.test'];
    const waited = await Promise.all(hosts.map((host) => reachability.wasLost(silence(host))));
    expect(waited).toEqual([false, false, true, true, true]);
    expect(told).toEqual(['lost', 'slept 1000', 'back']);
  });

  test('when the sites that answered an earlier run do not, either', async () => {
    const { reachability, told, asked } = machine(false, true);
    reachability.recall(at('http://a.test/page'));
    for (const host of ['b.test', 'c.test']) expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(await reachability.wasLost(silence('d.test'))).toBe(true);
    expect([told, asked[0]]).toEqual([['lost', 'slept 1000', 'back'], 'http://a.test/page']);
  });

  test('until anybody answers what was asked before', async () => {
    const { reachability, told, state } = machine(false, false, true);
    state.meanwhile = () => reachability.wasLost(gone('e.test'));
    await reachability.wasLost(gone('a.test'));
    for (const host of ['b.test', 'c.test']) await reachability.wasLost(silence(host));
    expect(await reachability.wasLost(silence('d.test'))).toBe(true);
    expect(told).toEqual(['lost', 'slept 1000', 'back']);
  });

  test('for no longer than anybody waits', async () => {
    const { reachability, state, told } = machine(false);
    await reachability.wasLost(gone('a.test'));
    for (const host of ['b.test', 'c.test']) await reachability.wasLost(silence(host));
    const waiting = reachability.wasLost(silence('d.test'));
    state.isWanted = false;
    expect(await waiting).toBe(true);
    expect(told).not.toContain('back');
  });
});

describe('the network is not taken for lost', () => {
  test('and those that answered are asked once a second at the most, however many names cannot be resolved', async () => {
    const { reachability, told, asked } = machine(true);
    const nameless = { ...silence('b.test'), detail: 'no name server answers for b.test' } as FetchOutcome;
    await reachability.wasLost(gone('a.test'));
    for (let i = 0; i < 6; i++) expect(await reachability.wasLost(nameless)).toBe(false);
    expect(asked).toHaveLength(3);
    expect(told).toEqual([expect.stringMatching(/^slept \d+$/), expect.stringMatching(/^slept \d+$/)]);
  });

  test('while a site that answered before does so now', async () => {
    const { reachability, told, asked } = machine(true);
    await reachability.wasLost(gone('a.test'));
    for (const host of ['b.test', 'c.test', 'd.test']) expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(asked).toHaveLength(1);
    // Nor is anybody asked for each of the next two.
    for (const host of ['e.test', 'f.test']) expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(asked).toHaveLength(1);
    expect(told).toEqual([]);
  });

  test('when somebody answered in between, if only with an error', async () => {
    const { reachability, asked } = machine(false);
    await reachability.wasLost(gone('a.test'));
    for (const host of ['b.test', 'c.test']) await reachability.wasLost(silence(host));
    await reachability.wasLost(silence('d.test', 'http', 503));
    for (const host of ['b.test', 'c.test']) await reachability.wasLost(silence(host));
    expect(asked).toEqual([]);
  });

  test('when one site is down, however often it is asked', async () => {
    const { reachability, asked } = machine(false);
    await reachability.wasLost(gone('a.test'));
    const refusing = { ...silence('a.test', 'connect'), detail: 'connect ECONNREFUSED 192.0.2.1:80' } as FetchOutcome;
    for (let n = 0; n < 9; n++) expect(await reachability.wasLost(refusing)).toBe(false);
    expect(asked).toEqual([]);
  });

  test.each([
    ['name that does not exist', { reason: 'dns' }],
    ['certificate that is not trusted', { reason: 'tls' }],
    ['private address', { kind: 'refused', reason: 'private-address' }],
    ['port of another service', { kind: 'refused', reason: 'port' }],
  ])('because of a %s: it shows that there is a network, and is nobody to ask later', async (_, what) => {
    const { reachability, asked } = machine(false);
    await reachability.wasLost({ ...silence('a.test'), retry: 'never', ...what } as FetchOutcome);
    for (const host of ['b.test', 'c.test', 'd.test', 'e.test'])
      expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(asked).toEqual([]);
  });

  test('before anybody has answered at all', async () => {
    const { reachability, asked } = machine(false);
    for (const host of ['b.test', 'c.test', 'd.test', 'e.test'])
      expect(await reachability.wasLost(silence(host))).toBe(false);
    expect(asked).toEqual([]);
  });
});

describe('a crawl whose network goes away', () => {
  /** The paper web with a site for each of its hosts. */
  const sites = (text: string): string => text.replaceAll('.paper.test', '.test');
  const web = new Map([...paperWeb()].map(([url, answer]): [string, Answer] => [sites(url), sites(answer as string)]));
  const tree = topicTree(
    [{ name: 'railways', examples: [0, 1, 2].map((i) => ({ kind: 'url' as const, url: sites(paperUrl('rail', i)) })) }],
    [0, 1, 2, 3, 4, 5].map((i) => ({ kind: 'url' as const, url: sites(paperUrl('food', i)) })),
  );

  /** From the 30th page on nothing answers, until the network was looked for so often. */
  function crawlWithOutage(looks: number): PaperCrawl & { readonly isReachable: () => Promise<boolean> } {
    const paper = paperCrawl(web, exactConfig(), { tree });
    const fetch = paper.fetcher.fetch.bind(paper.fetcher);
    let left = looks;
    const isReachable = async (): Promise<boolean> => left === 0 || --left === 0;
    const away = (url: string): FetchOutcome => ({ ...silence('x.test'), url: at(url) });
    Object.assign(paper.fetcher, {
      isReachable,
      fetch: async (url: ReturnType<typeof at>) =>
        left > 0 && paper.fetcher.asked.length >= 30 ? away(url) : await fetch(url),
    });
    return { ...paper, isReachable };
  }

  test('waits, blames no host, says so, and finds what it would have found', async () => {
    const { run, journal, events } = crawlWithOutage(4);
    expect(await run()).toMatchObject({ reason: 'budget', status: { fetched: 60, hosts: { bad: 0 } } });
    expect(events.flatMap((event) => (event.kind === 'alarm' ? [event.code] : []))).toEqual(
      expect.arrayContaining(['offline', 'online']),
    );
    const failed = journal.records.filter((record) => record.kind === 'visit' && record.result === 'failed');
    // Of three silent sites the third rouses doubt; a site may be asked twice before.
    expect(failed.length).toBeGreaterThanOrEqual(2);
    expect(failed.length).toBeLessThanOrEqual(4);
    expect(failed.every((record) => record.kind === 'visit' && record.retried)).toBe(true);
  });

  test('before it is resumed waits as well', async () => {
    const first = paperCrawl(web, exactConfig({ crawl: { budget: 30 } }), { tree });
    await first.run();
    const { run, journal, fetcher } = paperCrawl(web, exactConfig(), { tree, journal: first.journal });
    const before = journal.records.length;
    const fetch = fetcher.fetch.bind(fetcher);
    // Three sites are asked each time.
    let left = 4;
    Object.assign(fetcher, {
      isReachable: async () => --left <= 0,
      fetch: async (url: ReturnType<typeof at>) =>
        left > 0 ? { ...silence('x.test'), url, detail: 'no name server answers (EAI_AGAIN)' } : await fetch(url),
    });
    expect(await run()).toMatchObject({ reason: 'budget', status: { hosts: { bad: 0 } } });
    const failed = journal.records.slice(before).flatMap((r) => (r.kind === 'visit' ? [r.retried] : []));
    expect(failed).toEqual([true]);
  });

  test('ends when it is told to, and the page that waited is none of its losses', async () => {
    const { run, crawl, journal, events } = crawlWithOutage(1_000);
    const running = run();
    while (!events.some((event) => event.kind === 'alarm' && event.code === 'offline'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    crawl.stop();
    expect(await running).toMatchObject({ reason: 'stopped' });
    const visits = journal.records.filter((record) => record.kind === 'visit');
    expect(visits.every((visit) => visit.kind === 'visit' && visit.retried)).toBe(true);
    expect(visits.length).toBeLessThanOrEqual(4);
  });
});

test('a crawl that may open no more files waits for one to be closed: no host is blamed', async () => {
  const { run, fetcher, journal, events } = paperCrawl(paperWeb(), exactConfig());
  const fetch = fetcher.fetch.bind(fetcher);
  let left = 2;
  fetcher.fetch = async (url) => {
    if (fetcher.asked.length < 30 || left-- <= 0) return await fetch(url);
    return { ...silence('x.test', 'connect'), url, detail: 'robots.txt: connect EMFILE 192.0.2.1:80' } as FetchOutcome;
  };
  expect(await run()).toMatchObject({ reason: 'budget' });
  expect(journal.records.filter((record) => record.kind === 'visit')).toEqual([]);
  expect(events.filter((event) => event.kind === 'alarm' && event.code === 'no-files')).toHaveLength(1);
});
