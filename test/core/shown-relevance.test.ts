import { expect, test } from 'vitest';
import { relevanceOfShown, relevanceText, shownRelevance } from '../../src/core/index.ts';
import { relevanceOf } from '../../src/learn/index.ts';

test('spreads relevance that rounds to 1.00, and keeps its order', () => {
  const scores = [0, 0.3, 0.75, 0.9, 1, 2, 2.5, 3, 3.5, 4.2, 8];
  const stored = scores.map(relevanceOf);
  expect(new Set(stored.slice(5).map((r) => r.toFixed(2)))).toEqual(new Set(['1.00']));
  const shown = stored.map(relevanceText);
  expect(new Set(shown).size).toBe(scores.length);
  expect(stored.map(shownRelevance).map((r) => r.toFixed(3))).toEqual(scores.map((s) => (s / (s + 0.5)).toFixed(3)));
});

test('stays below one for a relevance of 1, and is a dash if it is unknown', () => {
  expect(relevanceText(1)).toBe('95 %');
  expect(relevanceText(Number.NaN)).toBe('–');
});

test('has an inverse over the whole scale', () => {
  for (const shown of [0, 0.1, 0.5, 0.6, 0.7, 0.9])
    expect(shownRelevance(relevanceOfShown(shown))).toBeCloseTo(shown, 10);
});
