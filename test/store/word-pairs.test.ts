import { describe, expect, test } from 'vitest';
import { packSorted } from '../../src/kit/index.ts';
import { type PairBlock, PairBuilder, placesOf } from '../../src/store/term-index/pairs.ts';

const packed = (...pairs: number[]): Uint8Array => packSorted(Uint32Array.from(pairs));
const find = (blocks: readonly PairBlock[], pair: number, pages: number): number[] => [
  ...placesOf(blocks.findLast((block) => block.pair <= pair)!, pair, pages),
];

describe('pairs of a segment', () => {
  test('lead to the positions of all pages that have them', () => {
    const pages = Array.from({ length: 700 }, (_, i) => [5, 1000 + (i % 7), 2 ** 20 - 1 - i].toSorted((a, b) => a - b));
    const builder = new PairBuilder(3 * 700);
    for (const pairs of pages) builder.add(packed(...pairs));
    const blocks = [...builder.build()];
    expect(blocks.length).toBeGreaterThan(1);
    for (const pair of [5, 999, 1000, 1003, 1007, 2 ** 20 - 1, 2 ** 20 - 700, 2 ** 20 - 701, 0])
      expect(find(blocks, pair, 700)).toEqual([...pages.keys()].filter((place) => pages[place]!.includes(pair)));
  });

  test('have a block even if no page has two words', () => {
    const builder = new PairBuilder(0);
    builder.add(packed());
    const blocks = [...builder.build()];
    expect(blocks).toHaveLength(1);
    expect(find(blocks, 17, 1)).toEqual([]);
  });

  test('are left out if those of one page are unknown', () => {
    const builder = new PairBuilder(2);
    builder.add(packed(1));
    builder.add(undefined);
    builder.add(packed(2));
    expect([...builder.build()]).toEqual([]);
  });
});
