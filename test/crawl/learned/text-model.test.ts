import { expect, test } from 'vitest';
import { TextModel } from '../../../src/crawl/learned/text-model.ts';

const add = (model: TextModel, ids: readonly number[], y: number): void =>
  model.add(Uint16Array.from([0, ...ids]), 1, 1 + ids.length, y);
const score = (model: TextModel, ids: readonly number[]): number => model.score(Uint16Array.from(ids), 0, ids.length);

test('words of relevant pages score above words of others, unknown words score nothing', () => {
  const model = new TextModel({ capacity: 100, strength: 1 });
  for (let i = 0; i < 10; i++) {
    add(model, [1, 2, 100 + i], 1);
    add(model, [3, 4, 200 + i], 0);
  }
  model.refit(10);
  expect(score(model, [1, 2])).toBeGreaterThan(0.3);
  expect(score(model, [3, 4])).toBeLessThan(-0.3);
  expect(score(model, [9999])).toBe(0);
});

test('solves ridge exactly: one word, n samples of y = 1 and n of a disjoint word with y = 0', () => {
  // Centred targets are ±1/2; the exact solution for a word with n samples is (±1/2)·n / (n + λ).
  const model = new TextModel({ capacity: 100, strength: 2 });
  for (let i = 0; i < 6; i++) {
    add(model, [1], 1);
    add(model, [2], 0);
  }
  model.refit(200);
  expect(score(model, [1])).toBeCloseTo((0.5 * 6) / (6 + 2), 3);
  expect(score(model, [2])).toBeCloseTo((-0.5 * 6) / (6 + 2), 3);
});

test('keeps the latest samples when it is full', () => {
  const model = new TextModel({ capacity: 10, strength: 1 });
  for (let i = 0; i < 50; i++) add(model, [1], 1);
  for (let i = 0; i < 10; i++) add(model, [i % 2 === 0 ? 1 : 2], i % 2 === 0 ? 0 : 1);
  model.refit(50);
  expect(model.samples).toBe(10);
  expect(score(model, [2])).toBeGreaterThan(score(model, [1]));
});
