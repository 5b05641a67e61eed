import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PAIR_BITS, wordPairs } from '../../src/kit/index.ts';

const pairs = (...texts: string[]): number[] => [...wordPairs(...texts)];
const has = (text: string, phrase: string): boolean => pairs(phrase).every((pair) => pairs(text).includes(pair));

describe('pairs of words', () => {
  test('are listed in order, each once, as numbers of few bits', () => {
    const found = pairs('a rose is a rose is a rose');
    expect(found).toHaveLength(3);
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(Math.max(...found)).toBeLessThan(2 ** PAIR_BITS);
  });

  test('are equal in any case and with anything between the words', () => {
    for (const text of ['source code', 'SOURCE-\nCode', 'the «Source» – code!', 'source\u00a0code', 'source😀code'])
      expect(has(text, 'source code'), text).toBe(true);
    for (const text of ['code source', 'source the code', 'sourcecode', 'resource code', 'source codes', ''])
      expect(has(text, 'source code'), text).toBe(false);
  });

  test('fold letters of any script like regular expressions do', () => {
    for (const [text, phrase] of [
      ['ÜBER ÖL', 'über öl'],
      ['МОСКВА ЗИМА', 'москва зима'],
      ['ΟΔΟΣ ΟΔΟΣ', 'οδός οδός'.normalize('NFD').replace(/\u0301/g, '')],
      ['ſo ſtand', 'SO STAND'],
      ['\u{10400}b c', '\u{10428}b c'],
    ] as const)
      expect(has(text, phrase), text).toBe(true);
    expect(has('моск зима', 'москва зима')).toBe(false);
  });

  test('continue from one text to the next', () => {
    expect(pairs('the title', 'begins here')).toEqual(pairs('the title begins here'));
    expect(pairs('word', '', 'word')).toEqual(pairs('word word'));
    expect(pairs('word')).toEqual([]);
  });

  test('of a phrase are all in every text that a pattern finds the phrase in', () => {
    const word = fc.constantFrom('a', 'B', 'ä', 'Ä', 'ж', '7', 'é', 'ß', 'I', 'ſ', '\u0301', '\u{1d400}');
    const gap = fc.constantFrom(' ', '-', '\n', '… ', "'", '😀', '\ud800');
    const text = fc.array(fc.oneof(word, word, gap), { maxLength: 40 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(10), (whole, from, length) => {
        const words =
          whole
            .slice(from % (whole.length + 1))
            .match(/[\p{L}\p{N}]+/gu)
            ?.slice(0, 1 + length) ?? [];
        const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${words.join('[^\\p{L}\\p{N}]+')}(?![\\p{L}\\p{N}])`, 'iu');
        for (const text of words.length < 2 ? [] : [whole, whole.toUpperCase(), whole.toLowerCase()])
          if (pattern.test(text)) expect(has(text, words.join(' '))).toBe(true);
      }),
    );
  });

  test('of a long text are found again after it', () => {
    const long = Array.from({ length: 30_000 }, (_, i) => `w${i}`).join(' ');
    expect(pairs(long).length).toBeGreaterThan(29_000);
    expect(has(long, 'w12345 w12346')).toBe(true);
    expect(pairs('one two')).toHaveLength(1);
  });
});
