import { expect, test } from 'vitest';
import { type Confidence, DEFAULTS, type TopicScores, topicTree } from '../../../src/core/index.ts';
import { HostClocks } from '../../../src/crawl/index.ts';
import { Following, type FollowingPorts } from '../../../src/engine/state/link-scheduler.ts';
import { OtherShards } from '../../../src/engine/state/other-shards.ts';
import { PagePacker, unpackPage } from '../../../src/engine/state/packed-page.ts';
import { page } from '../../crawl/support/pages.ts';

const URL_OF_PAGE = 'http://a.test/';
const NAMES = Array.from({ length: 400 }, (_, i) => `topic ${i}`);
const everywhere = (scores: (i: number) => Partial<TopicScores>): Record<string, Partial<TopicScores>> =>
  Object.fromEntries(NAMES.map((name, i) => [name, scores(i)]));

test('a page is restored with the scores of each topic', () => {
  const packer = new PagePacker();
  const pages = [
    page(URL_OF_PAGE, { more: everywhere((i) => ({ calibrated: i / 7, cosine: Number.NaN })) }),
    page(URL_OF_PAGE, { more: everywhere((i) => (i === 42 ? { confidence: 1 as Confidence } : { bayes: -0 })) }),
    page(URL_OF_PAGE, { more: { one: {}, two: { relevance: 0.1 } } }),
    page(URL_OF_PAGE),
  ];
  expect(pages.map((one) => unpackPage(packer.pack(one)))).toEqual(pages);
});

test('a page is restored with the priorities that an ordering of the user gave to its links', () => {
  const links = [undefined, 0, 2 / 3].map((priority, i) => {
    const link = { url: `http://b.test/${i}`, anchor: 'x', context: '', flags: 0, position: 0 };
    return priority === undefined ? link : { ...link, priority };
  });
  const one = { ...page(URL_OF_PAGE), links, orderedBy: 'mine' };
  expect(unpackPage(new PagePacker().pack(one))).toEqual(one);
});

test('stores equal scores of neighbouring topics once, and topic names once for all pages', () => {
  const packer = new PagePacker();
  const [first, second] = [7, 300].map((own) => {
    const at = page(URL_OF_PAGE, { more: everywhere((i) => ({ calibrated: i === own ? 1 : 0 })) });
    return packer.pack(at).scores;
  });
  expect([first!.numbers.length, first!.counts]).toEqual([3 * 6, Uint32Array.of(8, 1, 392)]);
  expect(second!.topics).toBe(first!.topics);
});

test('stores pages that wait for the next phase outside the heap, and frees them then', () => {
  const tree = topicTree([{ name: 'topic' }], []);
  const hosts = new HostClocks({ ...DEFAULTS.network, maxTries: 3 });
  const ports = {
    config: { ...DEFAULTS.crawl, ordering: 'breadth-first' },
    world: { hosts, resolve: () => {}, isResolved: () => true },
    tree: () => tree,
    tunnelDistance: () => 2,
    gate: { admitted: () => [] },
    others: new OtherShards({ has: () => false }),
    budgets: { isSpent: () => false, hasRoom: () => true },
  };
  const following = new Following(ports as unknown as FollowingPorts);
  const links = [{ url: URL_OF_PAGE, anchor: 'x'.repeat(3_000) }];
  const before = process.memoryUsage().arrayBuffers;
  const held = (): number => process.memoryUsage().arrayBuffers - before;
  for (let i = 0; i < 2_000; i++) for (const _ of following.judged(page(URL_OF_PAGE, { accepted: false, links })));
  expect(held()).toBeGreaterThan(1_900 * 3_000);
  for (const _ of following.enter('harvesting'));
  expect(held()).toBeLessThan(600 * 3_000);
});
