import { expect, test } from 'vitest';
import { Parents, stretchOf } from '../../../src/crawl/learned/parents.ts';

test('rates a page by the mean of its known links, shrunk to the expectation (by hand)', () => {
  const parents = new Parents();
  const page = parents.add(1);
  expect(parents.hubRecord(page, 0.1, 2)).toBeCloseTo(0.1, 12);
  parents.learn(page, 3, 1);
  parents.learn(page, 20, 0.5);
  expect(parents.hubRecord(page, 0.1, 2)).toBeCloseTo((1.5 + 2 * 0.1) / 4, 12);
});

test('counts near links on the page more, and links three sections away not at all', () => {
  const parents = new Parents();
  const page = parents.add(1);
  parents.learn(page, 10, 1);
  const record = (1 + 0.1) / 2;
  expect(parents.nearRecord(page, 10, 0.1)).toBeCloseTo((record + 1) / 2, 6);
  for (const stretch of [9, 11]) expect(parents.nearRecord(page, stretch, 0.1)).toBeCloseTo((record + 0.37) / 1.37, 6);
  for (const stretch of [8, 12]) expect(parents.nearRecord(page, stretch, 0.1)).toBeCloseTo((record + 0.14) / 1.14, 6);
  for (const stretch of [7, 13]) expect(parents.nearRecord(page, stretch, 0.1)).toBeCloseTo(record, 12);
});

test('forgets a page that no link needs, and reuses its number with an empty record', () => {
  const parents = new Parents();
  const pages = Array.from({ length: 200 }, (_, i) => parents.add(i));
  for (const page of pages) parents.learn(page, 0, 1);
  parents.retain(pages[7]!);
  for (const page of pages) parents.release(page);
  expect(parents.hubRecord(pages[7]!, 0, 1)).toBe(0.5);
  const fresh = Array.from({ length: 199 }, (_, i) => parents.add(1_000 + i));
  expect(new Set([...fresh, pages[7]!])).toEqual(new Set(pages));
  parents.learn(fresh[0]!, 31, 0);
  expect(fresh.map((page) => parents.nearRecord(page, 0, 0.25))).toEqual([0.125, ...fresh.slice(1).map(() => 0.25)]);
});

test('divides a page into 32 sections', () => {
  expect([0, 0.031, 0.032, 0.5, 0.99, 1].map(stretchOf)).toEqual([0, 0, 1, 16, 31, 31]);
});

test('finds a page by its key, the later one of two, until no link needs it', () => {
  const parents = new Parents();
  const [older, newer] = [parents.add(5), parents.add(5)];
  expect(parents.keyOf(newer)).toBe(5);
  expect(parents.find(5)).toBe(newer);
  parents.release(older);
  expect(parents.find(5)).toBe(newer);
  parents.release(newer);
  expect(parents.find(5)).toBeUndefined();
});
