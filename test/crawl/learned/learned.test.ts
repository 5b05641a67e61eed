import { describe, expect, test } from 'vitest';
import { stemHashesOf, tokenize } from '../../../src/analyze/index.ts';
import {
  type CanonicalUrl,
  type Lesson,
  LINK_FLAG,
  type Link,
  parseTopicId,
  type WholePage,
  type WordWeights,
} from '../../../src/core/index.ts';
import { LearnedOrdering } from '../../../src/crawl/learned/learned.ts';
import type { FrontierEntry, JudgedPage } from '../../../src/crawl/ordering.ts';
import { hash32 } from '../../../src/kit/index.ts';
import { changesOf, follow, page } from '../support/pages.ts';

const hashes = (text: string): number[] => (text.toLowerCase().match(/[a-z]+/g) ?? []).map((word) => hash32(word));
const TOPIC = parseTopicId('t');
/** The word weights of a page model that is sure of some words. */
const weighing = (...words: string[]): WordWeights => {
  const found = Uint32Array.from(words, (word) => hash32(word));
  return { topics: [TOPIC], hashes: found, weights: new Float64Array(words.length).fill(2) };
};

/** A simulated crawl: pages of an artificial web, fetched best first; `seen` are the URLs in fetch order. */
class PaperCrawl {
  readonly ordering = new LearnedOrdering({ hashes });
  readonly frontier = new Map<string, number>();
  readonly seen: string[] = [];
  /** Priorities of the pages in `seen`. */
  readonly priorities: number[] = [];
  /** What other shards may learn from its pages. */
  readonly lessons: Lesson[] = [];
  #sequence = 0;

  judge(url: string, relevance: number, links: readonly Link[], whole?: WholePage): void {
    const entry = { url } as FrontierEntry;
    const scores: JudgedPage['assignment']['scores'] = [];
    const assignment = {
      topic: TOPIC,
      others: relevance < 0.5,
      relevance,
      scores,
    } as unknown as JudgedPage['assignment'];
    const page: JudgedPage = {
      ...{
        sequence: ++this.#sequence,
        url: url as CanonicalUrl,
        host: 'a.test',
        title: '',
        language: '',
        assignment,
        entry,
        links,
        ...(whole !== undefined && { whole }),
      },
    };
    this.ordering.judged(page);
    this.lessons.push(this.ordering.lesson(page));
    for (const link of links) {
      if (this.seen.includes(link.url)) continue;
      const place = { url: link.url as CanonicalUrl, host: 'a.test', topic: TOPIC, depth: 1, tunnelDepth: 0 };
      this.frontier.set(link.url, this.ordering.priorityOf({ ...place, link, page }));
    }
    for (const [changed, priority] of changesOf(this.ordering, [url, ...this.frontier.keys()]))
      if (changed !== url) this.frontier.set(changed, priority);
    this.ordering.gone(url as CanonicalUrl);
  }

  take(): string {
    const [best, priority] = [...this.frontier].reduce((a, b) => (b[1] > a[1] ? b : a));
    this.frontier.delete(best);
    this.priorities.push(priority);
    this.seen.push(best);
    return best;
  }
}

function link(url: string, anchor: string, context: string, position: number): Link {
  return { url, anchor, context, flags: 0, position };
}

/** A hub of 200 links. Every fourth link is good; the anchors show which, once their words are learned. */
function hubLinks(): Link[] {
  return Array.from({ length: 200 }, (_, i) => {
    const kind = i % 4 === 0 ? 'steam' : ['poem', 'river', 'tax'][i % 3]!;
    return link(`http://a.test/${i}`, `${kind} page`, `about … number`, i / 200);
  });
}

function crawl(pages: number): PaperCrawl {
  const crawl = new PaperCrawl();
  crawl.judge('http://a.test/hub', 0.6, hubLinks());
  for (let n = 0; n < pages; n++) {
    const url = crawl.take();
    crawl.judge(url, Number(url.slice(14)) % 4 === 0 ? 0.9 : 0, []);
  }
  return crawl;
}

test('learns the words of good links within a few pages', () => {
  const good = crawl(60).seen.filter((url) => Number(url.slice(14)) % 4 === 0).length;
  expect(good).toBeGreaterThan(42);
});

test('spends a small, shrinking share of the pages on links it knows little about', () => {
  const { priorities } = crawl(144);
  const explored = (from: number, to: number): number => priorities.slice(from, to).filter((p) => p > 2).length;
  expect(explored(0, 144)).toBe(6);
  expect(explored(0, 36)).toBe(3);
});

