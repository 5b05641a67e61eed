import { describe, expect, it } from 'vitest';
import { type ComparedCrawl, compareCrawls, comparisonChart } from '../../../src/workbench/compare/compare-crawls.ts';
import { crawlFacts, type FoundPage } from '../../../src/workbench/compare/crawl-facts.ts';
import { scoreChart, scoreCrawl } from '../../../src/workbench/compare/score-crawl.ts';

const found = (url: string, isRelevant = true, confidence = 1): FoundPage => ({
  ...{ sequence: 0, url, host: new URL(url).host, isRelevant, relevance: confidence, confidence },
});
const crawl = (name: string, ...pages: FoundPage[]): ComparedCrawl => ({ name, pages, authorities: [] });

describe('compareCrawls', () => {
  const a = crawl('a', found('http://x.test/1'), found('http://x.test/2', false), found('http://y.test/3'));
  const b = crawl(
    'b',
    found('http://x.test/2'),
    found('http://z.test/4'),
    found('http://x.test/1'),
    found('http://y.test/5', false),
  );

  it('counts the relevant pages of the other crawl over time, whatever this crawl thinks of them', () => {
    const [byA, byB] = compareCrawls([a, b]).coverage;
    expect(byA).toMatchObject({ by: 'a', of: 'b', found: 2, share: 2 / 3 });
    expect(byA?.overTime).toEqual([
      [0, 0],
      [1, 1 / 3],
      [2, 2 / 3],
      [3, 2 / 3],
    ]);
    expect(byB).toMatchObject({ by: 'b', of: 'a', found: 1, share: 0.5 });
  });

  it('measures what both have, at the end and after equally many pages', () => {
    const [overlap] = compareCrawls([a, b]).overlaps;
    expect(overlap).toMatchObject({
      urls: { common: 2, ofA: 2 / 3, ofB: 0.5 },
      hosts: { common: 2, ofA: 1, ofB: 2 / 3 },
      best: { common: 1, ofA: 0.5, ofB: 1 / 3 },
    });
    expect(overlap?.urlsOverTime).toEqual([
      [0, 0],
      [1, 0],
      [2, 0.5],
      [3, 2 / 3],
    ]);
  });

  it('compares each pair of three crawls, and an empty one', () => {
    const { coverage, overlaps } = compareCrawls([a, b, crawl('c')]);
    expect(overlaps.map((one) => one.a + one.b)).toEqual(['ab', 'ac', 'bc']);
    expect(coverage.filter(({ by, of }) => by === 'c' || of === 'c').every(({ share }) => share === 0)).toBe(true);
  });

  it('draws names of folders as text, never as markup', () => {
    const svg = comparisonChart(compareCrawls([a, { ...b, name: '<script>' }]));
    expect(svg).toContain('&lt;script&gt;');
    expect(svg).not.toContain('<script>');
  });
});

describe('crawlFacts', () => {
  it('finds the shortest distance of authorities in the crawled graph beside the way taken', async () => {
    const rows = [0, 1, 2, 3].map((depth, i) => ({
      ...{ sequence: i + 1, finalUrl: `http://a.test/${i + 1}`, role: 'crawled', others: false },
      ...{ relevance: 1, confidence: 1, depth },
    }));
    const store = {
      exportPages: async function* () {
        yield* rows;
      },
      pageLinks: async function* () {
        // 1 -> 2 -> 3 -> 4 is the way taken; 1 -> 4 was found later.
        yield [
          [1, 2],
          [2, 3],
          [3, 4],
          [1, 4],
        ].map(([from, to]) => ({ from, to }));
      },
      scoredPages: async () => [
        { sequence: 3, hub: 0, authority: 0.25 },
        { sequence: 4, hub: 0, authority: 0.75 },
        { sequence: 1, hub: 1, authority: 0 },
      ],
    };
    const { authorities } = await crawlFacts(store as never, { tree: { nodes: new Map([['bikes', {}]]) } } as never);
    expect(authorities.map(({ url, shortest, taken }) => [url, shortest, taken])).toEqual([
      ['http://a.test/4', 1, 3],
      ['http://a.test/3', 2, 2],
    ]);
    const [distances] = compareCrawls([{ name: 'a', pages: [], authorities }]).distances;
    expect(distances).toEqual({ crawl: 'a', shortest: [0, 1, 1], taken: [0, 0, 1, 1] });
  });
});

describe('scoreCrawl', () => {
  it('matches addresses that begin with one of the list, at the end of a name', () => {
    const pages = ['https://www.a.test/~ann/papers.html', 'http://a.test/~anna/', 'http://b.test/x', 'http://c.test/'];
    const list = ['http://a.test/~ann/', 'http://b.test/index.html', 'http://c.test/deeper'];
    const { listed, scores, missing } = scoreCrawl({ pages: pages.map((url) => found(url)) }, list);
    expect(listed).toBe(3);
    expect(scores).toEqual([{ best: 4, matching: 2, precision: 0.5, found: 2, recall: 2 / 3 }]);
    expect(missing).toEqual(['http://c.test/deeper']);
  });

  it('counts the most confident of the accepted pages, and all pages over time', () => {
    const sure = Array.from({ length: 100 }, (_, i) => found(`http://sure.test/${i}`, true, 2));
    const pages = [found('http://late.test/', true, 1), found('http://rejected.test/', false, 9), ...sure];
    const list = ['http://late.test/', 'http://rejected.test/', 'http://sure.test/7'];
    const { scores, recallOverTime } = scoreCrawl({ pages }, list);
    expect(scores.map(({ best, found }) => [best, found])).toEqual([
      [100, 1],
      [101, 2],
    ]);
    expect(recallOverTime.slice(0, 2)).toEqual([
      [1, 1 / 3],
      [2, 2 / 3],
    ]);
    expect(recallOverTime.at(-1)).toEqual([102, 1]);
  });

  it('draws a crawl without accepted pages', () => {
    expect(scoreChart(scoreCrawl({ pages: [] }, ['http://a.test/']))).toMatch(/^<svg/);
  });

  it('refuses an empty list', () => {
    expect(() => scoreCrawl({ pages: [] }, [])).toThrow('no address');
  });
});
