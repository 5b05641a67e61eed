import { expect, test } from 'vitest';
import { counted } from '../../src/kit/index.ts';

test('uses the singular for one thing and the plural for zero and many', () => {
  expect([0, 1, 2, 1234].map((n) => counted(n, 'page'))).toEqual(['0 pages', '1 page', '2 pages', '1,234 pages']);
});

test('forms English plurals', () => {
  const words = ['copy', 'day', 'search', 'address', 'training page'];
  expect(words.map((word) => counted(2, word).slice(2))).toEqual([
    'copies',
    'days',
    'searches',
    'addresses',
    'training pages',
  ]);
});
