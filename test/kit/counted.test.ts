import { expect, test } from 'vitest';
import { counted } from '../../src/kit/index.ts';

test('one thing is named in the singular, none and many in the plural', () => {
  expect([0, 1, 2, 1234].map((n) => counted(n, 'page'))).toEqual(['0 pages', '1 page', '2 pages', '1,234 pages']);
});

test('plurals are those of English', () => {
  const words = ['copy', 'day', 'search', 'address', 'training page'];
  expect(words.map((word) => counted(2, word).slice(2))).toEqual([
    'copies',
    'days',
    'searches',
    'addresses',
    'training pages',
  ]);
});
