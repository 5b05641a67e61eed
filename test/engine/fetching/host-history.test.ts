import { describe, expect, test } from 'vitest';
import { type FetchOutcome, hostOf, type JournalRecord, type VisitRecord } from '../../../src/core/index.ts';
import { HostClocks } from '../../../src/crawl/index.ts';
import { HostHistory } from '../../../src/engine/fetching/host-history.ts';
import type { Pinned } from '../../../src/engine/state/jobs.ts';
import {
  type Answer,
  at,
  exactConfig,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
  topicTreeWith,
} from '../support/paper-web.ts';

const HOUR = 3_600_000;

/** A page whose host is in trouble, at the time of the clock. */
function trouble(url: string, fetchedAt: number, more: Partial<FetchOutcome & { kind: 'failed' }> = {}): Answer {
  const why = { reason: 'http', detail: 'HTTP status 503', status: 503, fetchedAt };
  return { kind: 'failed', url: at(url), retry: 'later', ...why, ...more } as Answer;
}

/** The paper web with all pages of rail1 in trouble. */
function webInTrouble(fetchedAt: number, more: Partial<FetchOutcome & { kind: 'failed' }> = {}): Map<string, Answer> {
  const web = paperWeb();
  for (let i = 4; i < 60; i += 3) web.set(paperUrl('rail', i), trouble(paperUrl('rail', i), fetchedAt, more));
  return web;
}

const config = exactConfig({ crawl: { budget: 20, learn: 5 }, network: { backoffMs: HOUR, backoffMaxMs: 10 * HOUR } });

/** Crawls until the host failed once, then resumes at another time; returns the requests to the host. */
async function resumedAt(later: number, web: Map<string, Answer>): Promise<string[]> {
  const first = paperCrawl(web, config, { now: () => 1e12 });
  await first.run();
  const failed = first.journal.records.findIndex((record) => record.kind === 'visit' && record.result === 'failed');
  expect(failed).toBeGreaterThan(0);
  const journal = RecordingJournal.holding(first.journal.records.slice(0, failed + 1));
  const second = paperCrawl(web, config, { journal, now: () => later });
  await second.run();
  return second.fetcher.asked.filter((url) => url.startsWith('http://rail1.'));
}

describe('a failing host at the end of the process', () => {
  test('keeps its pause if the crawl is resumed', async () => {
    expect(await resumedAt(1e12 + HOUR / 2, webInTrouble(1e12))).toEqual([]);
  });

  test('is requested again after the pause', async () => {
    expect((await resumedAt(1e12 + 2 * HOUR, webInTrouble(1e12))).length).toBeGreaterThan(0);
  });

  test('keeps the pause that it asked for', async () => {
    const web = webInTrouble(1e12, { retryAfterMs: 3 * HOUR });
    expect(await resumedAt(1e12 + 2 * HOUR, web)).toEqual([]);
    expect((await resumedAt(1e12 + 4 * HOUR, web)).length).toBeGreaterThan(0);
  });

  test('is not excluded for years because the clock was wrong when it failed', async () => {
    const first = paperCrawl(webInTrouble(2e12), config, { now: () => 2e12 });
    await first.run();
    const second = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60 }, network: { backoffMs: 1 } }), {
      journal: first.journal,
      now: Date.now,
    });
    await second.run();
    expect(second.fetcher.asked.some((url) => url.startsWith('http://rail1.'))).toBe(true);
  });

  test('records how long it asked to be left alone', async () => {
    const { run, journal } = paperCrawl(webInTrouble(1e12, { retryAfterMs: 1_500 }), config, { now: () => 1e12 });
    await run();
    const visits = journal.records.filter((record) => record.kind === 'visit' && record.status === 503);
    expect(visits[0]).toMatchObject({ detail: 'HTTP status 503, wait 2 s' });
  });
});

