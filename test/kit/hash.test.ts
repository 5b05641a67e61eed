import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  HASH_START,
  hash32,
  hash53,
  hash53Bytes,
  hashAscii,
  hashStep,
  mix32,
  SECOND_SEED,
} from '../../src/kit/index.ts';

test('builds the long hash from two short ones, and hashes bytes like their text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), (text, ascii) => {
      expect(hash53(text)).toBe(hash32(text) * 2 ** 21 + Math.floor(hash32(text, SECOND_SEED) / 2 ** 11));
      expect(hash53Bytes(Buffer.from(ascii))).toBe(hash53(ascii));
      for (const seed of [undefined, SECOND_SEED])
        expect(hashAscii(Buffer.from(`${ascii}!`), ascii.length, seed)).toBe(hash32(ascii, seed));
    }),
  );
});

test('matches the published test vectors of FNV-1a and of the mixer', () => {
  const fnv = [...Buffer.from('foobar')].reduce(hashStep, HASH_START);
  expect([fnv >>> 0, mix32(0), mix32(1)]).toEqual([0xbf9cf968, 0, 0x514e28b7]);
  expect(hash32('foobar')).toBe(mix32(fnv));
});