test('returns the same priorities for the same calls', () => {
  expect([...crawl(40).frontier]).toEqual([...crawl(40).frontier]);
});

test('uses the words of the page model before it has learned', () => {
  const ordering = new PaperCrawl();
  ordering.ordering.modelChanged(weighing('steam'));
  ordering.judge('http://a.test/hub', 0.6, [
    link('http://a.test/1', 'river', '', 0.1),
    link('http://a.test/2', 'steam', '', 0.2),
  ]);
  expect(ordering.take()).toBe('http://a.test/2');
});

test('of two links without words, prefers the one on better pages', () => {
  const paper = new PaperCrawl();
  paper.judge('http://a.test/good', 0.9, [link('http://a.test/1', '', '', 0.5)]);
  paper.judge('http://a.test/bad', 0, [link('http://a.test/2', '', '', 0.5)]);
  expect(paper.take()).toBe('http://a.test/1');
});

test.each([
  ['anchor', link('http://a.test/1', 'Räder und Öfen', '', 0.5)],
  ['context', link('http://a.test/1', '', 'alles über Räder und Öfen: …', 0.5)],
  ['URL', link('http://a.test/räder-und-öfen', '', '', 0.5)],
])('the %s of a link is read in the language of the page that it stands on', (_, link) => {
  const weights = weighing(...tokenize('Das Rad am Ofen', 'de'));
  const priority = (language: string): number => {
    const ordering = new LearnedOrdering({ hashes: stemHashesOf });
    ordering.modelChanged(weights);
    return follow(ordering, page('http://a.test/hub', { language, links: [link] }))[0]!;
  };
  expect(priority('de')).toBeGreaterThan(priority(''));
  expect(priority('en')).toBe(priority(''));
});

test('forgets removed links: changes list only waiting ones', () => {
  const paper = crawl(30);
  for (const url of [...paper.frontier.keys()]) paper.ordering.gone(url as CanonicalUrl);
  expect([...paper.ordering.changes()]).toEqual([]);
});

test('learns what distinguishes good links if their words do not', () => {
  const paper = new PaperCrawl();
  const links = Array.from({ length: 200 }, (_, i): Link => {
    const plain = link(`http://a.test/${i}`, '', '', 0.5);
    return i % 4 === 0 ? { ...plain, flags: LINK_FLAG.boilerplate } : plain;
  });
  paper.judge('http://a.test/hub', 0.6, links);
  for (let n = 0; n < 60; n++) {
    const url = paper.take();
    paper.judge(url, Number(url.slice(14)) % 4 === 0 ? 0.9 : 0, []);
  }
  const good = paper.seen.slice(20).filter((url) => Number(url.slice(14)) % 4 === 0).length;
  expect(good).toBeGreaterThan(30);
});

test('raises a low link if a new model knows its words', () => {
  const paper = new PaperCrawl();
  const poor = { ...link('http://a.test/poor', 'steam', '', 0.1), flags: LINK_FLAG.boilerplate };
  paper.judge('http://a.test/', 0, [poor]);
  const before = paper.frontier.get(poor.url)!;
  expect(before).toBeLessThan(0);
  paper.ordering.modelChanged(weighing('steam'));
  paper.judge('http://a.test/else', 0, []);
  expect(paper.frontier.get(poor.url)).toBeGreaterThan(before + 0.1);
});

test('raises the other links of each page that linked to a good page', () => {
  const paper = new PaperCrawl();
  const both = link('http://a.test/both', '', '', 0.5);
  for (const name of ['a', 'b', 'c'])
    paper.judge(`http://a.test/${name}`, 0.3, [
      ...(name === 'c' ? [] : [both]),
      link(`http://a.test/${name}/1`, '', '', 0.5),
    ]);
  const before = new Map(paper.frontier);
  paper.frontier.delete(both.url);
  paper.judge(both.url, 1, []);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => {
    const url = `http://a.test/${name}/1`;
    return paper.frontier.get(url)! - before.get(url)!;
  }) as [number, number, number];
  expect(Math.min(a, b)).toBeGreaterThan(c + 0.02);
});

