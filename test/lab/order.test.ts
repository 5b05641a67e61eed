import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hotPages, importanceOf, trueMeasures } from '../../src/lab/order/importance.ts';
import { type Experiment, runExperiment } from '../../src/lab/order/models.ts';
import type { OrderWeb } from '../../src/lab/order/order-web.ts';
import { VirtualCrawl, type VirtualCrawlOptions } from '../../src/lab/order/virtual-crawl.ts';
import { run } from '../cli/support/captured-io.ts';
import { railPage, writeTwoTopics } from './support/two-topics.ts';

interface Made {
  /** Links of each page. */
  readonly links: readonly (readonly number[])[];
  /** Links whose anchor has the word, as `from-to`. */
  readonly named?: readonly string[];
  readonly words?: readonly number[];
}

function webOf({ links, named = [], words = [] }: Made): OrderWeb {
  const edges = links.flatMap((targets, from) => targets.map((to) => ({ from, to })));
  const starts = Int32Array.from({ length: links.length + 1 }, (_, i) => links.slice(0, i).flat().length);
  return {
    ...{ size: links.length, urls: links.map((_, i) => `http://a.test/${'x/'.repeat(i % 3)}${i}`), starts },
    sources: Int32Array.from(edges, ({ from }) => from),
    targets: Int32Array.from(edges, ({ to }) => to),
    named: Uint8Array.from(edges, ({ from, to }) => (named.includes(`${from}-${to}`) ? 1 : 0)),
    similarity: Float64Array.from(links, (_, i) => words[i] ?? 0),
    words: Float64Array.from(links, (_, i) => words[i] ?? 0),
  };
}

function fetched(web: OrderWeb, options: Partial<VirtualCrawlOptions>): number[] {
  const crawl = new VirtualCrawl(web, { ordering: 'breadth-first', rankInterval: 1, seed: 1, ...options });
  const pages: number[] = [];
  for (let page = crawl.next(); page !== undefined; page = crawl.next()) pages.push(page);
  return pages;
}

/** 0 links to 1, 2 and 3; page 4 is linked from 1 and 2, page 5 from 3. */
const TREE: Made = { links: [[1, 2, 3], [4], [4], [5], [], []] };

const experiment = (fields: Partial<Experiment>): Experiment => ({
  ...{ title: 't', weights: { ib: 1 }, model: 'crawl-stop', hot: {}, buffer: 2, orderings: ['breadth-first'] },
  ...{ rankInterval: 1, seed: 1 },
  ...fields,
});

const curve = (web: OrderWeb, fields: Partial<Experiment>, name = 'breadth-first'): number[] => [
  ...(runExperiment(web, experiment(fields)).curves.find((one) => one.name === name)?.values ?? []),
];

