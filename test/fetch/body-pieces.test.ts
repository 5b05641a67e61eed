import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BodyPieces } from '../../src/fetch/body-pieces.ts';
import { heldBytes } from '../crawl/support/held-bytes.ts';

it('returns the bytes of all pieces in order, whatever their sizes', () => {
  const size = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1000, max: 20_000 }));
  fc.assert(
    fc.property(fc.array(size, { maxLength: 40 }), (sizes) => {
      const pieces = new BodyPieces();
      const given = sizes.map((length, i) => Buffer.alloc(length, i + 1));
      for (const piece of given) pieces.add(piece);
      expect(pieces.isEmpty).toBe(sizes.every((length) => length === 0));
      expect(pieces.joined().equals(Buffer.concat(given))).toBe(true);
    }),
  );
});

it('needs little more memory than the bytes for a million pieces of one byte', () => {
  const pieces = new BodyPieces();
  const bytes = Buffer.alloc(1_000_000, 'x');
  const before = heldBytes();
  for (let i = 0; i < bytes.length; i++) pieces.add(bytes.subarray(i, i + 1));
  expect(heldBytes() - before).toBeLessThan(2 * bytes.length);
  expect(pieces.joined().equals(bytes)).toBe(true);
});
