import { expect, test } from 'vitest';
import { PageWords } from '../../../src/crawl/learned/page-words.ts';

const add = (pages: PageWords, ids: readonly number[], relevance: number): void =>
  pages.add(Uint16Array.from(ids), 0, ids.length, relevance);
const score = (pages: PageWords, ids: readonly number[]): number => pages.score(Uint16Array.from(ids), 0, ids.length);

test('rates words of relevant pages above the mean, of others below, unknown ones 0', () => {
  const pages = new PageWords();
  for (let i = 0; i < 20; i++) {
    add(pages, [1, 9], 1);
    add(pages, [2, 9], 0);
  }
  expect(score(pages, [1])).toBeGreaterThan(0.3);
  expect(score(pages, [2])).toBeLessThan(-0.3);
  expect(score(pages, [777])).toBe(0);
  expect(score(pages, [])).toBe(0);
});

test('gives a word of one page little weight, however frequent it is (by hand)', () => {
  const pages = new PageWords();
  add(pages, [1, 1], 1);
  expect(score(pages, [1])).toBeCloseTo((1 - 1.5 / 11) / 6, 6);
});

test('a word is rare until thirty pages have had it', () => {
  const words = new PageWords();
  const units = Uint16Array.of(9, 3, 9, 5);
  for (let page = 0; page < 30; page++) words.add([3, 5], 0, 2, 0);
  expect(words.rare({ units, from: 0, to: 4 })).toEqual([3, 5, 9]);
  words.add([5], 0, 1, 0);
  expect(words.rare({ units, from: 0, to: 4 })).toEqual([3, 9]);
  expect(words.rare({ units, from: 1, to: 3 })).toEqual([3, 9]);
});
