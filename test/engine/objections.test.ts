import { expect, test } from 'vitest';
import type { CanonicalUrl, FetchOutcome } from '../../src/core/index.ts';
import type { Trouble } from '../../src/fetch/index.ts';
import {
  at,
  exactConfig,
  type Overrides,
  PaperFetcher,
  paperCrawl,
  paperUrl,
  paperWeb,
  railTree,
} from './support/paper-web.ts';

type Rules = NonNullable<Overrides['crawl']>;

/** Why a crawl with such settings must not ask a host of which it fetched no page. */
function objection(crawl: Rules, url = 'http://b.test/robots.txt'): Trouble | undefined {
  return paperCrawl(paperWeb(), exactConfig({ crawl })).crawl.objectionTo(at(url));
}

const locked = (detail: string) => ({ kind: 'refused', reason: 'locked-host', detail });

test.each<[string, Rules, string]>([
  ['locked', { lockedHosts: ['b.test'] }, 'b.test is locked (crawl.lockedHosts)'],
  ['left out by its name', { exclude: ['/x', 'b.test'] }, 'b.test is excluded (crawl.exclude: "b.test")'],
  ['below one that is left out', { exclude: ['/*.txt$', 'test/'] }, 'b.test is excluded (crawl.exclude: "test/")'],
])('a host that is %s is not to be asked', (_, crawl, detail) => {
  expect(objection(crawl)).toEqual(locked(detail));
});

test('a search engine is not to be asked unless the setting allows it', () => {
  const url = 'http://www.google.com/robots.txt';
  expect(objection({}, url)).toEqual(locked('www.google.com is locked (crawl.lockedHosts)'));
  expect(objection({ lockSearchEngines: false }, url)).toBeUndefined();
});

test('excludes a host that a topic blocks, or that the user blocks during the crawl', async () => {
  const tree = railTree();
  const [id, node] = [...tree.nodes].at(-1)!;
  const nodes = new Map([...tree.nodes, [id, { ...node, lockedHosts: ['b.test'] }]]);
  const { crawl, run } = paperCrawl(paperWeb(), exactConfig({ crawl: { budget: 3 } }), { tree: { ...tree, nodes } });
  const ended = run();
  crawl.steer({ kind: 'lock-host', host: 'c.test' });
  await ended;
  for (const host of ['b.test', 'c.test'])
    expect(crawl.objectionTo(at(`http://${host}/robots.txt`))).toEqual(locked(`${host} is locked (crawl.lockedHosts)`));
});

test.each<[string, Rules]>([
  ['one that nobody said anything of', {}],
  ['one of which some pages are left out', { exclude: ['b.test/shop/', '/*.txt$'] }],
  ['one outside of what may be asked for', { include: ['a.test'] }],
])('a host may be asked: %s', (_, crawl) => {
  expect(objection(crawl)).toBeUndefined();
});

/** Of whose hosts one says "not now", and then the crawl is stopped. */
class TroubledFetcher extends PaperFetcher {
  stop = (): void => {};

  override async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    if (!url.startsWith(TROUBLED)) return super.fetch(url);
    this.stop();
    const said = { reason: 'http', detail: 'HTTP status 503', status: 503, retryAfterMs: 60_000, fetchedAt: 0 };
    return { kind: 'failed', url, retry: 'later', ...said };
  }
}
const TROUBLED = new URL(paperUrl('rail', 4)).origin;

test.each([
  ['in a pause', 3, { kind: 'failed', retry: 'later', detail: expect.stringContaining('pauses after failures') }],
  ['bad', 1, { kind: 'failed', retry: 'later', detail: expect.stringContaining('is skipped after its failures') }],
])('a host that is %s is not to be asked now', async (_, maxTries, wanted) => {
  const web = paperWeb();
  const config = exactConfig({ crawl: { budget: 8, learn: 0, maxTries } });
  const fetcher = new TroubledFetcher(web);
  const { crawl, run } = paperCrawl(web, config, { fetcher });
  fetcher.stop = () => crawl.stop();
  await run();
  expect(crawl.objectionTo(at(`${TROUBLED}/robots.txt`))).toMatchObject(wanted);
});

test('postpones a host whose next turn is far off, and otherwise reserves its turn', () => {
  const { crawl } = paperCrawl(paperWeb(), exactConfig({ network: { delayMs: 200 } }));
  const url = at('http://b.test/robots.txt');
  expect(crawl.reserve(url)).toBe(0);
  expect(crawl.objectionTo(url)).toBeUndefined();
  expect(crawl.reserve(url)).toBeGreaterThan(150);
  expect(crawl.objectionTo(url)).toMatchObject({ kind: 'failed', retry: 'later', retryAfterMs: expect.any(Number) });
});
