import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  type CanonicalUrl,
  type CrawlStatus,
  DEFAULTS,
  type FetchOutcome,
  hostOf,
  type JournalRecord,
  NO_HEADERS,
  type PageHistory,
  type PageRecord,
  type RecheckOrder,
  topicTree,
  unpackLinks,
} from '../../../src/core/index.ts';
import { HostClocks } from '../../../src/crawl/index.ts';
import type { Analysis } from '../../../src/engine/ports.ts';
import { isNearlySame, planRecheck, recheckPauseMs } from '../../../src/engine/recheck/recheck.ts';
import { recheckAnswer } from '../../../src/engine/recheck/recheck-answer.ts';
import { RecheckQueue } from '../../../src/engine/recheck/recheck-queue.ts';
import { Rechecking } from '../../../src/engine/recheck/rechecking.ts';
import type { CrawlState } from '../../../src/engine/state/crawl-state.ts';
import type { RecheckJob } from '../../../src/engine/state/jobs.ts';
import { seededRandom } from '../../../src/kit/index.ts';
import {
  type Answer,
  at,
  exactConfig,
  type Overrides,
  PaperFetcher,
  paperCrawl,
  paperUrl,
  paperWeb,
  RecordingJournal,
} from '../support/paper-web.ts';

const DAY = 86_400_000;
const RULES = DEFAULTS.recheck;

function history(facts: Partial<PageHistory>): PageHistory {
  const url = at('https://a.example/');
  const firstAt = facts.firstAt ?? 0;
  const origin = { via: 'link', from: '', topic: '' as never, depth: 1, tunnelDepth: 0, priority: 0.5 } as const;
  return {
    ...{ sequence: 1, url, finalUrl: url, redirects: [], host: hostOf(facts.finalUrl ?? url), role: 'crawled' },
    ...{ others: false, origin, etag: '', lastModified: '', contentHash: '', simhash: [0, 0], firstAt },
    ...{ changedAt: firstAt, checkedAt: firstAt, triedAt: facts.checkedAt ?? firstAt, checks: 0, changes: 0 },
    ...{ missing: 0, movedAt: 0, movedFrom: '', backAt: 0, ending: undefined, endedAt: 0, target: '' },
    ...facts,
  };
}

describe('the name of an unchanged version', () => {
  const LONG_AGO = 'Sat, 01 Jan 2000 00:00:00 GMT';
  const page = history({ etag: '"1"', lastModified: LONG_AGO });
  const { url } = page;
  const entry = { url, host: 'a.example', ...page.origin, tries: 0, redirects: [] };
  const world = {
    ...{ rules: RULES, maxTries: 3, maxRedirects: 5, isBad: () => false, isKeptOut: () => false, pageOf: () => 1 },
    ...{ duplicateOf: () => undefined, hasNewLinks: () => false, deadEnd: () => undefined },
  };
  const versionAfter = (told: { etag?: string; lastModified?: string }, known: Partial<PageHistory> = {}): unknown => {
    const job: RecheckJob = { entry, role: 'crawled', recheck: { ...page, ...known } };
    const answer = recheckAnswer(job, { kind: 'unchanged', url, fetchedAt: 0, ...told }, undefined, world);
    return answer.kind === 'visit' ? answer.record.version : answer.kind;
  };

  test('is kept if the server sends no other', () => {
    expect(versionAfter({})).toBeUndefined();
    expect(versionAfter({ etag: '"1"', lastModified: LONG_AGO })).toBeUndefined();
    expect(versionAfter({ etag: '', lastModified: '' })).toBeUndefined();
  });

  test('is the newest one', () => {
    const lastModified = 'Sun, 02 Jan 2000 00:00:00 GMT';
    expect(versionAfter({ lastModified })).toEqual({ etag: '"1"', lastModified });
    expect(versionAfter({ etag: 'W/"2"' })).toEqual({ etag: 'W/"2"', lastModified: LONG_AGO });
    expect(versionAfter({ etag: '"2"', lastModified }, { etag: '' })).toEqual({ etag: '"2"', lastModified });
  });

  test('is never one for other bytes than the requested ones', () => {
    expect(versionAfter({ etag: '"2"', lastModified: 'Sun, 02 Jan 2000 00:00:00 GMT' })).toBeUndefined();
  });
});

test('a partial page never replaces a stored page, and does not count against it', () => {
  const page = history({ contentHash: 'whole' });
  const { url } = page;
  const entry = { url, host: 'a.example', ...page.origin, tries: 0, redirects: [] };
  const world = {
    ...{ rules: RULES, maxTries: 3, maxRedirects: 5, isBad: () => false, isKeptOut: () => false, pageOf: () => 1 },
    ...{ duplicateOf: () => undefined, hasNewLinks: () => true, deadEnd: () => undefined },
  };
  const headers = { ...NO_HEADERS, contentType: 'text/html' };
  const part: FetchOutcome = {
    ...{ kind: 'fetched', url, status: 206, headers, body: new Uint8Array(9) },
    ...{ address: '', fetchedAt: 0, durationMs: 0 },
  };
  const job: RecheckJob = { entry, role: 'crawled', recheck: page };
  const unusable = { kind: 'unusable', reason: 'protocol', detail: '' } as const;
  expect(recheckAnswer(job, part, unusable, world)).toMatchObject({
    ...{ kind: 'visit', end: 'failed', record: { result: 'failed', reason: 'part', status: 206 } },
  });
});