describe('a shard', () => {
  const hub = 'http://a.test/hub';
  /** A shard to which every second link of the hub leads. */
  const shard = (): PaperCrawl => {
    const paper = new PaperCrawl();
    const links = hubLinks().filter((_, i) => i % 2 === 0);
    paper.judge(hub, 0.6, links, { links: 200, known: [] });
    return paper;
  };
  const goodOf = (paper: PaperCrawl): number =>
    Array.from({ length: 10 }, () => paper.take()).filter((url) => Number(url.slice(14)) % 4 === 0).length;

  test('learns from the pages of other shards which words good links have', () => {
    const taught = shard();
    for (const lesson of crawl(60).lessons) taught.ordering.learn(JSON.parse(JSON.stringify(lesson)) as Lesson);
    for (let i = 0; i < 40; i++) taught.judge(`http://a.test/none/${i}`, 0, [], { links: 0, known: [] });
    expect(goodOf(taught)).toBe(10);
    expect(goodOf(shard())).toBeLessThan(10);
  });

  test('counts in how many pages of all shards a word is', () => {
    const [other, paper] = [new PaperCrawl(), new PaperCrawl()];
    for (let i = 0; i < 40; i++) other.judge(`http://a.test/${i}`, 0.5, [link('http://b.test/', 'steam', '', 0.5)]);
    const wordsOf = (): number => {
      paper.judge('http://a.test/own', 0.5, [link('http://c.test/', 'steam', '', 0.5)]);
      return paper.lessons.at(-1)!.words.length;
    };
    expect(wordsOf()).toBe(1);
    for (const lesson of other.lessons) paper.ordering.learn(lesson);
    expect(wordsOf()).toBe(0);
  });

  test('is sent the words of four links to fetched pages, from all over the page', () => {
    const paper = new PaperCrawl();
    for (let i = 0; i < 8; i++) paper.judge(`http://a.test/${i}`, 1, []);
    const links = Array.from({ length: 16 }, (_, i) => link(`http://a.test/${i}`, `word${'x'.repeat(i)}`, '', i / 16));
    paper.judge(hub, 1, links);
    const { known } = paper.lessons.at(-1)!;
    expect(known.map(({ words }) => words[0])).toEqual(
      [0, 2, 4, 6].map((i) => [hash32(`word${'x'.repeat(i)}`) & 0xffff]),
    );
    expect(known.every(({ relevance }) => relevance === 1)).toBe(true);
  });

  test('learns from the links of other shards to fetched pages', () => {
    const shardWith = (known: Lesson['known']): PaperCrawl => {
      const paper = shard();
      const url = 'http://b.test/' as CanonicalUrl;
      for (let i = 0; i < 20; i++) paper.ordering.learn({ url, relevance: 0.1, link: undefined, words: [], known });
      for (let i = 0; i < 40; i++) paper.judge(`http://a.test/none/${i}`, 0, [], { links: 0, known: [] });
      return paper;
    };
    const known = ['steam', 'poem', 'river', 'tax'].map((word) => ({
      words: [[hash32(word) & 0xffff], [], []],
      relevance: word === 'steam' ? 1 : 0,
    }));
    expect(goodOf(shardWith(known))).toBe(10);
    expect(goodOf(shardWith([]))).toBeLessThan(10);
  });

  test('learns what links of a page are worth that lead to other shards', () => {
    const links = [link('http://a.test/1', '', '', 0.5)];
    const [rich, poor] = [new PaperCrawl(), new PaperCrawl()];
    rich.judge(hub, 0.6, links, { links: 3, known: [[16, 0.9]] });
    poor.judge(hub, 0.6, links, { links: 3, known: [[16, 0]] });
    expect(rich.frontier.get('http://a.test/1')).toBeGreaterThan(poor.frontier.get('http://a.test/1')!);
  });

  test('is sent where the known links of a page stand, and what they are worth', () => {
    const paper = new PaperCrawl();
    paper.judge('http://a.test/7', 1, []);
    const links = [link('http://a.test/7', '', '', 0.5), link('http://a.test/8', '', '', 0.6)];
    paper.judge(hub, 0.6, links);
    expect(paper.ordering.wholeOf({ links } as unknown as JudgedPage)).toEqual({ links: 2, known: [[16, 1]] });
  });

  test('follows links to explore only after pages of its own', () => {
    const paper = shard();
    const { lessons } = crawl(60);
    for (const lesson of lessons) {
      paper.ordering.learn(lesson);
      paper.judge(hub, 0.6, [], { links: 200, known: [] });
    }
    expect([...paper.frontier.values()].filter((priority) => priority > 2)).toEqual([]);
  });
});
