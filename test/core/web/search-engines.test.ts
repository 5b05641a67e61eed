import { expect, test } from 'vitest';
import { canonicalize, hostOf, lockedSearchEngines, topicTree } from '../../../src/core/index.ts';

const locked = (...examples: readonly string[]): readonly string[] =>
  lockedSearchEngines(topicTree([{ name: 'x', examples: examples.map((url) => ({ kind: 'url', url })) }], []));

test('locks general search engines by their own hosts, not the companies behind them', () => {
  expect(locked()).toEqual(expect.arrayContaining(['www.google.com', 'www.bing.com', 'duckduckgo.com']));
  expect(locked()).not.toContain('google.com');
  for (const host of locked()) expect(hostOf(canonicalize(`http://${host}/`)!)).toBe(host);
});

test('leaves out a search engine that an example or a seed names', () => {
  expect(locked('https://www.bing.com/about')).not.toContain('www.bing.com');
  expect(locked('https://www.bing.com/about')).toContain('www.google.com');
  const seeded = topicTree([{ name: 'x', examples: [], seeds: ['https://help.duckduckgo.com/'] }], []);
  expect(lockedSearchEngines(seeded)).not.toContain('duckduckgo.com');
});
