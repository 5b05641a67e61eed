import { expect, test, vi } from 'vitest';
import { type CanonicalUrl, DEFAULTS, type TopicId, topicTree, type VisitRecord } from '../../../src/core/index.ts';
import { Frontier, HostClocks } from '../../../src/crawl/index.ts';
import { Budgets } from '../../../src/engine/state/budgets.ts';
import { type Pinned, seedEntry } from '../../../src/engine/state/jobs.ts';
import { Waiting } from '../../../src/engine/state/retry-queue.ts';
import { entry } from '../../crawl/support/entries.ts';

const TOPIC = 'A' as TopicId;
const link = (url: string): ReturnType<typeof entry> => entry(url, { topic: TOPIC });
const found = (url: string): Pinned => ({ entry: link(url), role: 'crawled' });
const seed = (url: string): Pinned => ({ entry: seedEntry(url as CanonicalUrl, TOPIC), role: 'crawled' });

/** What waits of a crawl in which a site may give one page. */
function waitingOf(pinned: readonly Pinned[], ...links: readonly string[]) {
  const hosts = new HostClocks({ ...DEFAULTS.network, delayMs: 0, perHost: 8, perDomain: 8, maxTries: 3 });
  const budgets = new Budgets(topicTree([{ name: 'A' }], []), { maxPagesPerTopic: 0, maxPagesPerSite: 1 });
  const frontier = new Frontier(DEFAULTS.crawl, {
    ...{ hosts, resolve: () => {}, isResolved: () => true, onGone: () => {} },
    hasRoom: (site) => budgets.hasRoom(site),
  });
  for (const url of links) frontier.offer(link(url));
  const gone: CanonicalUrl[] = [];
  const onGone = (url: CanonicalUrl): void => void gone.push(url);
  return { hosts, frontier, gone, waiting: new Waiting(pinned, { hosts, budgets, frontier: () => frontier, onGone }) };
}

test('a site with a running request waits, and is tried again if the request fails', () => {
  const { hosts, waiting } = waitingOf([], 'http://a.test/1', 'http://a.test/2', 'http://b.test/');
  const first = waiting.take(0)!;
  expect([first, waiting.take(0), waiting.take(0)].map((job) => job?.entry.url)).toEqual([
    'http://a.test/1',
    'http://b.test/',
    undefined,
  ]);
  // The answer is there, and is read just now.
  hosts.release('a.test', 0, 'ok');
  expect(waiting.take(0)).toBeUndefined();
  waiting.end(first);
  expect(waiting.take(0)?.entry.url).toBe('http://a.test/2');
});

test('excludes a site at its page limit, except for pages that the user named', () => {
  const jobs = [found('http://a.test/news'), found('http://b.test/news'), seed('http://a.test/seed')];
  const { frontier, gone, waiting } = waitingOf(jobs, 'http://a.test/1', 'http://b.test/1');
  expect([waiting.news, waiting.isDry]).toEqual([2, false]);
  waiting.spend(link('http://www.a.test/'));
  expect(waiting.pinned.all.map(({ entry }) => entry.url)).toEqual(['http://b.test/news', 'http://a.test/seed']);
  expect([frontier.size, waiting.news, gone]).toEqual([1, 1, ['http://a.test/news']]);
});

test('takes pinned jobs first, if they are allowed and their host is ready or bad', () => {
  const jobs = [found('http://bad.test/'), found('http://a.test/1'), seed('http://b.test/')];
  const { hosts, waiting } = waitingOf(jobs, 'http://c.test/');
  waiting.pinned.add([found('http://a.test/2')]);
  hosts.acquire('bad.test', 0);
  hosts.release('bad.test', 0, 'failed', 86_400_000);
  expect(waiting.takePinned(0, ({ entry }) => entry.via === 'seed')?.entry.url).toBe('http://b.test/');
  const taken = Array.from({ length: 4 }, () => waiting.take(0)?.entry.url);
  expect(taken).toEqual(['http://bad.test/', 'http://a.test/1', 'http://c.test/', undefined]);
  expect(waiting.pinned.all.map(({ entry }) => entry.url)).toEqual(['http://a.test/2']);
  expect(waiting.isDry).toBe(false);
});

