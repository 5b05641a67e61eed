import { expect, test } from 'vitest';
import { type CanonicalUrl, type Config, DEFAULTS, hostOf, type TopicId } from '../../../src/core/index.ts';
import { type Distilled, distillTopic } from '../../../src/engine/rounds/distillation.ts';
import type { CrawlState } from '../../../src/engine/state/crawl-state.ts';
import type { TopicPage } from '../../../src/engine/state/topic-pages.ts';
import { Turns } from '../../../src/kit/time-slices.ts';

const TOPIC = 'rail' as TopicId;

/** A page of the crawl; `accepted` ones are of the topic. Its number is its place in the list. */
interface Stored {
  readonly url: string;
  readonly links: readonly string[];
  readonly isRejected?: boolean;
  /** Other addresses that led to it. */
  readonly aliases?: readonly string[];
}

async function distilled(
  stored: readonly Stored[],
  config: Partial<Config['distill']> = {},
  outside: Readonly<Record<string, readonly string[]>> = {},
): Promise<Distilled> {
  const pages = stored.map(({ url, links, isRejected = false }, i): TopicPage & { isRejected: boolean } => {
    const relevance = isRejected ? 0.3 : 0.9;
    const place = { url: url as CanonicalUrl, host: hostOf(url as CanonicalUrl), title: '' };
    const scores = { relevance, calibrated: relevance, bayesCalibrated: relevance };
    return { ...place, ...scores, sequence: i + 1, links: links.join('\n'), isRejected };
  });
  const seen = new Map(stored.flatMap(({ url, aliases = [] }, i) => [url, ...aliases].map((each) => [each, i + 1])));
  const state = {
    tree: { nodes: new Map() },
    unfetchedBacklinks: (url: string) => outside[url] ?? [],
    seen: { pageOf: (url: string) => seen.get(url), has: (url: string) => seen.has(url) },
    kept: {
      topics: new Map([[TOPIC, { best: () => pages.filter(({ isRejected }) => !isRejected) }]]),
      predecessors: { best: (most: number) => pages.filter(({ isRejected }) => isRejected).slice(0, most) },
    },
  } as unknown as CrawlState;
  return await distillTopic(TOPIC, state, { ...DEFAULTS.distill, ...config }, new Turns());
}

test('a page is an equal authority under any of its URLs, and links within a site count 0', async () => {
  const { authorities } = await distilled([
    { url: 'http://a.test/', links: ['http://known.test/'] },
    { url: 'http://b.test/', links: ['http://old.test/', 'http://once.test/'] },
    { url: 'http://known.test/', links: [], aliases: ['http://old.test/'] },
    { url: 'http://once.test/', links: ['http://own.test/1'] },
    { url: 'http://own.test/1', links: ['http://own.test/2'] },
    { url: 'http://own.test/2', links: ['http://own.test/2'] },
  ]);
  const order = [...authorities].toSorted(([, a], [, b]) => b - a).map(([url]) => url);
  expect(order.slice(0, 2)).toEqual(['http://known.test/', 'http://once.test/']);
  expect(order).not.toContain('http://own.test/2');
  expect(order).not.toContain('http://old.test/');
});

test('counts the accepted pages that link to an accepted page, within a site as well', async () => {
  const { citations } = await distilled([
    { url: 'http://a.test/', links: ['http://a.test/1', 'http://old.test/', 'http://off.test/'] },
    { url: 'http://a.test/1', links: ['http://b.test/', 'http://a.test/1'] },
    { url: 'http://b.test/', links: [], aliases: ['http://old.test/'] },
    { url: 'http://off.test/', links: ['http://b.test/'], isRejected: true },
  ]);
  expect([...citations]).toEqual([
    ['http://a.test/1', 1],
    ['http://b.test/', 2],
  ]);
});

test('raises unvisited links of the best hubs, fifty per hub, best hub first', async () => {
  const good = [1, 2, 3, 4].map((i) => `http://good${i}.test/`);
  const list = Array.from({ length: 60 }, (_, i) => `http://new${i}.test/`);
  const pages = [
    { url: 'http://lesser.test/', links: [...good.slice(0, 3), 'http://extra.test/', list[0]!] },
    { url: 'http://best.test/', links: [...good, ...list] },
    { url: 'http://least.test/', links: [good[0]!, 'http://last.test/'] },
    ...good.map((url) => ({ url, links: [] })),
  ];
  const { unvisited } = await distilled(pages, { hubs: 2 });
  expect(unvisited.map(({ url, from, topic }) => [url, from, topic])).toEqual([
    ...list.slice(0, 50).map((url) => [url, 'http://best.test/', TOPIC]),
    ['http://extra.test/', 'http://lesser.test/', TOPIC],
  ]);
});

test('a rejected page that links to accepted ones is a hub whose links come first, up to a limit of pages', async () => {
  const good = [1, 2, 3].map((i) => `http://good${i}.test/`);
  const pages = [
    ...good.map((url, i) => ({ url, links: [good[(i + 1) % 3]!] })),
    { url: 'http://list.test/', links: [...good, 'http://other.test/'], isRejected: true },
    { url: 'http://stranger.test/', links: ['http://other.test/'], isRejected: true },
    { url: 'http://second.test/', links: good, isRejected: true },
  ];
  const hubs = async (maxPredecessors: number): Promise<readonly string[]> => {
    const { scores, unvisited } = await distilled(pages, { maxPredecessors });
    expect(unvisited.map(({ url, from }) => [url, from])).toEqual([['http://other.test/', 'http://list.test/']]);
    return scores.filter(({ hub }) => hub > 0).map(({ url }) => url);
  };
  expect(await hubs(9)).toEqual(expect.arrayContaining(['http://list.test/', 'http://second.test/']));
  expect(await hubs(9)).not.toContain('http://stranger.test/');
  expect(await hubs(1)).not.toContain('http://second.test/');
});

test('pages outside that link to an accepted page raise its authority, up to the limit of predecessors', async () => {
  const good = [1, 2].map((i) => `http://good${i}.test/`);
  const pages = [{ url: 'http://list.test/', links: good }, ...good.map((url) => ({ url, links: [] }))];
  const outside = { [good[0]!]: ['http://out1.test/'], [good[1]!]: ['http://out1.test/', 'http://out2.test/'] };
  const share = async (maxPredecessors: number, links = outside): Promise<number> => {
    const { authorities, scores, citations } = await distilled(pages, { maxPredecessors }, links);
    expect(scores.map(({ url }) => url).filter((url) => url.includes('//out'))).toEqual([]);
    expect([...citations.values()]).toEqual([1, 1]);
    return (authorities.get(good[1]!) ?? 0) / (authorities.get(good[0]!) ?? 0);
  };
  expect(await share(9, {})).toBeCloseTo(1, 6);
  expect(await share(1)).toBeCloseTo(1, 6);
  expect(await share(2)).toBeGreaterThan(1.2);
});
