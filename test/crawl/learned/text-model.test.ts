import { expect, test } from 'vitest';
import { PulledRidge } from '../../../src/crawl/learned/ridge.ts';
import { TextModel } from '../../../src/crawl/learned/text-model.ts';
import { seededRandom } from '../../../src/kit/index.ts';

const add = (model: TextModel, ids: readonly number[], y: number, weight?: number): void =>
  model.add(Uint16Array.from([0, ...ids, 7]), 1, 1 + ids.length, y, weight);
const score = (model: TextModel, ids: readonly number[]): number => model.score(Uint16Array.from(ids), 0, ids.length);

test('scores words of relevant pages above words of others, and unknown words 0', () => {
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

test('solves ridge exactly: one word with n samples of y = 1, another with n of y = 0', () => {
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

test('keeps the latest samples if it is full', () => {
  const model = new TextModel({ capacity: 10, strength: 1 });
  for (let i = 0; i < 50; i++) add(model, [1], 1);
  for (let i = 0; i < 10; i++) add(model, [i % 2 === 0 ? 1 : 2], i % 2 === 0 ? 0 : 1);
  model.refit(50);
  expect(model.samples).toBe(10);
  expect(score(model, [2])).toBeGreaterThan(score(model, [1]));
});

test('solves ridge on the latest weighted samples exactly like the dense solver', () => {
  const [WORDS, LATEST, STRENGTH] = [8, 30, 2];
  const random = seededRandom(11);
  const drawn = Array.from({ length: 75 }, () => {
    const ids = Array.from({ length: WORDS }, (_, id) => id).filter(() => random() < 0.4);
    return { ids: ids.length === 0 ? [0] : ids, y: random(), weight: random() < 0.5 ? 1 : 2 };
  });
  const model = new TextModel({ capacity: LATEST, strength: STRENGTH });
  for (const [i, { ids, y, weight }] of drawn.entries()) {
    add(model, ids, y, weight);
    if (i % 10 === 0) model.refit(1);
  }
  model.refit(2000);
  const latest = drawn.slice(-LATEST).flatMap((sample) => Array.from({ length: sample.weight }, () => sample));
  const mean = latest.reduce((sum, { y }) => sum + y, 0) / latest.length;
  const ridge = new PulledRidge(new Float64Array(WORDS), STRENGTH);
  const row = (ids: readonly number[]): Float64Array =>
    Float64Array.from({ length: WORDS }, (_, id) => (ids.includes(id) ? 1 / Math.sqrt(ids.length) : 0));
  for (const { ids, y } of latest) ridge.add(row(ids), y - mean);
  const weights = ridge.solve();
  for (const { ids } of drawn)
    expect(score(model, ids)).toBeCloseTo(
      row(ids).reduce((sum, x, id) => sum + x * weights[id]!, 0),
      4,
    );
});

test('a link without words scores 0, and teaches nothing', () => {
  const model = new TextModel({ capacity: 10, strength: 1 });
  add(model, [], 1);
  add(model, [1], 1);
  add(model, [2], 0);
  model.refit(5);
  expect([model.samples, score(model, [])]).toEqual([2, 0]);
});
