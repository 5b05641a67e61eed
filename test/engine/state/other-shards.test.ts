import { expect, test } from 'vitest';
import { ALL_SHARDS, type CanonicalUrl, type Lesson, type Link, parseTopicId } from '../../../src/core/index.ts';
import type { JudgedPage } from '../../../src/crawl/index.ts';
import { SentLinks } from '../../../src/engine/sent-links.ts';
import { OtherShards } from '../../../src/engine/state/other-shards.ts';

const link = (url: string): Link => ({ url, anchor: '', context: '', flags: 0, position: 0 });
const lesson: Lesson = {
  url: 'http://h0.test/' as CanonicalUrl,
  relevance: 0.5,
  link: undefined,
  words: [],
  known: [],
};
const whole = { links: 4, known: [[3, 0.5]] as const };
const ordering = { lesson: () => lesson, wholeOf: () => whole };
const page: JudgedPage = {
  ...{ sequence: 9, url: lesson.url, host: 'h0.test', title: 'Hubs', language: 'en', entry: undefined },
  links: ['http://h0.test/a', 'http://h1.test/b', 'http://h1.test/known', 'http://h2.test/c'].map(link),
  assignment: { topic: parseTopicId('t'), relevance: 0.5, scores: [] } as unknown as JudgedPage['assignment'],
};

/** Shard 0 of four; host h2.test is in shard 2. */
function shardZero(): OtherShards {
  const others = new OtherShards({ has: (url) => url.endsWith('known') }, (host) => Number(host[1]));
  others.begin({ shard: 0, shards: 4 });
  return others;
}

test('sends each shard its new links of a page, and all shards together what the page teaches', () => {
  const others = shardZero();
  others.send(page, ordering);
  const left = others.take();
  expect([...left.keys()].toSorted()).toEqual([ALL_SHARDS, 1, 2]);
  const sent = [...left].flatMap(([to, { pages }]) => pages.map(({ links, whole }) => ({ to, links, whole })));
  expect(sent).toEqual([
    { to: 1, links: [link('http://h1.test/b')], whole },
    { to: 2, links: [link('http://h2.test/c')], whole },
  ]);
  for (const [to, { lessons }] of left) expect(lessons).toEqual(to === ALL_SHARDS ? [lesson] : []);
  expect(others.take().size).toBe(0);
});

test('sends links once, and what a page teaches each time', () => {
  const others = shardZero();
  const sent = new SentLinks();
  for (const links of [1, 0]) {
    others.send(page, ordering);
    const left = sent.unsent(others.take());
    expect(left.get(ALL_SHARDS)!.lessons).toEqual([lesson]);
    expect((left.get(1)?.pages ?? []).flatMap((page) => page.links).length).toBe(links);
  }
});

test('sends links of orderings that teach nothing', () => {
  const others = shardZero();
  others.send(page, {});
  const left = others.take();
  expect([...left.keys()].toSorted()).toEqual([1, 2]);
  expect(left.get(1)!.pages[0]!.whole).toEqual({ links: 4, known: [] });
});

test('sends nothing if there is one shard', () => {
  const others = new OtherShards({ has: () => false }, () => 0);
  others.begin({ shard: 0, shards: 1 });
  others.send(page, ordering);
  expect(others.take().size).toBe(0);
});

test('sends nothing before the crawl is spread', () => {
  const others = new OtherShards({ has: () => false });
  others.send(page, ordering);
  expect(others.take().size).toBe(0);
});