test('a bad host stays bad after a restart, and its links are not followed', async () => {
  const now = (): number => 1e12;
  const web = webInTrouble(now());
  const patient = exactConfig({ crawl: { budget: 40 }, network: { backoffMs: 0 } });
  const first = paperCrawl(web, patient, { now });
  await first.run();
  expect(first.crawl.status().hosts.bad).toBe(1);
  const more = exactConfig({ crawl: { budget: 60 }, network: { backoffMs: 0 } });
  const second = paperCrawl(web, more, { journal: first.journal, now });
  await second.run();
  expect(second.crawl.status().hosts.bad).toBe(1);
  expect(second.fetcher.asked.filter((url) => url.startsWith('http://rail1.'))).toEqual([]);
});

describe('a host whose name does not exist', () => {
  const now = (): number => 1e12;
  const nameless = webInTrouble(now(), {
    ...{ retry: 'never', reason: 'dns', status: 0 },
    detail: 'the name rail1.paper.test does not exist (ENOTFOUND)',
  });
  const patient = exactConfig({ crawl: { budget: 40 }, network: { backoffMs: 0 } });
  const askedOf = (urls: readonly string[]): number => urls.filter((url) => url.startsWith('http://rail1.')).length;

  test('is excluded after as many links as a link has attempts, each requested once', async () => {
    const { run, crawl, journal } = paperCrawl(nameless, patient, { now });
    await run();
    const failed = journal.records.filter((record) => record.kind === 'visit' && record.reason === 'dns');
    expect(failed).toHaveLength(patient.crawl.maxTries);
    expect(crawl.status().hosts.bad).toBe(1);
  });

  test('is in the same state after a restart: excluded, or with its remaining links', async () => {
    const first = paperCrawl(nameless, patient, { now });
    await first.run();
    const { records } = first.journal;
    const failed = records.findIndex((record) => record.kind === 'visit' && record.reason === 'dns');
    const askedAgain = async (length: number): Promise<number> => {
      const journal = RecordingJournal.holding(records.slice(0, length));
      const second = paperCrawl(nameless, exactConfig({ crawl: { budget: 60 }, network: { backoffMs: 0 } }), {
        journal,
        now,
      });
      await second.run();
      return askedOf(second.fetcher.asked);
    };
    expect(await askedAgain(failed + 1)).toBe(patient.crawl.maxTries - 1);
    expect(await askedAgain(records.length)).toBe(0);
  });
});

describe('failures recorded at the same moment', () => {
  /** Three links, each failed once; the last one tried again or given up. */
  function isBadAfter(isLastRetried: boolean, hours = 0): boolean {
    const hosts = new HostClocks({ ...config.network, maxTries: config.crawl.maxTries });
    const history = new HostHistory({ ...config.crawl, ...config.network });
    for (let i = 0; i < 3; i++) {
      const url = at(paperUrl('rail', 4 + 3 * i));
      const entry = { url, host: hostOf(url), tries: 0 };
      const end = { result: 'failed', reason: 'http', detail: 'HTTP status 503', status: 503, target: '' };
      const visit = { kind: 'visit', url, origin: { via: 'link' }, ...end, retried: i < 2 || isLastRetried };
      history.note({ ...visit, fetchedAt: 1e12 } as JournalRecord, { entry, role: 'crawled' } as Pinned);
    }
    history.tell(hosts, { now: 1e12 + hours * HOUR, steadyNow: 5 });
    return hosts.isBad(hostOf(at(paperUrl('rail', 4))));
  }

  test('count as one', () => expect(isBadAfter(true)).toBe(false));

  test('made the host bad if a link was given up before its last attempt', () => expect(isBadAfter(false)).toBe(true));

  test('are forgiven by a run that starts after the longest pause', () => {
    expect(isBadAfter(false, 10)).toBe(true);
    expect(isBadAfter(false, 11)).toBe(false);
  });
});

