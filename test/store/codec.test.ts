import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSimhash, simhashText } from '../../src/store/rows/codec.ts';

describe('packed contents', () => {
  test('simhashes are read back unchanged', () => {
    const half = fc.nat(0xffff_ffff);
    fc.assert(
      fc.property(fc.tuple(half, half), (hash) => {
        expect(parseSimhash(simhashText(hash))).toEqual(hash);
      }),
    );
  });
});
