import { describe, expect, test } from 'vitest';
import type { CanonicalUrl, TopicId } from '../../../src/core/index.ts';
import { HostClocks } from '../../../src/crawl/index.ts';
import { CrawlState } from '../../../src/engine/state/crawl-state.ts';
import { type Pinned, seedEntry } from '../../../src/engine/state/jobs.ts';
import { type RedirectPorts, Redirects } from '../../../src/engine/state/redirects.ts';
import { entry } from '../../crawl/support/entries.ts';
import { exactConfig, paperCrawl, paperWeb, railTree } from '../support/paper-web.ts';

const FROM = 'http://a.test/from' as CanonicalUrl;
const TO = 'http://b.test/to' as CanonicalUrl;
const job: Pinned = { entry: entry(FROM, { tries: 2 }), role: 'crawled' };

/** What the crawl knows, as far as redirects ask. */
interface World {
  /** Pages by address; 0 = it gave none. */
  readonly seen?: Readonly<Record<string, number>>;
  readonly isUnderWay?: boolean;
  readonly isPinned?: boolean;
  readonly isSpent?: boolean;
  readonly isAdmissible?: boolean;
  readonly isTrap?: boolean;
  readonly isEndless?: boolean;
}

function follow(world: World, from: Pinned = job, target: string = TO) {
  const told: string[] = [];
  const pinned: Pinned[] = [];
  const ports = {
    limits: { maxRedirects: 2 },
    others: { isForeign: () => false },
    seen: {
      pageOf: (url: string) => world.seen?.[url],
      add: (url: string, page: number) => told.push(`${url} is ${page}`),
    },
    training: { lead: (_: Pinned, page: number) => told.push(`leads to ${page}`) },
    waiting: {
      isUnderWay: () => world.isUnderWay === true,
      isAsked: () => world.isUnderWay === true || world.isPinned === true,
      isSpent: () => world.isSpent === true,
      pinned: { addFirst: (next: Pinned) => pinned.push(next) },
    },
    guard: {
      standing: () => (world.isTrap ? 'barred' : 'free'),
      isEndlessRedirect: () => world.isEndless === true,
      endlessRedirect: (url: string) => told.push(`${url} wasted`),
    },
    gate: {
      whyNotTo: (_: string, host: string) => (world.isAdmissible === false ? `${host}, which may not be fetched` : ''),
    },
    frontier: () => ({ moved: (url: string) => told.push(`${url} moved`) }),
  };
  const why = new Redirects(ports as unknown as RedirectPorts).follow({ target }, from);
  return { why, told, next: pinned.map((next) => next.entry) };
}

describe('a redirect', () => {
  test('is followed at once, in place of its entry and of one that waits for the target', () => {
    const { why, told, next } = follow({});
    expect([why, told]).toEqual(['', [`${TO} moved`]]);
    expect(next).toEqual([{ ...job.entry, url: TO, host: 'b.test', redirects: [FROM], tries: 0 }]);
  });

  test('to a stored page makes all its URLs that page', () => {
    const before = { ...job, entry: { ...job.entry, redirects: ['http://z.test/' as CanonicalUrl] } };
    const { why, told, next } = follow({ seen: { [TO]: 7 } }, before);
    expect([why, told, next]).toEqual(['', ['http://z.test/ is 7', `${FROM} is 7`, 'leads to 7'], []]);
  });

  test('to a URL that is being fetched waits for that fetch', () => {
    expect(follow({ isUnderWay: true })).toEqual({ why: '', told: [], next: [] });
  });

  test('to the target of another redirect waits for it, except for a training page', () => {
    expect(follow({ isPinned: true })).toEqual({ why: '', told: [], next: [] });
    expect(follow({ isPinned: true }, { ...job, role: 'example' }).next).toHaveLength(1);
  });

  test.each<[string, World, string]>([
    ['to what gave no page', { seen: { [TO]: 0 } }, 'it redirects to an address without a page'],
    ['into a trap', { isTrap: true }, 'it redirects to a trap on b.test'],
    ['where nothing may be fetched', { isAdmissible: false }, 'it redirects to b.test, which may not be fetched'],
    ['to a site that has had its pages', { isSpent: true }, 'it redirects to b.test, which may not be fetched'],
  ])('%s is reported and not followed', (_, world, why) => {
    expect(follow(world)).toEqual({ why, told: [], next: [] });
  });

  test('of a seed is followed to a failed URL, and to a site at its page limit', () => {
    const seed: Pinned = { entry: seedEntry(FROM, 'topic' as TopicId), role: 'crawled' };
    expect(follow({ seen: { [TO]: 0 }, isSpent: true }, seed).next).toHaveLength(1);
  });

  test('without end marks all its URLs as failed', () => {
    const { why, told } = follow({ isEndless: true });
    expect([why, told]).toEqual(['it redirects endlessly', [`${FROM} wasted`]]);
  });

  test('chain is as long as the settings allow', () => {
    const behind = (n: number): Pinned => {
      const redirects = Array.from({ length: n }, (_, i) => `http://a.test/${i}` as CanonicalUrl);
      return { ...job, entry: { ...job.entry, redirects } };
    };
    expect([follow({}, behind(1)).why, follow({}, behind(2)).why]).toEqual(['', 'it redirects too often']);
  });

  test('to a target outside the web is reported', () => {
    expect(follow({}, job, 'mailto:a@b.test').why).toBe('it redirects to something that is not a web address');
  });
});

describe('a URL that redirects to one that is already requested', () => {
  const config = exactConfig();
  const WAY = 'http://c.test/way' as CanonicalUrl;

  /** A crawl in which FROM redirects to WAY, which is asked for already, and WAY to TO; then TO is answered. */
  async function answered(answer: 'page' | 'duplicate'): Promise<number | undefined> {
    const { run, journal } = paperCrawl(paperWeb(), config);
    await run();
    const state = new CrawlState(railTree(), config, {
      hosts: new HostClocks({ ...config.network, maxTries: 3 }),
      resolve() {},
    });
    const page = journal.pages().find(({ role }) => role === 'crawled')!;
    const { origin } = page;
    const visit = {
      kind: 'visit',
      origin,
      reason: '',
      detail: '',
      status: 0,
      page: 0,
      retried: false,
      fetchedAt: 0,
    } as const;
    const jobOf = (url: string): Pinned => ({ entry: entry(url, { topic: origin.topic }), role: 'crawled' });
    state.waiting.pinned.add([jobOf(WAY)]);
    state.apply({ ...visit, sequence: 1, url: FROM, result: 'redirected', target: WAY }, jobOf(FROM));
    const asked = { ...visit, sequence: 2, url: WAY, result: 'redirected', target: TO } as const;
    state.apply(asked, state.waiting.takeExact(asked, WAY));
    const last =
      answer === 'page'
        ? { ...page, sequence: 3, url: WAY, redirects: [WAY], finalUrl: TO }
        : ({ ...visit, sequence: 3, url: TO, result: 'duplicate', target: '', page: 1 } as const);
    state.apply(last, state.waiting.takeExact(last, TO));
    return state.seen.pageOf(FROM);
  }

  test('is a URL of the resulting page, also after more redirects', async () => {
    expect(await answered('page')).toBe(3);
  });

  test('is a URL of the original if the result is a copy', async () => {
    expect(await answered('duplicate')).toBe(1);
  });
});