describe('a check with a temporary error', () => {
  const page = history({});
  const entry = { url: page.url, host: 'a.example', ...page.origin, tries: 0, redirects: [] };
  const busy = { kind: 'failed', url: page.url, retry: 'later', reason: 'http', status: 503 } as const;
  const looked = (tries: number, isBad = false) =>
    recheckAnswer(
      { entry: { ...entry, tries }, role: 'crawled', recheck: page },
      { ...busy, detail: '', fetchedAt: 0 },
      undefined,
      {
        ...{ rules: RULES, maxTries: 3, maxRedirects: 5, isBad: () => isBad, isKeptOut: () => false, pageOf: () => 1 },
        ...{ duplicateOf: () => undefined, hasNewLinks: () => false, deadEnd: () => undefined },
      },
    );

  test('is repeated up to the configured attempts, and does not affect the page', () => {
    expect(looked(0)).toMatchObject({ kind: 'again', job: { entry: { tries: 1 } } });
    expect(looked(1)).toMatchObject({ kind: 'again', job: { entry: { tries: 2 } } });
    expect(looked(2)).toMatchObject({ kind: 'visit', end: 'failed', record: { result: 'failed', status: 503 } });
  });

  test('is the last one at a host that became bad', () => {
    expect(looked(0, true)).toMatchObject({ kind: 'visit', end: 'failed', record: { result: 'failed', status: 503 } });
  });
});

test('stores a nearly equal version only if it has new links', () => {
  const page = history({ contentHash: 'before', simhash: [5, 6] });
  const { url } = page;
  const entry = { url, host: 'a.example', ...page.origin, tries: 0, redirects: [] };
  const headers = { ...NO_HEADERS, contentType: 'text/html' };
  const fetched: FetchOutcome = {
    ...{ kind: 'fetched', url, status: 200, headers, body: new Uint8Array(9) },
    ...{ address: '', fetchedAt: 0, durationMs: 0 },
  };
  const document = { contentHash: 'after', simhash: [5, 7], noindex: false } as unknown as PageRecord['document'];
  const answer = (hasNewLinks: boolean) =>
    recheckAnswer({ entry, role: 'crawled', recheck: page }, fetched, { kind: 'analyzed', document } as Analysis, {
      ...{ rules: RULES, maxTries: 3, maxRedirects: 5, isBad: () => false, isKeptOut: () => false, pageOf: () => 1 },
      ...{ duplicateOf: () => undefined, hasNewLinks: () => hasNewLinks, deadEnd: () => undefined },
    });
  expect(answer(true).kind).toBe('version');
  expect(answer(false)).toMatchObject({
    ...{ kind: 'visit', end: 'unchanged', record: { result: 'unchanged', reason: 'nearly-same-content' } },
  });
});

describe('the interval before the next check of a page', () => {
  const pauseInDays = (facts: Partial<PageHistory>): number => recheckPauseMs(history(facts), RULES) / DAY;

  test('starts at the configured value', () => {
    expect(pauseInDays({})).toBe(7);
  });

  test('follows the closed form of the estimate', () => {
    // Ten looks, 4 days apart, 3 changes: r = −ln(7.5 / 10.5) / 4.
    const rate = -Math.log(7.5 / 10.5) / 4;
    expect(pauseInDays({ checks: 10, changes: 3, checkedAt: 40 * DAY })).toBeCloseTo(Math.LN2 / rate, 10);
  });

  test('is that of a page with the same change rate, whatever the checks were', () => {
    const random = seededRandom(7);
    for (const changesPerDay of [0.3, 0.1, 0.03]) {
      const facts = lookedAt(changesPerDay, 4000, random);
      expect(pauseInDays(facts) * changesPerDay).toBeGreaterThan(Math.LN2 * 0.8);
      expect(pauseInDays(facts) * changesPerDay).toBeLessThan(Math.LN2 * 1.25);
    }
  });

  test('doubles the known age of a page that never changed, within the configured bounds', () => {
    expect(pauseInDays({ checks: 1, checkedAt: 10 * DAY })).toBe(10);
    expect(pauseInDays({ checks: 3, checkedAt: 40 * DAY })).toBe(40);
    expect(pauseInDays({ checks: 9, checkedAt: 500 * DAY })).toBe(90);
    expect(pauseInDays({ checks: 20, changes: 20, checkedAt: DAY })).toBe(1);
  });

  test('is short for a page that was missed or not reached', () => {
    expect(pauseInDays({ checks: 3, checkedAt: 40 * DAY, triedAt: 41 * DAY })).toBe(1);
    expect(pauseInDays({ missing: 1 })).toBe(1);
    expect(pauseInDays({ missing: 4 })).toBe(8);
  });
});

/** A page that changes by chance, looked at after pauses of up to three days. */
function lookedAt(changesPerDay: number, looks: number, random: () => number): Partial<PageHistory> {
  let now = 0;
  let changes = 0;
  for (let i = 0; i < looks; i++) {
    const pause = 1.5 + random();
    if (random() < 1 - Math.exp(-changesPerDay * pause)) changes++;
    now += pause * DAY;
  }
  return { checks: looks, changes, checkedAt: now };
}

test('plans due pages, most overdue first, rejected ones if once accepted, and no OTHERS', async () => {
  async function* pages() {
    yield history({ sequence: 1, firstAt: 2 * DAY });
    yield history({ sequence: 2, firstAt: 0 });
    yield history({ sequence: 3, firstAt: 6 * DAY });
    yield history({ sequence: 4, others: true });
    yield history({ sequence: 5, role: 'others', others: true, changes: 1 });
    yield history({ sequence: 8, role: 'example', others: true });
    yield history({ sequence: 6, role: 'example', firstAt: 1 * DAY });
    yield history({ sequence: 7, others: true, firstAt: 1.5 * DAY, changes: 1 });
  }
  const plan = await planRecheck(pages(), RULES, { now: 10 * DAY });
  expect([plan.due.map((page) => page.sequence), plan.pages, plan.nextAt / DAY]).toEqual([[2, 6, 7, 1], 5, 13]);
  expect((await planRecheck(pages(), RULES, { now: 0, all: true })).due).toHaveLength(5);
});

