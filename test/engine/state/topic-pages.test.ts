import { expect, test } from 'vitest';
import { canonicalize } from '../../../src/core/index.ts';
import { UrlLists } from '../../../src/crawl/index.ts';
import { type TopicPage, TopicPages } from '../../../src/engine/state/topic-pages.ts';

function page(sequence: number, calibrated: number, links: string = ''): TopicPage {
  const url = canonicalize(`http://example.org/${sequence}`)!;
  return { sequence, url, title: '', host: 'example.org', relevance: 1, calibrated, bayesCalibrated: 0, links };
}

const linksOf = (sequence: number): string => `http://a.test/${sequence}\nhttp://b.test/${sequence % 7}`;

test('returns the most confident pages first, the earlier of equals first', () => {
  const pages = new TopicPages(10);
  for (const [sequence, calibrated] of [
    [1, 0.2],
    [2, 0.9],
    [3, 0.2],
    [4, 0.5],
  ] as const)
    pages.add(page(sequence, calibrated));
  expect(pages.best().map((p) => p.sequence)).toEqual([2, 4, 1, 3]);
  expect(pages.best(2).map((p) => p.sequence)).toEqual([2, 4]);
});

test('forgets the weakest beyond its limit', () => {
  const pages = new TopicPages(5);
  for (let i = 1; i <= 1000; i++) pages.add(page(i, (i * 37) % 1000));
  expect(pages.best().map((p) => p.calibrated)).toEqual([999, 998, 997, 996, 995]);
});

test('returns each page with its original links, including those of other topics', () => {
  const lists = new UrlLists();
  const topics = [new TopicPages(5, lists), new TopicPages(8, lists)];
  for (let i = 1; i <= 200; i++) topics[i % 2]!.add(page(i, (i * 37) % 1000, linksOf(i)));
  for (const pages of topics) for (const { sequence, links } of pages.best()) expect(links).toBe(linksOf(sequence));
});

test('a changed page has its new links, and a removed page has none', () => {
  const pages = new TopicPages(5);
  for (const i of [1, 2, 3]) pages.add(page(i, i, linksOf(i)));
  const [third] = pages.best();
  pages.renew(third!.url, undefined);
  pages.renew(page(2, 2).url, page(2, 9, linksOf(22)));
  expect(third!.links).toBe('');
  expect(pages.best().map(({ sequence, links }) => [sequence, links])).toEqual([
    [2, linksOf(22)],
    [1, linksOf(1)],
  ]);
});

test('frees the links of forgotten, changed and removed pages', () => {
  const lists = new UrlLists();
  const kept = new Set<number>();
  const counting = {
    keep: (urls: string) => {
      const id = lists.keep(urls);
      kept.add(id);
      return id;
    },
    release: (id: number) => {
      expect(kept.delete(id)).toBe(true);
      lists.release(id);
    },
    text: (id: number) => lists.text(id),
  };
  const pages = new TopicPages(100, counting as unknown as UrlLists);
  for (let i = 1; i <= 2000; i++) pages.add(page(i, (i * 37) % 1000, i % 5 === 0 ? '' : linksOf(i)));
  expect(kept.size).toBeLessThan(125);
  for (const { url } of pages.best()) pages.renew(url, undefined);
  expect(kept.size).toBeLessThan(25);
});

test('is restored as recorded', () => {
  const pages = new TopicPages(5);
  const told = { ...page(1, 0.5, linksOf(1)), title: 'A title', host: 'a.test', relevance: 0.7 };
  pages.add(told);
  const [{ title, host, relevance, links } = told] = pages.best();
  expect([title, host, relevance, links]).toEqual(['A title', 'a.test', 0.7, linksOf(1)]);
  pages.add(page(2, 0.4));
  expect(pages.best()[1]?.links).toBe('');
});