describe('the host history in the journal', () => {
  const url = at(paperUrl('rail', 4));
  const host = hostOf(url);

  /** The host after a restart, one second behind these visits to it, which were a second apart. */
  function hostAfter(...visits: readonly Partial<VisitRecord>[]): { slow: number; isBad: boolean; isPaused: boolean } {
    const hosts = new HostClocks({ ...config.network, maxTries: config.crawl.maxTries });
    const history = new HostHistory({ ...config.crawl, ...config.network });
    for (const [i, visit] of visits.entries()) {
      const end = { result: 'failed', reason: 'http', detail: '', status: 0, target: '', retried: false } as const;
      const record = { kind: 'visit', url, origin: { via: 'link' }, ...end, ...visit, fetchedAt: 1e12 + i * 1000 };
      // Its last try, so that giving it up adds no failure.
      const entry = { url, host, tries: record.retried ? 0 : config.crawl.maxTries - 1 };
      history.note(record as JournalRecord, { entry, role: 'crawled' } as Pinned);
    }
    history.tell(hosts, { now: 1e12 + visits.length * 1000, steadyNow: 0 });
    return { slow: hosts.counts().slow, isBad: hosts.isBad(host), isPaused: hosts.nextWillingAt(host, 0) > 0 };
  }

  const SLOW = { slow: 1, isBad: false, isPaused: true };
  const WELL = { slow: 0, isBad: false, isPaused: false };

  test.each<[string, Partial<VisitRecord>]>([
    ['a connection that nobody took', { reason: 'connect' }],
    ['an answer that broke off', { reason: 'truncated', status: 200 }],
    ['a name server that said nothing', { reason: 'dns', retried: true }],
    ['trouble that was worth another try', { reason: 'protocol', retried: true }],
  ])('%s is its trouble', (_, visit) => expect(hostAfter(visit)).toEqual(SLOW));

  test.each<[string, Partial<VisitRecord>]>([
    ['a page that is not there', { status: 404 }],
    ['a page that is of no use', { reason: 'unusable', status: 200 }],
    ['a certificate that nobody vouches for', { reason: 'tls' }],
    ['a stored page whose host has no name any more', { reason: 'dns', result: 'missing' }],
  ])('%s is not a failure of the host', (_, visit) =>
    expect(hostAfter({ reason: 'connect' }, visit)).toEqual({ ...SLOW, slow: 0 }),
  );

  test('a link given up because of a bad host does not count against the host', () => {
    const givenUp = { result: 'refused', reason: 'bad-host' } as const;
    expect(hostAfter(givenUp)).toEqual(WELL);
    expect(hostAfter({ reason: 'connect' }, givenUp)).toEqual(SLOW);
  });
});

test('a crawl ends if the only host of its examples is bad, and names the missed pages', async () => {
  const web = paperWeb();
  const host = 'http://rail1.paper.test';
  for (let i = 1; i < 60; i += 3)
    web.set(paperUrl('rail', i), trouble(paperUrl('rail', i), 0, { reason: 'connect', status: 0 }));
  const tree = topicTreeWith([1, 4, 7, 10, 13, 16]);
  const { run, journal } = paperCrawl(web, exactConfig({ network: { backoffMs: 0 } }), { tree });
  await expect(run()).rejects.toMatchObject({ code: expect.stringMatching(/TRAINING|EXAMPLE/) });
  const visits = journal.records.filter((record) => record.kind === 'visit' && record.url.startsWith(host));
  expect(visits.some((visit) => visit.kind === 'visit' && visit.reason === 'bad-host')).toBe(true);
  // All of them are done with.
  const done = visits.filter((visit) => visit.kind === 'visit' && !visit.retried);
  expect(done.length).toBe(6);
});

test('a crawl continues if the system clock jumps', async () => {
  const real = Date.now;
  const jumps = [0, 5 * HOUR, -20 * HOUR, 100 * HOUR, -HOUR];
  let asked = 0;
  Date.now = () => real() + jumps[Math.floor(asked++ / 20) % jumps.length]!;
  try {
    const { run } = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 40 }, network: { delayMs: 5 } }));
    expect(await run()).toMatchObject({ reason: 'budget', fetchedNow: 40 });
  } finally {
    Date.now = real;
  }
});
