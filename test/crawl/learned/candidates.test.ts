import { expect, test } from 'vitest';
import {
  ANCHOR,
  BOILERPLATE,
  Candidates,
  CONTEXT,
  COUNTS,
  CROWD,
  KEPT,
  LIST,
  MAX_OFFERS,
  NUMBERS,
  OFFERED,
  type Offer,
  PLACE,
  parentOf,
  RELEVANCE_MAX,
  RELEVANCE_SUM,
  SAME_HOST,
  stretchAt,
  URL_PATH,
} from '../../../src/crawl/learned/candidates.ts';
import type { Words } from '../../../src/crawl/learned/link-words.ts';
import { urlKey } from '../../../src/crawl/url-key.ts';
import { seededRandom } from '../../../src/kit/index.ts';

const words = (...units: number[]): Words => ({ units: Uint16Array.from(units), from: 0, to: units.length });
const listed = ({ units, from, to }: Words): number[] => [...units.subarray(from, to)];
const offer = (more: Partial<Offer>): Offer => {
  return { parent: 0, stretch: 0, boilerplate: false, list: false, sameHost: false, crowd: 0, relevance: 0, ...more };
};
const offersOf = ({ first, offers }: Candidates, candidate: number): [number, number][] => {
  const found: [number, number][] = [];
  for (let at = first[candidate]!; at !== 0; at = offers[2 * at + 1]!)
    found.push([parentOf(offers[2 * at]!), stretchAt(offers[2 * at]!)]);
  return found;
};

test('is found by its URL until it is removed', () => {
  const candidates = new Candidates();
  const a = candidates.add('http://a.test/ü', words(1));
  const b = candidates.add('http://a.test/b', words(2));
  expect(candidates.find('http://a.test/ü')).toBe(a);
  expect(candidates.keyOf(a)).toBe(urlKey('http://a.test/ü'));
  candidates.delete(a);
  expect(candidates.find('http://a.test/ü')).toBeUndefined();
  expect(candidates.find('http://a.test/b')).toBe(b);
});

test('stores its first offers one by one, and the sums of later ones', () => {
  const candidates = new Candidates();
  const { parents, numbers, counts } = candidates;
  const candidate = candidates.add('http://a.test/', words());
  const pages = Array.from({ length: MAX_OFFERS + 4 }, (_, i) => parents.add(i));
  pages.forEach((parent, i) => {
    const place = { boilerplate: i % 2 === 0, list: i < 3, sameHost: i > 3 };
    candidates.offer(candidate, offer({ parent, stretch: i, ...place, crowd: 1, relevance: i / 32 }));
  });
  expect(offersOf(candidates, candidate)).toEqual(pages.slice(0, MAX_OFFERS).map((page, i) => [page, i]));
  expect([...numbers.subarray(NUMBERS * candidate + CROWD, NUMBERS * candidate + OFFERED + 1)]).toEqual([
    MAX_OFFERS,
    (19 * 20) / 2 / 32,
    19 / 32,
    20,
  ]);
  expect([CROWD, RELEVANCE_SUM, RELEVANCE_MAX, OFFERED]).toEqual([0, 1, 2, 3]);
  expect(counts[COUNTS * candidate + KEPT]).toBe(MAX_OFFERS);
  expect(counts[COUNTS * candidate + BOILERPLATE]).toBe(MAX_OFFERS / 2);
  expect(counts[COUNTS * candidate + LIST]).toBe(3);
  expect(counts[COUNTS * candidate + SAME_HOST]).toBe(MAX_OFFERS - 4);
});

test('stores the words of a text in order of occurrence, each once, at most 48', () => {
  const candidates = new Candidates();
  const candidate = candidates.add('http://a.test/', words(7, 8));
  candidates.addWords(candidate, words(1, 2), words(5), words(9));
  candidates.addWords(candidate, words(2, 3), words(5), words());
  expect([ANCHOR, CONTEXT, URL_PATH, PLACE].map((text) => listed(candidates.wordsOf(candidate, text)))).toEqual([
    [1, 2, 3],
    [5],
    [7, 8],
    [9],
  ]);
  candidates.addWords(candidate, words(), words(...Array.from({ length: 60 }, (_, i) => 100 + i)), words());
  expect(candidates.wordsOf(candidate, CONTEXT).to - candidates.wordsOf(candidate, CONTEXT).from).toBe(48);
});

test('keeps the words, offers and keys of thousands of changing links apart', () => {
  const candidates = new Candidates();
  const random = seededRandom(5);
  const draw = (): number[] => [...new Set(Array.from({ length: 12 }, () => Math.floor(random() * 1000)))];
  const known = new Map<string, { context: number[]; path: number[]; stretches: number[]; offered: number }>();
  for (let step = 0; step < 30_000; step++) {
    const url = `http://a.test/${Math.floor(random() * 2000)}`;
    const own = known.get(url);
    const at = candidates.find(url);
    if (own !== undefined && random() < 0.3) {
      candidates.delete(at!);
      known.delete(url);
      continue;
    }
    const path = own?.path ?? draw();
    const candidate = at ?? candidates.add(url, words(...path));
    const parent = candidates.parents.add(0);
    const stretch = Math.floor(random() * 32);
    candidates.offer(candidate, offer({ parent, stretch, relevance: 1, sameHost: true }));
    candidates.parents.release(parent);
    const met = draw();
    candidates.addWords(candidate, words(), words(...met), words());
    const context = [...new Set([...(own?.context ?? []), ...met])].slice(0, 48);
    const stretches = [...(own?.stretches ?? []), stretch].slice(0, MAX_OFFERS);
    known.set(url, { context, path, stretches, offered: (own?.offered ?? 0) + 1 });
  }
  expect(candidates.size).toBe(known.size);
  const pages: number[] = [];
  for (const [url, { context, path, stretches, offered }] of known) {
    const candidate = candidates.find(url)!;
    expect(candidates.keyOf(candidate)).toBe(urlKey(url));
    expect(listed(candidates.wordsOf(candidate, CONTEXT))).toEqual(context);
    expect(listed(candidates.wordsOf(candidate, URL_PATH))).toEqual(path);
    expect(offersOf(candidates, candidate).map(([, stretch]) => stretch)).toEqual(stretches);
    const [sum, , all] = candidates.numbers.subarray(NUMBERS * candidate + RELEVANCE_SUM);
    expect([sum, all, candidates.counts[COUNTS * candidate + SAME_HOST]]).toEqual([offered, offered, stretches.length]);
    pages.push(...offersOf(candidates, candidate).map(([parent]) => parent));
  }
  // Each was offered by another page. No page number is forgotten or reused yet.
  expect(new Set(pages).size).toBe(pages.length);
});