test('a good hub is due after half the time, also if it was rejected', async () => {
  async function* pages() {
    yield history({ sequence: 1, firstAt: 0 });
    yield history({ sequence: 2, firstAt: 0 });
    yield history({ sequence: 3, firstAt: 0, others: true });
    yield history({ sequence: 4, firstAt: 0, others: true });
  }
  const due = async (now: number): Promise<readonly number[]> => {
    const plan = await planRecheck(pages(), RULES, { now, hubs: new Set([2, 3]) });
    return plan.due.map(({ sequence }) => sequence);
  };
  const pause = recheckPauseMs(history({ sequence: 1, firstAt: 0 }), RULES);
  expect(await due(pause / 2 - 1)).toEqual([]);
  expect(await due(pause / 2)).toEqual([2, 3]);
  expect(await due(pause)).toEqual([2, 3, 1]);
});

test.each<[RecheckOrder, readonly number[]]>([
  ['due', [2, 3, 1]],
  ['oldest', [1, 2, 3]],
  ['hubs', [3, 2, 1]],
  ['authorities', [1, 2, 3]],
])('fetches due pages in the order %s', async (order, sequences) => {
  async function* pages() {
    // The first one was fetched before the others, and is due after them: it was the same for ten days.
    yield history({ sequence: 1, firstAt: 0, checkedAt: 10 * DAY, checks: 1 });
    yield history({ sequence: 2, firstAt: 11 * DAY });
    yield history({ sequence: 3, firstAt: 12 * DAY });
  }
  const scores = new Map([
    [1, { hub: 0, authority: 0.9 }],
    [2, { hub: 0.1, authority: 0.5 }],
    [3, { hub: 0.8, authority: 0 }],
  ]);
  const plan = await planRecheck(pages(), { ...RULES, order }, { now: 100 * DAY, scores });
  expect(plan.due.map(({ sequence }) => sequence)).toEqual(sequences);
});

test('among equal pages, those of servers with fewer pages come first', async () => {
  async function* pages() {
    for (const [i, host] of ['big.test', 'big.test', 'small.test', 'big.test'].entries())
      yield history({ sequence: i + 1, host, firstAt: 0 });
  }
  const scores = new Map([[4, { hub: 0.5, authority: 0 }]]);
  const plan = await planRecheck(pages(), { ...RULES, order: 'hubs' }, { now: 100 * DAY, scores });
  expect(plan.due.map(({ sequence }) => sequence)).toEqual([4, 3, 1, 2]);
});

test('a page checked while the clock was a year ahead is due once the clock is right', async () => {
  async function* pages() {
    yield history({ sequence: 1, firstAt: 10 * DAY, checkedAt: 375 * DAY, checks: 1 });
    yield history({ sequence: 2, firstAt: 9 * DAY });
  }
  const { due, nextAt } = await planRecheck(pages(), RULES, { now: 11 * DAY });
  expect([due.map(({ sequence }) => sequence), nextAt / DAY]).toEqual([[1], 16]);
});

test('versions that differ in three bits of 64 are nearly the same, in four they are not', () => {
  expect(isNearlySame([0, 0], [1, -0x80000000 | 2])).toBe(true);
  expect(isNearlySame([0, 0], [3, 3])).toBe(false);
  expect([0b111, 0b1111].map((bits) => isNearlySame([0xffff, 0xff], [0xffff ^ bits, 0xff]))).toEqual([true, false]);
});

test('pages wait per host, so that a paused host delays no other', () => {
  const clocks = new HostClocks({ ...DEFAULTS.network, delayMs: 1000, maxTries: 3 });
  const page = (url: string): PageHistory => history({ finalUrl: at(url), host: hostOf(at(url)) });
  const urls = ['https://a.example/1', 'https://a.example/2', 'https://b.example/1', 'https://b.example/2'];
  const queue = new RecheckQueue(urls.map(page), clocks);
  const asked = [0, 1, 2].map(() => {
    const job = queue.take(0);
    if (job !== undefined) clocks.acquire(job.entry.host, 0);
    return job?.entry.url;
  });
  expect(asked).toEqual(['https://a.example/1', 'https://b.example/1', undefined]);
  expect(queue.nextWillingAt(0)).toBe(1000);
  for (const host of ['a.example', 'b.example']) clocks.release(host, 10, 'ok');
  expect(queue.take(1000)?.entry.url).toBe('https://a.example/2');
});

test('does not wait for pages of a host that becomes bad, and counts them as not reached', () => {
  const clocks = new HostClocks({ ...DEFAULTS.network, delayMs: 0, maxTries: 1 });
  const urls = ['https://a.example/1', 'https://a.example/2', 'https://a.example/3', 'https://b.example/1'];
  const queue = new RecheckQueue(
    urls.map((url) => history({ finalUrl: at(url), host: hostOf(at(url)) })),
    clocks,
  );
  expect(queue.take(0)?.entry.url).toBe('https://a.example/1');
  clocks.acquire('a.example', 0);
  clocks.release('a.example', 10, 'failed');
  expect(clocks.isBad('a.example')).toBe(true);
  expect([queue.take(10)?.entry.url, queue.take(10)]).toEqual(['https://b.example/1', undefined]);
  expect([queue.isEmpty, queue.counts.failed]).toEqual([true, 2]);
});

