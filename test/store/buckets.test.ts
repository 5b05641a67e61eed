import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Buckets } from '../../src/store/term-index/buckets.ts';

const bucketOf = (word: number): number => word >>> 24;
/** Some buckets exceed a piece of memory, many are empty. */
const words = fc
  .tuple(
    fc.array(fc.integer({ min: 0, max: 0xffffffff })),
    fc.array(fc.constantFrom(7, 0x07000001, 0xff000000), { size: 'max', maxLength: 3000 }),
  )
  .map(([some, many]) => [...some, ...many]);

describe('buckets', () => {
  test('return entries in order of their highest bits, then of insertion', () => {
    fc.assert(
      fc.property(words, (list) => {
        const buckets = new Buckets(list.length, 1);
        const half = list.length >>> 1;
        buckets.addAll(Uint32Array.from(list.slice(0, half)));
        buckets.addAll(Uint32Array.from(list.slice(half)));
        const read: number[] = [];
        for (const entries of buckets.read()) read.push(...entries);
        expect(read).toEqual(list.toSorted((a, b) => bucketOf(a) - bucketOf(b)));
      }),
      { numRuns: 30 },
    );
  });

  test('keep the two words of an entry together', () => {
    fc.assert(
      fc.property(words, (list) => {
        const buckets = new Buckets(list.length, 2);
        for (const [i, word] of list.entries()) buckets.addTwo(i, word);
        const read: number[] = [];
        for (const entries of buckets.read()) read.push(...entries);
        const sorted = [...list.entries()].toSorted(([, a], [, b]) => bucketOf(a) - bucketOf(b));
        expect(read).toEqual(sorted.flat());
      }),
      { numRuns: 30 },
    );
  });
});
