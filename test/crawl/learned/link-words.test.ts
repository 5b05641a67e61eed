import { expect, test } from 'vitest';
import { hashWords, placeOf, union, urlText } from '../../../src/crawl/learned/link-words.ts';

const link = (anchor: string, context: string) => ({ url: 'http://a.test/', anchor, context, flags: 0, position: 0 });
const shared = (a: string, b: string): number => [...a].filter((word) => b.includes(word)).length;

test('links that stand in like places share features, whatever they are called', () => {
  const one = placeOf(link('Charles Dickens', 'a novel written by … in 1850'));
  const two = placeOf(link('Jane Austen', 'first printed, written by … in London'));
  const other = placeOf(link('steam engine', 'driven with a … and belts'));
  expect(shared(one, two)).toBeGreaterThan(shared(one, other) + 3);
});

test('a context without a mark says nothing of the place, its anchor still does', () => {
  const bare = placeOf(link('IBM', 'made by'));
  expect(shared(bare, placeOf(link('DEC', '')))).toBeGreaterThan(3);
});

test('words are hashed once each, up to a limit', () => {
  expect(hashWords(['a', 'b', 'a'])).toHaveLength(2);
  expect(
    hashWords(
      Array.from({ length: 100 }, (_, i) => `w${i}`),
      10,
    ),
  ).toHaveLength(10);
});

test('a union keeps the older words first, each once', () => {
  expect(union('ab', 'b')).toBe('ab');
  expect(union('ab', 'ca')).toBe('abc');
  expect(union('', 'c')).toBe('c');
  expect(union('a'.padEnd(48, 'xyz'), 'q')).toHaveLength(48);
});

test.each([
  ['http://a.test/wiki/Steam_engine.html', 'wiki Steam engine '],
  ['http://a.test/caf%C3%A9-au-lait', 'café au lait'],
  ['http://a.test/100%', '100 '],
])('the words of %s', (url, text) => {
  expect(urlText(url)).toBe(text);
});