test('a page that is not requested does not affect its host', () => {
  const clocks = new HostClocks({ ...DEFAULTS.network, delayMs: 0, backoffMs: 10, maxTries: 2, meetAlone: true });
  clocks.acquire('a.example', 0);
  clocks.release('a.example', 0, 'failed');
  const pages = ['https://a.example/1', 'https://b.example/1', 'https://c.example/1'].map((url) =>
    history({ finalUrl: at(url), host: hostOf(at(url)) }),
  );
  const state = {
    phase: 'harvesting',
    names: { kept: (topic: unknown) => topic },
    isLeftAlone: ({ entry }: RecheckJob) => entry.host !== 'c.example',
    waiting: { beginRecheck: () => true },
  } as unknown as CrawlState;
  const rechecking = new Rechecking(pages, { config: DEFAULTS, hosts: clocks, state: () => state, append: () => {} });

  const taken = pages.map(() => rechecking.take(1000)?.entry.url);
  expect(taken.filter((url) => url !== undefined)).toEqual(['https://c.example/1']);
  expect(rechecking.counts().failed).toBe(2);
  expect(clocks.counts()).toEqual({ active: 1, slow: 1, bad: 0 });
  clocks.acquire('b.example', 1000);
  expect(clocks.standing('b.example', 1000).kind).toBe('host-full');
});

/** Every page of a journal as it was first fetched. */
function pagesOf(journal: RecordingJournal): PageHistory[] {
  return journal.pages().flatMap((record: PageRecord) =>
    record.assignment.others
      ? []
      : [
          history({
            ...{ sequence: record.sequence, url: record.url, finalUrl: record.finalUrl, redirects: record.redirects },
            ...{
              host: record.host,
              role: record.role,
              origin: record.origin,
              contentHash: record.document.contentHash,
            },
            simhash: record.document.simhash,
          }),
        ],
  );
}

/** A later state of the paper web: one found page is gone, one has moved, one was rewritten and links to a new page. */
function laterWeb(journal: RecordingJournal): Map<string, Answer> {
  const later = new Map(paperWeb());
  const [gone, moved, changed] = pagesOf(journal).flatMap((page) => (page.role === 'crawled' ? [page.finalUrl] : []));
  const text = (i: number): string => later.get(paperUrl('rail', i)) as string;
  const to = at(paperUrl('rail', 200));
  const fetchedAt = 0;
  later.delete(gone!);
  later.set(moved!, { kind: 'redirected', url: moved!, target: to, status: 301, permanent: true, fetchedAt });
  later.set(to, text(57).replace('<p>', '<p>tramway '));
  later.set(changed!, text(58).replace('</p>', ` <a href="${paperUrl('rail', 201)}">a new line</a></p>`));
  later.set(paperUrl('rail', 201), text(59).replaceAll('track', 'funicular'));
  return later;
}

test('does not fetch a moved page again at a waiting URL after a cut', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }));
  await first.run();
  const config = exactConfig({ crawl: { budget: 200, learn: 10 } });
  const journal = RecordingJournal.holding(first.journal.records);
  const pages = pagesOf(journal);
  const [moved] = pages.flatMap((page) => (page.role === 'crawled' ? [page.finalUrl] : []));
  const fetched = new Set<string>(journal.pages().map(({ finalUrl }) => finalUrl));
  const waiting = journal.pages().flatMap((page) => unpackLinks(page.document.links).map(({ url }) => url));
  const to = at(waiting.find((url) => !fetched.has(url))!);
  const later = new Map(paperWeb());
  later.set(moved!, { kind: 'redirected', url: moved!, target: to, status: 301, permanent: true, fetchedAt: 0 });
  const whole = paperCrawl(later, config, { journal, recheck: pages, onlyRecheck: true });
  await whole.run();
  expect(whole.fetcher.asked).toContain(to);
  const again = paperCrawl(later, config, { journal });
  await again.run();
  expect(again.fetcher.asked.length).toBeGreaterThan(30);
  expect(again.fetcher.asked).not.toContain(to);
});

test('a rechecked crawl continues after a cut like without one', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }));
  await first.run();
  const config = exactConfig({ crawl: { budget: 50, learn: 10 } });
  const journal = RecordingJournal.holding(first.journal.records);
  const later = laterWeb(journal);
  const pages = pagesOf(journal);
  const whole = paperCrawl(later, config, { journal, recheck: pages });
  const { recheck } = await whole.run();
  expect(recheck).toEqual({
    total: pages.length,
    unchanged: pages.length - 3,
    changed: 1,
    moved: 1,
    failed: 1,
    gone: 0,
    back: 0,
    away: 0,
  });
  expect(whole.journal.crawled()).toContain(paperUrl('rail', 201));
  const { records } = whole.journal;
  const lastLook = records.findLastIndex(
    (r) => (r.kind === 'page' || r.kind === 'visit') && r.origin.via === 'recheck',
  );
  expect(lastLook).toBeGreaterThan(first.journal.records.length);
  for (let cut = lastLook + 1; cut < records.length; cut += 3) {
    const resumed = paperCrawl(later, config, { journal: RecordingJournal.holding(records.slice(0, cut)) });
    await resumed.run();
    expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
  }
});

