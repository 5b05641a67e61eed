import { expect, test } from 'vitest';
import { MAX_WORDS, placeOf, urlText, WordSets, type Words, wordSlot } from '../../../src/crawl/learned/link-words.ts';
import { hash32, seededRandom } from '../../../src/kit/index.ts';

const link = (anchor: string, context: string) => ({ url: 'http://a.test/', anchor, context, flags: 0, position: 0 });
const shared = (a: readonly number[], b: readonly number[]): number => a.filter((word) => b.includes(word)).length;

test('links in similar positions share features, whatever their words', () => {
  const one = [...placeOf(link('Charles Dickens', 'a novel written by … in 1850'))];
  const two = [...placeOf(link('Jane Austen', 'first printed, written by … in London'))];
  const other = [...placeOf(link('steam engine', 'driven with a … and belts'))];
  expect(shared(one, two)).toBeGreaterThan(shared(one, other) + 3);
});

test('a context without a mark has no position, but its anchor still counts', () => {
  const bare = [...placeOf(link('IBM', 'made by'))];
  expect(shared(bare, [...placeOf(link('DEC', ''))])).toBeGreaterThan(3);
});

/** The slow reference: features as texts, patterns only. */
function slowPlaceOf(anchor: string, context: string): number[] {
  const tokens = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];
  const gap = context.indexOf('…');
  const before = gap < 0 ? [] : tokens(context.slice(Math.max(0, gap - 24), gap));
  const after = gap < 0 ? [] : tokens(context.slice(gap + 1, gap + 25));
  const own = tokens(anchor);
  const left = before.at(-1) ?? '';
  const right = after[0] ?? '';
  const shape = !/^\p{Lu}/u.test(anchor)
    ? 'plain'
    : /^\p{Lu}[\p{Lu}\p{N}./-]+$/u.test(anchor)
      ? 'acronym'
      : /^\p{Lu}.*\s\p{Lu}/u.test(anchor)
        ? 'title'
        : 'name';
  return [
    `left ${left}`,
    `left ${before.at(-2) ?? ''} ${left}`,
    `right ${right}`,
    `right ${right} ${after[1] ?? ''}`,
    `shape ${shape}`,
    `shape ${shape} ${left}`,
    `length ${Math.min(4, own.length)}`,
    `first ${own[0] ?? ''}`,
    `last ${own.at(-1) ?? ''}`,
  ].map((feature) => hash32(feature));
}

test.each([1, 2, 3])('finds the position of a link like patterns do, whatever the text, seed %i', (seed) => {
  const random = seededRandom(seed);
  const pieces = [
    'a',
    'bc',
    'D',
    'EF',
    '7',
    '42',
    ' ',
    '  ',
    '\t',
    '.',
    '-',
    '/',
    ',',
    '(',
    'é',
    'Éa',
    'ß',
    '…',
    '中',
    '😀',
  ];
  const draw = (): string => {
    const plain = random() < 0.5;
    const all = plain ? pieces.slice(0, 14) : pieces;
    return Array.from({ length: Math.floor(random() * 9) }, () => all[Math.floor(random() * all.length)]).join('');
  };
  for (let i = 0; i < 3000; i++) {
    const anchor = draw();
    const context = `${draw()}${draw()}${random() < 0.8 ? '…' : ''}${draw()}`;
    expect([...placeOf({ anchor, context })], `${anchor} in ${context}`).toEqual(slowPlaceOf(anchor, context));
  }
});

const words = (...units: number[]): Words => ({ units: Uint16Array.from(units), from: 0, to: units.length });

test('stores each word once, as 16 bits of its hash, up to a limit', () => {
  const sets = new WordSets();
  expect(sets.add(['a', 'b', 'a'].map((word) => hash32(word)))).toBe(2);
  expect([...sets.units.subarray(0, 2)]).toEqual([wordSlot(hash32('a')), wordSlot(hash32('b'))]);
  expect(sets.add(Array.from({ length: 100 }, (_, i) => i))).toBe(2 + MAX_WORDS);
});

test('a union keeps the older words first, each once', () => {
  const sets = new WordSets();
  const union = (a: Words, b: Words): number[] => {
    const from = sets.end;
    const length = sets.addUnion(a, b);
    return [...sets.units.subarray(from, from + length)];
  };
  expect(union(words(1, 2), words(2))).toEqual([1, 2]);
  expect(union(words(1, 2), words(3, 1))).toEqual([1, 2, 3]);
  expect(union(words(), words(3))).toEqual([3]);
  const full = Array.from({ length: MAX_WORDS }, (_, i) => i);
  expect(union(words(...full), words(99))).toEqual(full);
});

test.each([
  ['http://a.test/wiki/Steam_engine.html', 'wiki Steam engine '],
  ['http://a.test/caf%C3%A9-au-lait', 'café au lait'],
  ['http://a.test/100%', '100 '],
])('the words of %s', (url, text) => {
  expect(urlText(url)).toBe(text);
});
