import { expect, test } from 'vitest';
import { PageWords } from '../../../src/crawl/learned/page-words.ts';

const words = (...ids: number[]): string => String.fromCharCode(...ids);

test('words of relevant pages promise more than the mean, words of others less, unknown ones nothing', () => {
  const pages = new PageWords();
  for (let i = 0; i < 20; i++) {
    pages.add([1, 9], 1);
    pages.add([2, 9], 0);
  }
  expect(pages.score(words(1))).toBeGreaterThan(0.3);
  expect(pages.score(words(2))).toBeLessThan(-0.3);
  expect(pages.score(words(777))).toBe(0);
  expect(pages.score(words())).toBe(0);
});

test('a word seen once counts for little: by hand, mean (0.5 + 1) / 11, (1 − mean) / (1 + 5)', () => {
  const pages = new PageWords();
  pages.add([1], 1);
  expect(pages.score(words(1))).toBeCloseTo((1 - 1.5 / 11) / 6, 6);
});
