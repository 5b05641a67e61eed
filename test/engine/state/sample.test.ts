import { expect, test } from 'vitest';
import { Sample } from '../../../src/engine/state/sample.ts';

const keys = Array.from({ length: 5000 }, (_, i) => `http://example.org/${i}`);

function sampled(limit: number, order: readonly string[]): readonly string[] {
  const sample = new Sample<string>(limit);
  for (const key of order) sample.offer(key, key);
  return sample.values();
}

test('holds at most its limit', () => {
  expect(sampled(100, keys)).toHaveLength(100);
  expect(sampled(0, keys)).toHaveLength(0);
});

test('keeps everything while there is room', () => {
  expect(new Set(sampled(100, keys.slice(0, 60)))).toEqual(new Set(keys.slice(0, 60)));
});

test('does not depend on the order of the items', () => {
  expect(sampled(100, [...keys].reverse())).toEqual(sampled(100, keys));
});

test('draws evenly: early and late items have the same chance', () => {
  const early = sampled(1000, keys).filter((key) => Number(key.slice(19)) < 2500).length;
  expect(early).toBeGreaterThan(430);
  expect(early).toBeLessThan(570);
});

test('stores a repeated item once, in its last form', () => {
  const sample = new Sample<number>(100);
  for (const value of [1, 2, 3]) for (const key of keys.slice(0, 90)) sample.offer(key, value);
  expect(sample.values()).toEqual(Array.from({ length: 90 }, () => 3));
});

test('removes items, and is the same if it was read meanwhile', () => {
  const gone = (at: number): Set<string> => new Set(keys.slice(0, at).filter((_, i) => i % 3 === 0));
  const [plain, looked] = [new Sample<string>(100), new Sample<string>(100)];
  for (const [i, key] of keys.entries()) {
    for (const sample of [plain, looked]) sample.offer(key, key);
    if (i % 30 === 0) looked.values();
    if (i % 700 === 0) for (const sample of [plain, looked]) sample.drop(gone(i));
  }
  expect(looked.values()).toEqual(plain.values());
  expect(plain.values().filter((key) => gone(keys.length - 700).has(key))).toEqual([]);
  expect(plain.values().length).toBeGreaterThan(50);
});

test('is the same if it was read meanwhile', () => {
  for (const limit of [0, 1, 100]) {
    const sample = new Sample<string>(limit);
    for (const [i, key] of keys.entries()) {
      sample.offer(key, key);
      if (i % 30 === 0) sample.values();
    }
    expect(sample.values()).toEqual(sampled(limit, keys));
  }
});
