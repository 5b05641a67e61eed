import { expect, test } from 'vitest';
import { DEFAULTS, type TopicId, topicTree } from '../../src/core/index.ts';
import { rankFeatures } from '../../src/meta/index.ts';
import { DATABASES, EVERYDAY } from './topics.ts';

const TREE = topicTree([{ name: 'databases' }], []);
const PAGES = [...DATABASES, ...EVERYDAY].map((page) => ({ ...page, title: page.key, confidence: 1 }));
const input = { tree: TREE, pages: PAGES, config: DEFAULTS.learn };

test('ranks the terms of a topic by their mutual information with it', () => {
  const ranked = rankFeatures('databases' as TopicId, input);
  expect(ranked[0]).toMatchObject({ rank: 1, feature: 'database' });
  // In all 3 pages of the topic and in none of the 12 others: 3/15 · ln(15/3).
  expect(ranked[0]?.information).toBeCloseTo((3 / 15) * Math.log(15 / 3), 10);
  expect(ranked.map(({ rank }) => rank)).toEqual(ranked.map((_, i) => i + 1));
  const values = ranked.map(({ information }) => information);
  expect(values).toEqual(values.toSorted((a, b) => b - a));
  expect(ranked.find(({ feature }) => feature === 'the')?.information).toBeCloseTo(0, 10);
});

test('ranks nothing for a topic without training pages', () => {
  expect(rankFeatures('cooking' as TopicId, input)).toEqual([]);
});
