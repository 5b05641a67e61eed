import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hash32, hash53, hashAscii, SECOND_SEED } from '../../src/core/index.ts';

test('the long hash is the upper bits of two short ones, and bytes are hashed as their text is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), (text, ascii) => {
      expect(hash53(text)).toBe(hash32(text) * 2 ** 21 + Math.floor(hash32(text, SECOND_SEED) / 2 ** 11));
      for (const seed of [undefined, SECOND_SEED])
        expect(hashAscii(Buffer.from(`${ascii}!`), ascii.length, seed)).toBe(hash32(ascii, seed));
    }),
  );
});
