import { expect, test } from 'vitest';
import {
  type DocumentFeatures,
  FEATURE_BLOCK,
  FeatureBlock,
  featureBlockOf,
  hashesOf,
  packBags,
  packFeatureBlock,
  unpackBags,
} from '../../../src/core/index.ts';

/** Returns a bag with a count for each word. */
function bag(counts: Readonly<Record<string, number>>) {
  return { features: Object.keys(counts).join('\n'), counts: Uint16Array.from(Object.values(counts)) };
}

/** Returns hashes and counts of a page, space by space, as a block has them. */
function readPage(block: FeatureBlock, sequence: number) {
  const bags = block.bagsOf(block.indexOf(sequence)!);
  return Object.entries(bags).map(([space, { ids, counts }]) => [
    space,
    [...ids].flatMap((id) => [block.hashes[2 * id], block.hashes[2 * id + 1]]),
    [...counts],
  ]);
}

function expected(features: DocumentFeatures) {
  return Object.entries(features).map(([space, own]) => [space, [...hashesOf(own)], [...own.counts]]);
}

test('a block has the features of each page in the order of its bags', () => {
  const first = FEATURE_BLOCK * 7_000_000_000;
  const pages = [
    { sequence: first, features: { terms: bag({ owl: 3, bird: 1, größe: 2 }), lead: bag({ bird: 1 }) } },
    { sequence: first + 511, features: { terms: bag({}) } },
    { sequence: first + 2, features: { terms: bag({ bird: 65_535, tree: 1 }), pairs: bag({ 'bird tree': 1 }) } },
    { sequence: first + 3, features: {} },
  ];
  const block = new FeatureBlock(packFeatureBlock(pages, 2 ** 52 + 3));
  expect(block.basis).toBe(2 ** 52 + 3);
  expect(block.hashes).toHaveLength(2 * 5);
  for (const { sequence, features } of pages) expect(readPage(block, sequence)).toEqual(expected(features));
  expect(block.indexOf(first + 4)).toBeUndefined();
  expect([first, first + 511, first + 512].map((n) => featureBlockOf(n) - 7_000_000_000)).toEqual([0, 0, 1]);
});

test('features that are packed for another thread make the same block', () => {
  for (const features of [{}, { terms: bag({ owl: 3, größe: 1, bird: 2 }), lead: bag({}), form: bag({ 'in:a': 1 }) }]) {
    const found = unpackBags(packBags(features));
    expect(expected(found)).toEqual(expected(features));
    expect(packFeatureBlock([{ sequence: 5, features: found }], 0)).toEqual(
      packFeatureBlock([{ sequence: 5, features }], 0),
    );
  }
});

test('a block may have more than 65,536 distinct features', () => {
  const counts = Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`word${i}`, 1 + (i % 9)]));
  const features = { terms: bag(counts) };
  const block = new FeatureBlock(packFeatureBlock([{ sequence: 5, features }], 0));
  expect(readPage(block, 5)).toEqual(expected(features));
});

test('a block that is damaged, or of another format, is not read', () => {
  const packed = packFeatureBlock([{ sequence: 5, features: { terms: bag({ owl: 1 }) } }], 0);
  expect(() => new FeatureBlock(packed.slice(0, -3))).toThrow();
  const flipped = packed.slice();
  flipped[12]! ^= 8;
  expect(() => new FeatureBlock(flipped)).toThrow();
});