describe('a virtual crawl', () => {
  test('fetches in the order of finding, or the page with most links so far', () => {
    expect(fetched(webOf(TREE), {})).toEqual([0, 1, 2, 3, 4, 5]);
    const twice: Made = { links: [[1, 2, 3], [3], [], []] };
    expect(fetched(webOf(twice), { ordering: 'backlink' })).toEqual([0, 1, 3, 2]);
  });

  test('orders by PageRank of the links seen, computed after every so many pages', () => {
    // 1 has one link and passes all of its rank to 4; 0 divides its rank among three pages.
    const web = webOf({ links: [[1, 2, 3], [4], [], [], []] });
    expect(fetched(web, { ordering: 'pagerank' })).toEqual([0, 1, 4, 2, 3]);
    expect(fetched(web, { ordering: 'pagerank', rankInterval: 100 })).toEqual([0, 1, 2, 3, 4]);
  });

  test('fetches every page once at random, in another order for another seed', () => {
    const web = webOf(TREE);
    const orders = [1, 2, 3, 4, 5, 6].map((seed) => fetched(web, { ordering: 'random', seed }));
    for (const order of orders) expect(order.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(new Set(orders.map((order) => order.join())).size).toBeGreaterThan(1);
    expect(fetched(web, { ordering: 'random', seed: 3 })).toEqual(orders[2]);
  });

  test('serves links with the word in the anchor first', () => {
    const web = webOf({ ...TREE, named: ['0-3', '3-5'] });
    expect(fetched(web, { ordering: 'breadth-first+hot' })).toEqual([0, 3, 5, 1, 2, 4]);
  });

  test('serves links fewer than three from a hot page first', () => {
    const chain: Made = { links: [[1, 2], [3], [7], [4], [5], [6], [], []], words: [0, 12] };
    const web = webOf(chain);
    // Page 1 is hot: 3 and 4 are one and two links away, 5 is three.
    expect(fetched(web, { ordering: 'breadth-first+near', words: 10 })).toEqual([0, 1, 3, 4, 2, 5, 7, 6]);
    expect(fetched(web, { ordering: 'breadth-first+near', words: 13 })).toEqual(fetched(web, {}));
  });
});

describe('importance', () => {
  test('is a weighted sum of metrics relative to the greatest value of each', () => {
    const web = webOf(TREE);
    const measures = trueMeasures(web);
    expect([...importanceOf(measures, { ib: 1 }, web.size)]).toEqual([0, 1, 1, 1, 2, 1]);
    expect([...importanceOf(measures, { ib: 0.5, il: 1 }, web.size)]).toEqual(
      [0, 1, 1, 1, 2, 1].map((ib, i) => expect.closeTo((0.5 * ib) / 2 + [2, 3, 4][i % 3]! ** -1 * 2, 9)),
    );
  });

  test('makes pages hot by rank, value and words, all together', () => {
    const web = webOf({ ...TREE, words: [10, 0, 10, 0, 0, 10] });
    const importance = importanceOf(trueMeasures(web), { ib: 1 }, web.size);
    expect([...hotPages(web, importance, { rank: 1 })]).toEqual([0, 0, 0, 0, 1, 0]);
    // Ties with the page of that rank are hot, too.
    expect([...hotPages(web, importance, { rank: 2 })]).toEqual([0, 1, 1, 1, 1, 1]);
    expect([...hotPages(web, importance, { value: 1, words: 10 })]).toEqual([0, 0, 1, 0, 0, 1]);
  });
});

describe('the models', () => {
  const web = webOf({ links: [[1, 2, 3], [3], [3], [], []] });

  test('crawl and stop counts the most important pages among as many fetched', () => {
    // Backlinks: 0, 1, 1, 3.
    expect(curve(webOf({ links: [[1, 2, 3], [3], [3], []] }), {})).toEqual([0, 0, 0.5, 2 / 3, 1]);
  });

  test('a threshold counts the hot pages fetched, beside an ideal and a random crawler', () => {
    const fields: Partial<Experiment> = { model: 'threshold', hot: { value: 1 } };
    expect(curve(web, fields).slice(0, 5)).toEqual([0, 0, 1 / 3, 2 / 3, 1]);
    expect(curve(web, fields, 'ideal')).toEqual([0, 1 / 3, 2 / 3, 1, 1, 1]);
    expect(curve(web, fields, 'random (expected)')).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  });

  test('a limited buffer keeps the pages that seem important by then', () => {
    const loop = webOf({ links: [[1, 2, 3], [3], [3, 1], [0]] });
    // True backlinks: 1, 2, 1, 3; the two most important pages are 1 and 3.
    expect(curve(loop, { model: 'buffer', buffer: 2 })).toEqual([0, 0, 0.5, 0.5, 1]);
    expect(curve(loop, { model: 'buffer', buffer: 2 }, 'ideal')).toEqual([0, 0.5, 1, 1, 1]);
  });
});

describe('bingo lab order', () => {
  test('compares orderings on a frozen web without labels, and writes tables, curves and a report', async () => {
    const root = mkdtempSync(join(tmpdir(), 'bingo-order-'));
    try {
      const { webs } = writeTwoTopics(root);
      rmSync(join(webs, 'two.labels.tsv'));
      const file = join(webs, 'two.warc.gz');
      const out = join(root, 'out');
      const { code, out: table } = await run(['lab', 'order', file, '--start', railPage(0), '--out', out]);
      expect(code).toBe(0);
      expect(table).toMatch(/^breadth-first( +\S+){8}$/m);
      expect(readFileSync(join(out, 'report.html'), 'utf8')).toContain('<svg');
      expect(readFileSync(join(out, 'order.svg'), 'utf8')).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
      const words = ['--query', 'locomotive', '--paper', '--json', '--start', railPage(0)];
      const paper = JSON.parse((await run(['lab', 'order', file, ...words])).out) as {
        readonly results: readonly { readonly experiment: { readonly title: string }; readonly hot?: number }[];
        readonly histograms: readonly { readonly pages: readonly number[] }[];
      };
      expect(paper.results.map(({ experiment: { title } }) => title.slice(0, 7))).toEqual(
        [1, 2, 3, 6, 7, 4].map((n) => `Graph ${n}`),
      );
      expect(paper.histograms[0]?.pages.reduce((sum, pages) => sum + pages, 0)).toBe(80);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  test.each([
    [['nowhere.warc.gz'], 'nowhere.warc.gz does not exist.'],
    [['package.json'], 'not a WARC file name'],
    [['a.warc', '--orderings', 'pagerang'], 'Did you mean "pagerank"?'],
    [['a.warc', '--orderings', 'pagerank+cold'], 'Unknown ordering: "pagerank+cold"'],
    [['a.warc', '--words', '10'], '--query is missing'],
    [['a.warc', '--importance', 'ib=-1'], 'takes a number from 0'],
    [['a.warc', '--importance', 'ib=0'], 'every weight is 0'],
  ])('reports wrong input: %s', async (words, message) => {
    expect(await run(['lab', 'order', ...words])).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });
});