test('a page is in progress from its start to its record', () => {
  const { waiting } = waitingOf([seed('http://a.test/')], 'http://b.test/');
  const jobs = [waiting.take(0)!, waiting.take(0)!];
  const urls = jobs.map(({ entry }) => entry.url);
  expect([urls, waiting.isDry]).toEqual([['http://a.test/', 'http://b.test/'], true]);
  expect(urls.map((url) => waiting.isUnderWay(url))).toEqual([true, true]);
  for (const job of jobs) waiting.end(job);
  expect(urls.map((url) => waiting.isUnderWay(url))).toEqual([false, false]);
});

test('a pinned URL counts as requested until it is taken or dropped', () => {
  const pages = ['http://a.test/', 'http://b.test/', 'http://c.test/'].map(found);
  const { waiting } = waitingOf([...pages, { ...seed('http://d.test/'), role: 'example' }]);
  const asked = (): boolean[] =>
    ['a', 'b', 'c', 'd'].map((name) => waiting.isAsked(`http://${name}.test/` as CanonicalUrl));
  expect(asked()).toEqual([true, true, true, false]);
  const job = waiting.takePinned(0)!;
  waiting.pinned.drop(({ entry }) => entry.url === 'http://b.test/');
  expect(asked()).toEqual([true, false, true, false]);
  waiting.end(job);
  waiting.pinned.addFirst(found('http://b.test/'));
  expect(asked()).toEqual([false, true, true, false]);
});

test('counts failures of a URL across frontiers, until it is answered', () => {
  const { frontier, waiting } = waitingOf([], 'http://a.test/');
  const failed = waiting.take(0)!;
  waiting.end(failed);
  waiting.failed(failed.entry);
  frontier.offer(link('http://a.test/'));
  const again = waiting.takeExact({ origin: { via: 'link' } } as VisitRecord, 'http://a.test/' as CanonicalUrl);
  expect(again.entry.tries).toBe(1);
  waiting.end(again);
  frontier.offer(link('http://a.test/'));
  expect(waiting.take(Number.MAX_SAFE_INTEGER)?.entry.tries).toBe(0);
});

test('a recheck has its page to itself: the page does not wait, and is not checked twice', () => {
  const { frontier, waiting } = waitingOf([], 'http://a.test/');
  const job = found('http://a.test/');
  expect([waiting.beginRecheck(job), frontier.size, waiting.beginRecheck(job)]).toEqual([true, 0, false]);
  waiting.endRecheck(job);
  expect(waiting.beginRecheck(job)).toBe(true);
});

test('knows the time of the next possible request, however many jobs are pinned', () => {
  const { hosts, waiting } = waitingOf(Array.from({ length: 200_000 }, (_, i) => seed(`http://a${i % 9}.test/${i}`)));
  expect(waiting.nextWillingAt(0)).toBe(0);
  for (let i = 0; i < 9; i++) {
    hosts.acquire(`a${i}.test`, 0);
    hosts.release(`a${i}.test`, 0, 'ok', 1_000 + i);
  }
  expect([waiting.take(999), waiting.nextWillingAt(999)]).toEqual([undefined, 1_000]);
});

test('finds a job among a hundred thousand training pages as fast as among a few', () => {
  const jobs = Array.from({ length: 100_000 }, (_, i): Pinned => ({ ...seed(`http://h${i}.test/`), role: 'example' }));
  const same = Array.from({ length: 100 }, (_, i): Pinned => ({ ...seed(`http://one.test/${i}`), role: 'example' }));
  const { hosts, waiting } = waitingOf([...same, ...jobs]);
  expect(waiting.pinned.training).toBe(100_100);
  for (let i = 0; i < 8; i++) hosts.acquire('one.test', 0);
  const asked = [vi.spyOn(hosts, 'isWilling'), vi.spyOn(hosts, 'nextWillingAt')];
  expect(waiting.nextWillingAt(0)).toBe(0);
  expect(waiting.take(0)?.entry.url).toBe('http://h0.test/');
  expect(waiting.pinned.training).toBe(100_099);
  for (const spy of asked) expect(spy.mock.calls.map(([host]) => host)).toEqual(['one.test', 'h0.test']);
});
