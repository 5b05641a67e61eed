import { expect, it } from 'vitest';
import { meanOfNearest, nearestVectors } from '../../src/learn/index.ts';
import { vectorsOf } from './matrices.ts';

const ROWS = [
  [1, 0, 0],
  [0.8, 0.6, 0],
  [0.6, 0.8, 0],
  [0, 0, 1],
];
const ALL = { columns: 3, most: 2, common: 9 };

function rowOf({ ids, weights, most }: ReturnType<typeof nearestVectors>, i: number): (readonly [number, number])[] {
  return Array.from({ length: most }, (_, k) => [ids[i * most + k]!, weights[i * most + k]!] as const);
}

it('finds the vectors of greatest inner product, without the vector itself', () => {
  const nearest = nearestVectors(vectorsOf(ROWS), ALL);
  expect(rowOf(nearest, 0).map(([id]) => id)).toEqual([1, 2]);
  expect(rowOf(nearest, 1).map(([id]) => id)).toEqual([2, 0]);
  expect(rowOf(nearest, 1)[0]![1]).toBeCloseTo(0.96, 5);
  expect(rowOf(nearest, 3).map(([, weight]) => weight)).toEqual([0, 0]);
});

it('prefers the earlier one of equals', () => {
  const nearest = nearestVectors(vectorsOf([[1], [1], [1], [1]]), { columns: 1, most: 2, common: 4 });
  expect([0, 1, 3].map((i) => rowOf(nearest, i).map(([id]) => id))).toEqual([
    [1, 2],
    [0, 2],
    [0, 1],
  ]);
});

it('ignores features that most vectors have', () => {
  const rows = [...ROWS, [0, 0, 1]].map((row) => [...row, 1]);
  const nearest = nearestVectors(vectorsOf(rows), { columns: 4, most: 4, common: 4 });
  expect(rowOf(nearest, 3)).toEqual([
    [4, 1],
    [0, 0],
    [0, 0],
    [0, 0],
  ]);
});

it('returns the mean over the neighbours, weighted by their inner products', () => {
  const nearest = nearestVectors(vectorsOf(ROWS), ALL);
  expect(meanOfNearest(nearest, 0, [9, 1, 2, 9])).toBeCloseTo((0.8 * 1 + 0.6 * 2) / 1.4, 5);
  expect(meanOfNearest(nearest, 3, [1, 1, 1, 1])).toBeUndefined();
});