test('every page of a site with a missing name is missed, not only the first three', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }));
  await first.run();
  const pages = pagesOf(first.journal);
  const nameless = pages.filter(({ host }) => host === 'rail1.paper.test').map(({ finalUrl }) => finalUrl);
  expect(nameless.length).toBeGreaterThan(DEFAULTS.crawl.maxTries);
  const later = new Map<string, Answer>(paperWeb());
  const why = { retry: 'never', reason: 'dns', detail: 'the name does not exist (ENOTFOUND)', status: 0, fetchedAt: 0 };
  for (const url of nameless) later.set(url, { kind: 'failed', url, ...why } as Answer);
  const again = paperCrawl(later, exactConfig({ crawl: { budget: 30, learn: 10 } }), {
    journal: first.journal,
    recheck: pages,
  });
  await again.run();
  const missed = again.journal.records.filter((record) => record.kind === 'visit' && record.result === 'missing');
  expect(missed.map((record) => record.kind === 'visit' && record.url)).toEqual(expect.arrayContaining(nameless));
});

/** The paper web, where pages send a visitor to another address for the time being, by what they were asked before. */
class WalledFetcher extends PaperFetcher {
  /** Where each address sends to, one after the other; the last for good. */
  readonly #walls = new Map<string, string[]>();
  readonly #isLetIn: (asked: readonly string[]) => boolean;
  readonly #slow: readonly string[];

  /**
   * @param more - pages beside those of the paper web
   * @param slow - addresses that take their time
   */
  constructor(
    walls: readonly (readonly [string, string])[],
    isLetIn: (asked: readonly string[]) => boolean,
    more: ReadonlyMap<string, Answer>,
    slow: readonly string[],
  ) {
    super(new Map([...paperWeb(), ...more]));
    this.#slow = slow;
    for (const [url, target] of walls) this.#walls.set(url, [...(this.#walls.get(url) ?? []), target]);
    this.#isLetIn = isLetIn;
  }

  override async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    if (this.#slow.includes(url)) await setTimeout(50);
    const targets = this.#walls.get(url) ?? [];
    const target = targets.length > 1 ? targets.shift() : targets[0];
    const isShut = target !== undefined && !this.#isLetIn(this.asked);
    if (!isShut) return super.fetch(url);
    this.asked.push(url);
    return { kind: 'redirected', url, target: at(target), status: 302, permanent: false, fetchedAt: 0 };
  }
}

const FOOD = paperWeb().get(paperUrl('food', 7))!;

function failure(retry: 'later' | 'never', status: number): Answer {
  return { kind: 'failed', url: at('http://b.example/'), retry, reason: 'http', detail: '', status, fetchedAt: 0 };
}

