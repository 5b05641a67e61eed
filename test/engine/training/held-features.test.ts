import { expect, test } from 'vitest';
import { HeldFeatures } from '../../../src/engine/training/held-features.ts';
import { packCounts } from '../../support/pack-counts.ts';

const SPACES = ['terms', 'anchors'] as const;

test('restores packed features page by page, whatever spaces a page has', () => {
  const held = new HeldFeatures(SPACES);
  held.add('a', { terms: packCounts([['rail', 3]]), anchors: packCounts([]) });
  held.add('b', {});
  held.add('c', { anchors: packCounts([['line', 70_000 % 65_536]]) });
  held.add('d', { terms: packCounts([['tea', 1]]) });
  held.forget('d');
  const before = [...held.entries()].map(([key, features]) => [key, spelled(features)]);
  const again = new HeldFeatures(SPACES, held.pack());
  expect([...again.entries()].map(([key, features]) => [key, spelled(features)])).toEqual(before);
});

test('holds features again without a second copy', () => {
  const held = new HeldFeatures(SPACES);
  const word = (page: number, i: number): string => `word ${(page * 7 + i * 3) % 5_000}`;
  for (let page = 0; page < 200; page++)
    held.add(`page ${page}`, { terms: packCounts(Array.from({ length: 1_500 }, (_, i) => [word(page, i), 1])) });
  const packed = held.pack();
  const before = process.memoryUsage().arrayBuffers;
  const again = new HeldFeatures(SPACES, packed);
  // Six bytes a feature, and the last slab is not full. No garbage is collected meanwhile.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * 6 * 200 * 1_500);
  expect(again.size).toBe(200);
});

function spelled(features: object): unknown {
  return Object.entries(features).map(([space, bag]) => [space, bag.features, [...bag.counts]]);
}
