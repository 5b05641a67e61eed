import { expect, test } from 'vitest';
import { type BlockId, fits, offsetOf, WordBlocks } from '../../../src/crawl/learned/word-blocks.ts';
import { seededRandom } from '../../../src/kit/index.ts';

const MOST = 192;

test('reuses a released block for the next request of its size only', () => {
  const blocks = new WordBlocks();
  const short = blocks.make(3);
  const long = blocks.make(40);
  blocks.drop(short, 3);
  blocks.drop(long, 40);
  expect(fits(40, 37)).toBe(true);
  expect(fits(3, 40)).toBe(false);
  const lists = [blocks.make(37), blocks.make(37), blocks.make(4), blocks.make(0)];
  expect(lists.slice(0, 3)).toEqual([long, long + 40, short]);
  expect(new Set(lists).size).toBe(4);
});

test('lists of any length keep their words while others change, over many segments', () => {
  const blocks = new WordBlocks();
  const random = seededRandom(1);
  const below = (n: number): number => Math.floor(random() * n);
  const lists: { block: BlockId; words: Uint16Array }[] = [];
  const add = (): { block: BlockId; words: Uint16Array } => {
    const words = Uint16Array.from({ length: below(MOST + 1) }, () => below(1 << 16));
    const block = blocks.make(words.length);
    blocks.write(block, { units: words, from: 0, to: words.length });
    return { block, words };
  };
  for (let i = 0; i < 10_000; i++) lists.push(add());
  const most = Math.max(...lists.map(({ block }) => block));
  for (let i = 0; i < 30_000; i++) {
    const at = below(lists.length);
    blocks.drop(lists[at]!.block, lists[at]!.words.length);
    lists[at] = add();
  }
  for (const { block, words } of lists) {
    const from = offsetOf(block);
    expect(blocks.units(block).subarray(from, from + words.length)).toEqual(words);
  }
  expect(most).toBeGreaterThan(3 << 18);
  // Free blocks are reused: lists as long as before need little more room, whatever happened in between.
  expect(Math.max(...lists.map(({ block }) => block))).toBeLessThan(1.2 * most);
});
