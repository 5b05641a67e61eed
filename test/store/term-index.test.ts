import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { packStems } from '../../src/core/index.ts';
import {
  addSquares,
  type Block,
  COUNT_WEIGHTS,
  NORM_SCALE,
  PostingList,
  readPostings,
  SEGMENT_SPAN,
  type Segment,
  SegmentBuilder,
  stemKey,
} from '../../src/store/term-index/segment.ts';
import { packCounts } from '../support/pack-counts.ts';

type Pages = readonly { readonly page: number; readonly stems: Readonly<Record<string, number>> }[];

type Built = Omit<Segment, 'blocks'> & { readonly blocks: readonly Block[] };

function build(pages: Pages): Built {
  const builder = new SegmentBuilder(pages.reduce((sum, { stems }) => sum + Object.keys(stems).length, 0));
  for (const { page, stems } of pages) builder.add(page, packStems(packCounts(Object.entries(stems))));
  const segment = builder.build();
  return { ...segment, blocks: [...segment.blocks] };
}

function find({ first, blocks }: Built, stem: string): (readonly [number, number])[] {
  const block = blocks.findLast((candidate) => candidate.stem <= stemKey(stem));
  const found = new PostingList();
  if (block !== undefined) readPostings(block, stemKey(stem), first, found);
  return Array.from({ length: found.length }, (_, i) => [found.pages[i]!, found.counts[i]!]);
}

describe('a segment', () => {
  test('returns the pages of every stem in order, with counts', () => {
    const word = fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom('a', 'b', 'c', 'ü') });
    const bag = fc.dictionary(word, fc.integer({ min: 1, max: 8 }), { noNullPrototype: true });
    const pages = fc
      .uniqueArray(fc.tuple(fc.integer({ min: 7, max: 7 + SEGMENT_SPAN - 1 }), bag), { selector: ([page]) => page })
      .map((list) => list.toSorted(([a], [b]) => a - b).map(([page, stems]) => ({ page, stems })));
    fc.assert(
      fc.property(pages, (list) => {
        const segment = build(list);
        const words = new Set([...list.flatMap(({ stems }) => Object.keys(stems)), 'absent']);
        for (const stem of words)
          expect(find(segment, stem)).toEqual(
            list.flatMap(({ page, stems }) => (stems[stem] === undefined ? [] : [[page, stems[stem]]])),
          );
      }),
    );
  });

  test('finds stems in any of many blocks', () => {
    const words = Array.from({ length: 5000 }, (_, i) => `word${i}`);
    const segment = build([3, 9].map((page) => ({ page, stems: Object.fromEntries(words.map((w) => [w, 1])) })));
    expect(segment.blocks.length).toBeGreaterThan(5);
    for (const word of words)
      expect(find(segment, word)).toEqual([
        [3, 1],
        [9, 1],
      ]);
  });

  test('distinguishes stems whose numbers differ only in the lower half', () => {
    const builder = new SegmentBuilder(9);
    // The upper 32 bits of each stem are 7. The lower 16 bits vary, with a count of 1.
    const stems = (...lows: number[]): Uint32Array => Uint32Array.from(lows.flatMap((low) => [low * 0x10000 + 1, 7]));
    builder.add(1, stems(3, 0xffff, 1));
    builder.add(2, stems(2, 1));
    builder.add(4, stems(0xffff, 3, 1, 0));
    const { first, blocks } = builder.build();
    const [block] = blocks;
    const pagesOf = (low: number): number[] => {
      const found = new PostingList();
      readPostings(block!, 7 * 0x10000 + low, first, found);
      return [...found.pages.subarray(0, found.length)];
    };
    expect([0, 1, 2, 3, 4, 0xffff].map(pagesOf)).toEqual([[4], [1, 2, 4], [2], [1, 4], [], [1, 4]]);
  });

  test('returns the length of each page, and the sequence numbers without a page', () => {
    const { first, last, pages, lengths } = build([
      { page: 5, stems: { a: 3, b: 1 } },
      { page: 7, stems: { a: 2 } },
    ]);
    expect({ first, last, pages }).toEqual({ first: 5, last: 7, pages: 2 });
    expect([...new Uint16Array(lengths.buffer)]).toEqual([4, 0, 2]);
  });

  test('returns the length of each page as a vector of 1 + ln count, as in all its blocks', () => {
    const { first, norms, blocks } = build([
      { page: 5, stems: { a: 3, b: 1 } },
      { page: 7, stems: { a: 2, c: 8 } },
    ]);
    const byHand = [Math.hypot(1 + Math.log(3), 1), 0, Math.hypot(1 + Math.log(2), 1 + Math.log(8))];
    const told = [...new Uint16Array(norms.buffer)].map((norm) => norm / NORM_SCALE);
    const squares = new Float64Array(3);
    for (const block of blocks) addSquares(block, squares);
    expect(first).toBe(5);
    for (const [i, norm] of byHand.entries()) {
      expect(told[i]).toBeCloseTo(norm, 1);
      expect(Math.sqrt(squares[i]!)).toBeCloseTo(norm, 9);
    }
    expect(COUNT_WEIGHTS[1]).toBe(1);
  });

  test('that is damaged returns no impossible page, and ends', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(1_000_000), (data, stem) => {
        const taken = new PostingList();
        readPostings({ stem: 0, data }, stem, 1, taken);
        addSquares({ data }, new Float64Array(3));
        expect(taken.length).toBeLessThanOrEqual(data.length);
      }),
    );
  });
});