describe('a page that temporarily redirects its visitor', () => {
  const page = paperUrl('rail', 7);
  const cookie = at(`http://rail1.paper.test/cookie?back=${page}`);
  const login = at('http://rail1.paper.test/login');

  async function looked(
    walls: readonly (readonly [string, string])[],
    isLetIn: (asked: readonly string[]) => boolean,
    more: ReadonlyMap<string, Answer> = new Map(),
    facts: Partial<PageHistory> = {},
    urls: readonly string[] = walls.map(([url]) => url),
    network: Overrides['network'] = { concurrency: 1 },
    slow: readonly string[] = [],
  ) {
    const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60, learn: 10 } }));
    await first.run();
    const pages = pagesOf(first.journal).flatMap((known) =>
      urls.includes(known.finalUrl) ? [{ ...known, ...facts }] : [],
    );
    const fetcher = new WalledFetcher(walls, isLetIn, more, slow);
    const config = exactConfig({ crawl: { budget: 60, learn: 10 }, network });
    const crawl = paperCrawl(new Map(), config, { journal: first.journal, recheck: pages, fetcher });
    const { recheck } = await crawl.run();
    const visits = first.journal.records.flatMap((r) => (r.kind === 'visit' && r.origin.via === 'recheck' ? [r] : []));
    return {
      recheck,
      asked: fetcher.asked,
      visits: visits.map(({ url, result, reason, target }) => [url, result, reason, target]),
      news: crawl.journal.pages().filter(({ origin }) => origin.via === 'recheck'),
    };
  }

  const sold = [page, paperUrl('rail', 10)] as const;
  const tracker = at('http://tracker.example/?from=rail');

  test('is missed if the redirect ends on another site, also through others', async () => {
    // A page about food, on another site than the page of the railways.
    const parked = at('http://casino.example/');
    const walls = [...sold.map((url) => [url, tracker] as const), [tracker, parked] as const];
    const { recheck, asked, visits } = await looked(walls, () => false, new Map([[parked, FOOD]]));
    expect(new Set(asked)).toEqual(new Set([...sold, tracker, parked]));
    expect(recheck).toMatchObject({ unchanged: 0, gone: 0, failed: 2 });
    expect(visits.map(([url, ...end]) => [url, ...end]).toSorted()).toEqual(
      sold.map((url) => [url, 'missing', 'elsewhere', '']).toSorted(),
    );
  });

  test('is missed although other checked pages redirect there; the target is fetched once', async () => {
    const parked = at('http://casino.example/');
    const pages = Array.from({ length: 60 }, (_, n) => paperUrl('rail', n));
    const { recheck, asked, visits } = await looked(
      [...pages.map((url) => [url, tracker] as const), [tracker, parked]],
      () => false,
      new Map([[parked, FOOD]]),
      {},
      pages,
      { concurrency: 8 },
    );
    expect(recheck!.total).toBeGreaterThan(20);
    expect(visits.map(([, ...end]) => end)).toEqual(visits.map(() => ['missing', 'elsewhere', '']));
    expect(visits).toHaveLength(recheck!.total);
    expect(asked.filter((url) => url === parked)).toHaveLength(1);
  });

  test('is missed with all others that wait for the same redirect target', async () => {
    const parked = at('http://casino.example/');
    const pages = Array.from({ length: 60 }, (_, n) => paperUrl('rail', n));
    const { recheck, asked, visits } = await looked(
      pages.map((url) => [url, parked] as const),
      () => false,
      new Map([[parked, FOOD]]),
      {},
      pages,
      { concurrency: 8, perHost: 8, perDomain: 8, robots: false },
      [parked],
    );
    expect(visits).toHaveLength(recheck!.total);
    expect(visits.map(([, ...end]) => end)).toEqual(visits.map(() => ['missing', 'elsewhere', '']));
    expect(asked.filter((url) => url === parked)).toHaveLength(1);
  });

  test('is not lost if the crawl itself is requesting the target', async () => {
    const place = at('http://casino.example/');
    const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60, learn: 10 } }));
    await first.run();
    const fetcher = new WalledFetcher([[page, place]], () => false, new Map([[place, FOOD]]), [place]);
    const network = { concurrency: 8, perHost: 8, perDomain: 8, robots: false };
    const config = exactConfig({ crawl: { budget: 60, learn: 10 }, network });
    const named = (url: string) => ({ kind: 'url', url }) as const;
    const examples = [0, 1, 2].map((n) => named(paperUrl('rail', n)));
    const others = [0, 1, 2, 3, 4, 5].map((n) => named(paperUrl('food', n)));
    const again = paperCrawl(new Map(), config, {
      ...{ journal: first.journal, fetcher },
      tree: topicTree([{ name: 'railways', examples }], [...others, named(place)]),
      recheck: pagesOf(first.journal).filter(({ finalUrl }) => finalUrl === page),
    });
    const { recheck } = await again.run();
    expect(fetcher.asked).toEqual([page, place, place]);
    expect(recheck).toMatchObject({ total: 1, failed: 1 });
  });

  test('leaves the target to the crawl if it is not fetched yet', async () => {
    const [from, place] = [paperUrl('rail', 15), at('http://tramways.example/')];
    const text = (paperWeb().get(page) as string).replaceAll('track', 'tramway');
    const linking = (paperWeb().get(from) as string).replace('<a ', `<a href="${place}">tramways</a> <a `);
    const crawl = { budget: 200, learn: 5, ordering: 'breadth-first' } as const;
    const web = new Map([...paperWeb(), [from, linking], [place, text]] as const);
    const first = paperCrawl(web, exactConfig({ crawl: { ...crawl, budget: 10 } }));
    await first.run();
    const stored = pagesOf(first.journal).filter(({ finalUrl }) => finalUrl === from);
    const fetcher = new WalledFetcher([[from, place]], () => false, new Map([[place, text]]), []);
    const again = paperCrawl(new Map(), exactConfig({ crawl }), { journal: first.journal, fetcher, recheck: stored });
    await again.run();
    expect(fetcher.asked.slice(0, 2)).toEqual([from, place]);
    expect(again.journal.crawled()).toContain(place);
  });

  test('is not missed because of another page on the same target host', async () => {
    const [parked, mirror] = [at('http://casino.example/'), at('http://casino.example/mirror')];
    const walls = [
      [page, parked],
      [paperUrl('rail', 10), mirror],
    ] as const;
    const web = new Map([
      [parked, FOOD],
      [mirror, paperWeb().get(paperUrl('rail', 10))!],
    ]);
    const network = { concurrency: 8, perHost: 1 };
    const { visits } = await looked(walls, () => false, web, {}, undefined, network, [parked]);
    expect(visits.toSorted()).toEqual([
      [paperUrl('rail', 10), 'redirected', 'temporary', mirror],
      [page, 'missing', 'elsewhere', ''],
    ]);
  });

  test.each<[string, string]>([
    ['by sending him back to where he is', page],
    ['at an address of its own', cookie],
  ])('is missed when it sets a cookie first, %s, and then leads to another site', async (_, first) => {
    const parked = at('http://casino.example/');
    const steps = [first, ...(first === page ? [] : [page]), parked];
    const asked = [page, ...steps];
    const { visits, asked: done } = await looked(
      steps.map((target, i) => [asked[i]!, target] as const),
      () => false,
      new Map([[parked, FOOD]]),
      { missing: 9 },
      [page],
    );
    expect(done).toEqual(asked);
    expect(visits).toEqual([[page, 'gone', 'elsewhere', '']]);
  });

  test('is gone if it was missed as often before', async () => {
    const parked = at('http://casino.example/');
    const web = new Map([[parked, FOOD]]);
    const { recheck, visits } = await looked([[page, parked]], () => false, web, { missing: RULES.goneAfter - 1 });
    expect(recheck).toMatchObject({ gone: 1, failed: 0 });
    expect(visits).toEqual([[page, 'gone', 'elsewhere', '']]);
  });

  test.each<[string, Answer | undefined]>([
    ['does not answer', failure('later', 503)],
    [
      'is not to be asked for',
      { kind: 'refused', url: at('http://b.example/'), reason: 'robots', detail: '', fetchedAt: 0 },
    ],
    ['says what the page said', paperWeb().get(page)],
  ])('is kept when the other site %s', async (_, answer) => {
    const place = at('http://b.example/');
    const { visits } = await looked([[page, place]], () => false, new Map([[place, answer!]]), { missing: 9 });
    expect(visits).toEqual([[page, 'redirected', 'temporary', place]]);
  });

  test('is kept if another site redirects back to the site of the page', async () => {
    const wall = at('http://consent.example/');
    const walls = [
      [page, wall],
      [wall, login],
    ] as const;
    const { visits } = await looked(walls, () => false, new Map([[login, FOOD]]), { missing: 9 });
    expect(visits).toEqual([[page, 'redirected', 'temporary', login]]);
  });

  test('is checked through a wall of another site before its new URL', async () => {
    const moved = at('http://rail1.paper.test/moved/7');
    const wall = at('http://consent.example/');
    const text = (paperWeb().get(page) as string).replaceAll('track', 'tramway');
    const walls = [
      [moved, wall],
      [wall, moved],
    ] as const;
    const to = {
      kind: 'redirected',
      url: at(page),
      target: moved,
      status: 301,
      permanent: true,
      fetchedAt: 0,
    } as const;
    const web = new Map<string, Answer>([
      [page, to],
      [moved, text],
    ]);
    const { recheck, news, asked } = await looked(walls, (before) => before.includes(wall), web, {}, [page]);
    expect(asked).toEqual([page, moved, wall, moved]);
    expect(recheck).toMatchObject({ moved: 1, failed: 0 });
    expect(news).toMatchObject([{ url: page, finalUrl: moved, redirects: [page] }]);
  });

  test('is checked through a wall that sets a cookie and redirects back', async () => {
    const walls = [
      [page, cookie],
      [cookie, page],
    ] as const;
    const { recheck, asked, visits } = await looked(walls, (before) => before.includes(cookie));
    expect(asked).toEqual([page, cookie, page]);
    expect(recheck).toMatchObject({ unchanged: 1, failed: 0 });
    expect(visits).toEqual([[page, 'unchanged', 'same-content', '']]);
  });

  test('is kept if the redirect does not return, and the target is requested once', async () => {
    const walls = [
      [page, login],
      [paperUrl('rail', 10), login],
    ] as const;
    const { recheck, asked, visits } = await looked(walls, () => false);
    expect(asked.toSorted()).toEqual([login, page, paperUrl('rail', 10)].toSorted());
    expect(recheck).toMatchObject({ unchanged: 0, failed: 2 });
    expect(visits.map(([, ...end]) => end)).toEqual([
      ['redirected', 'temporary', login],
      ['redirected', 'temporary', login],
    ]);
  });

  test('is not requested repeatedly in a redirect loop', async () => {
    const walls = [
      [page, cookie],
      [cookie, page],
    ] as const;
    const { recheck, asked } = await looked(walls, () => false);
    expect(asked).toEqual([page, cookie, page]);
    expect(recheck).toMatchObject({ failed: 1 });
  });
});

