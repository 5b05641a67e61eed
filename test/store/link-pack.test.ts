import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinkPacker, unpackLinks } from '../../src/store/link-pack.ts';

const number = fc.oneof(fc.nat(50), fc.nat(2 ** 31 - 1), fc.integer({ min: 0, max: 2 ** 45 }));

test('links are unpacked as they were packed, whatever the order of their targets', () => {
  const segment = fc.record({
    first: fc.nat(1_000_000),
    pages: fc.array(fc.record({ step: fc.nat(5000), targets: fc.array(number, { maxLength: 50 }) })),
  });
  fc.assert(
    fc.property(segment, ({ first, pages }) => {
      const packer = new LinkPacker(first);
      const expected: [number, number][] = [];
      let page = first;
      for (const { step, targets } of pages) {
        page += step;
        packer.add(page, targets);
        for (const target of targets) expected.push([page, target]);
      }
      const list = unpackLinks({ data: packer.bytes(), first, links: packer.count });
      expect([...list.pages].map((own, i) => [own, list.targets[i]])).toEqual(expected);
    }),
  );
});

test('a new address after the one before takes one byte', () => {
  const packer = new LinkPacker(1);
  packer.add(
    1,
    Array.from({ length: 1000 }, (_, i) => 5_000_000 + i),
  );
  expect(packer.bytes().length).toBeLessThan(1010);
});

test('pages that are not wanted are left out', () => {
  const packer = new LinkPacker(1);
  for (const page of [1, 2, 5]) packer.add(page, [page, 100_000 * page]);
  const list = unpackLinks(
    { data: packer.bytes(), first: 1, links: packer.count },
    {
      isWanted: (page) => page !== 2,
    },
  );
  expect([...list.pages]).toEqual([1, 1, 5, 5]);
  expect([...list.targets]).toEqual([1, 100_000, 5, 500_000]);
});

test('damaged bytes end the list', () => {
  const list = unpackLinks({ data: Uint8Array.from([0, 200]), first: 1, links: 3 });
  expect(list.targets.length).toBeLessThanOrEqual(3);
});
