import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countSorted, packSorted, sortByDigit, unpackSorted } from '../../src/kit/index.ts';

const sorted = (numbers: readonly number[]): Uint32Array => Uint32Array.from(new Set(numbers)).sort((a, b) => a - b);

describe('packed numbers', () => {
  test('unpack to the same numbers', () => {
    const any = fc.integer({ min: 0, max: 2 ** 31 - 1 });
    const near = fc.integer({ min: 0, max: 300 });
    fc.assert(
      fc.property(fc.oneof(fc.array(any), fc.array(near), fc.array(fc.oneof(any, near))), (numbers) => {
        expect(unpackSorted(packSorted(sorted(numbers)))).toEqual(sorted(numbers));
        expect(countSorted(packSorted(sorted(numbers)))).toBe(sorted(numbers).length);
      }),
      { examples: [[[]], [[0]], [[2 ** 31 - 1]], [[0, 2 ** 31 - 1]]] },
    );
  });

  test('need little more than the logarithm of their mean gap if they are random', () => {
    const numbers = sorted(Array.from({ length: 1000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 12));
    expect((8 * packSorted(numbers).length) / numbers.length).toBeLessThan(Math.log2(2 ** 20 / 1000) + 1.7);
  });

  test('end at damaged bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        expect(unpackSorted(bytes).length).toBeLessThanOrEqual(countSorted(bytes));
        expect(countSorted(bytes)).toBeLessThanOrEqual(8 * bytes.length);
      }),
    );
    const packed = packSorted(Uint32Array.of(3, 70_000, 1_000_000));
    expect([...unpackSorted(packed.subarray(0, packed.length - 2))].slice(0, 1)).toEqual([3]);
  });
});

test('sorts numbers digit by digit', () => {
  const numbers = Uint32Array.from({ length: 500 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);
  const [from, to] = [Uint32Array.from(numbers), new Uint32Array(500)];
  sortByDigit(from, to, { count: 500, shift: 0, bits: 16 });
  sortByDigit(to, from, { count: 500, shift: 16, bits: 16 });
  expect(from).toEqual(numbers.toSorted((a, b) => a - b));
});