/** Of the pages found, one asks not to be stored by now, one not to have its links followed, either. Each links to a new page. */
function hidingWeb(pages: readonly PageHistory[]): Map<string, Answer> {
  const later = new Map(paperWeb());
  const [open, shut] = pages.filter(({ role }) => role === 'crawled').map(({ finalUrl }) => finalUrl);
  const hide = (url: string, content: string, to: number): void => {
    const text = (later.get(url) as string).replace('<head>', `<head><meta name="robots" content="${content}">`);
    later.set(url, text.replace('</p>', ` <a href="${paperUrl('rail', to)}">a new line</a></p>`));
    later.set(paperUrl('rail', to), (later.get(paperUrl('rail', 57)) as string).replace('<p>', `<p>line${to} `));
  };
  hide(open!, 'noindex', 202);
  hide(shut!, 'none', 203);
  return later;
}

test('links of a page that became noindex are followed like those of a rejected page', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }));
  await first.run();
  const pages = pagesOf(first.journal);
  const later = hidingWeb(pages);
  const config = exactConfig({ crawl: { budget: 110, learn: 10 } });
  const start = first.journal.records.length;
  const whole = paperCrawl(later, config, { journal: first.journal, recheck: pages });
  expect((await whole.run()).recheck).toMatchObject({ gone: 2 });
  const { records } = whole.journal;
  const hidden = records.flatMap((r) => (r.kind === 'visit' && r.result === 'noindex' ? [r] : []));
  expect(hidden.map(({ reason, page }) => [reason, page])).toEqual([
    ['links-followed', pages.find(({ role }) => role === 'crawled')!.sequence],
    ['meta-robots', expect.any(Number)],
  ]);
  const news = whole.journal.pages().find(({ finalUrl }) => finalUrl === paperUrl('rail', 202));
  const { url: from, origin } = hidden[0]!;
  const place = { from, depth: origin.depth + 1, tunnelDepth: origin.tunnelDepth + 1 };
  expect(origin.priority).toBeGreaterThan(1);
  expect(news?.origin).toMatchObject({ ...place, priority: config.crawl.tunnelDecay });
  expect(whole.fetcher.asked).not.toContain(paperUrl('rail', 203));
  const lastLook = records.findLastIndex((r) => r.kind !== 'round' && 'origin' in r && r.origin.via === 'recheck');
  expect(lastLook).toBeGreaterThan(start);
  for (let cut = lastLook + 1; cut < records.length; cut += 12) {
    const resumed = paperCrawl(later, config, { journal: RecordingJournal.holding(records.slice(0, cut)) });
    await resumed.run();
    expect(resumed.journal.crawled(), `cut after record ${cut}`).toEqual(whole.journal.crawled());
  }
});

test('a page that moved to a noindex page is not requested again through a link', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }));
  await first.run();
  const pages = pagesOf(first.journal);
  const moved = pages.find(({ role }) => role === 'crawled')!.finalUrl;
  const target = at(paperUrl('rail', 204));
  const head = '<html><head><meta name="robots" content="noindex"></head>';
  const later = new Map(paperWeb())
    .set(moved, { kind: 'redirected', url: moved, target, status: 301, permanent: true, fetchedAt: 0 })
    .set(target, `${head}<body><a href="${paperUrl('rail', 205)}">there</a></body></html>`)
    .set(paperUrl('rail', 205), `<html><body>locomotive track <a href="${target}">and back</a></body></html>`);
  const config = exactConfig({ crawl: { budget: 110, learn: 10 } });
  const again = paperCrawl(later, config, { journal: first.journal, recheck: pages });
  await again.run();
  expect(again.fetcher.asked).toContain(paperUrl('rail', 205));
  expect(again.fetcher.asked.filter((url) => url === target)).toHaveLength(1);
});

test('of the new links of a recheck, a thousand are fetched first; the others wait', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 60, learn: 10 } }));
  await first.run();
  const pages = pagesOf(first.journal).filter(({ role }) => role === 'crawled');
  const later = new Map(paperWeb());
  for (const [i, { finalUrl }] of pages.entries()) {
    const links = Array.from({ length: 50 }, (_, n) => `<a href="http://rail${i}.paper.test/new/${i}-${n}">rail</a>`);
    later.set(finalUrl, (later.get(finalUrl) as string).replace('</p>', `${links.join(' ')}</p>`));
  }
  const queued = ({ queues }: CrawlStatus): number => queues.reduce((n, each) => n + each.incoming + each.outgoing, 0);
  const before = queued(first.crawl.status());
  const again = paperCrawl(later, exactConfig({ crawl: { budget: 60, learn: 10 }, recheck: { newPages: 0 } }), {
    ...{ journal: first.journal, recheck: pages, onlyRecheck: true },
  });
  const { recheck, status } = await again.run();
  expect([pages.length > 25, recheck?.changed]).toEqual([true, pages.length]);
  expect(queued(status) - before).toBe(pages.length * 50 - 1000);
});

test('a recheck starts after learning', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }));
  await first.run();
  const learned = first.journal.records.findIndex((record) => record.kind === 'phase' && record.phase === 'harvesting');
  const journal = RecordingJournal.holding(first.journal.records.slice(0, learned - 5));
  const again = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }), {
    ...{ journal, recheck: pagesOf(journal) },
  });
  const { recheck } = await again.run();
  expect(recheck).toMatchObject({ unchanged: recheck!.total });
  const { records } = again.journal;
  const isLook = (record: JournalRecord): boolean => record.kind === 'visit' && record.origin.via === 'recheck';
  const harvesting = records.findIndex((record) => record.kind === 'phase' && record.phase === 'harvesting');
  expect(harvesting).toBeGreaterThan(0);
  expect(records.findIndex(isLook)).toBeGreaterThan(harvesting);
});

test('a recheck after a spent budget ignores a command to return to learning', async () => {
  const config = exactConfig({ crawl: { budget: 30, learn: 10 } });
  const first = paperCrawl(paperWeb(), config);
  await first.run();
  const obeyed: boolean[] = [];
  const again = paperCrawl(paperWeb(), config, {
    ...{ journal: first.journal, recheck: pagesOf(first.journal), onlyRecheck: true },
    onEvent: ({ kind }) => {
      if (kind === 'visit' && obeyed.length === 0) obeyed.push(again.crawl.steer({ kind: 'begin-learning' }));
    },
  });
  const { reason, recheck } = await again.run();
  expect([obeyed, reason, recheck!.unchanged]).toEqual([[false], 'rechecked', recheck!.total]);
});

test('a recheck cut anywhere checks the remaining pages, and none twice', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }));
  await first.run();
  const start = first.journal.records.length;
  const pages = pagesOf(first.journal);
  const later = laterWeb(first.journal);
  const config = exactConfig({ crawl: { budget: 30, learn: 10 } });
  const whole = paperCrawl(later, config, { journal: RecordingJournal.holding(first.journal.records), recheck: pages });
  await whole.run();
  /** Pages whose look has an answer; one that moved has it when the new address was asked. */
  const looked = (records: readonly JournalRecord[]): string[] =>
    records.slice(start).flatMap((record) => {
      if (record.kind === 'page') return record.origin.via === 'recheck' ? [record.url] : [];
      const isAnswer = record.kind === 'visit' && record.origin.via === 'recheck' && record.reason !== 'permanent';
      return isAnswer ? [pages.find((page) => page.sequence === record.page)!.url] : [];
    });
  expect(looked(whole.journal.records)).toHaveLength(pages.length);
  for (let cut = start + 1; cut < whole.journal.records.length; cut += 4) {
    const journal = RecordingJournal.holding(whole.journal.records.slice(0, cut));
    const done = new Set(looked(journal.records));
    await paperCrawl(later, config, { journal, recheck: pages.filter(({ url }) => !done.has(url)) }).run();
    expect(looked(journal.records).sort(), `cut after record ${cut}`).toEqual(looked(whole.journal.records).sort());
    // The link that is new was found by one of the two runs, and fetched by the second at the latest, beyond the budget.
    expect(journal.crawled(), `cut after record ${cut}`).toContain(paperUrl('rail', 201));
  }
});

test('requests no URL twice except in a recheck, which requests each page once', async () => {
  const first = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 30, learn: 10 } }));
  await first.run();
  const known = new Set(first.fetcher.asked);
  const rechecked = new Set<string>(pagesOf(first.journal).map((page) => page.finalUrl));
  const again = paperCrawl(laterWeb(first.journal), exactConfig({ crawl: { budget: 40, learn: 10 } }), {
    journal: first.journal,
    recheck: pagesOf(first.journal),
  });
  await again.run();
  expect(new Set(again.fetcher.asked).size).toBe(again.fetcher.asked.length);
  expect(again.fetcher.asked.filter((url) => known.has(url) && !rechecked.has(url))).toEqual([]);
});
