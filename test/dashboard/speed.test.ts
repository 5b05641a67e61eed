import { expect, test } from 'vitest';
import { extendSpeed, NO_SPEED, speeds } from '../../src/dashboard/speed.ts';

function fetchedAt(...times: readonly number[]) {
  return times.reduce(extendSpeed, NO_SPEED);
}

test('counts pages per second in equal spans', () => {
  const steady = fetchedAt(...Array.from({ length: 100 }, (_, i) => 1_000_000 + i * 250));
  expect(new Set(speeds(steady, 80))).toEqual(new Set([4]));
  const slower = fetchedAt(...Array.from({ length: 8 }, (_, i) => i * 250), ...[2_000, 4_000, 6_000]);
  expect(speeds(slower, 80)).toEqual([4, 0.5, 0.5]);
});

test('leaves out pauses and times that go backwards', () => {
  const day = 86_400_000;
  const resumed = fetchedAt(0, 1_000, 2_000, day, day + 1_000, day + 900, day + 2_000);
  expect(resumed.elapsedMs).toBe(4_000);
  expect(resumed.pages.reduce((sum, n) => sum + n, 0)).toBe(7);
});

test('keeps at most 512 spans, and their pages', () => {
  const long = fetchedAt(...Array.from({ length: 5_000 }, (_, i) => i * 2_000));
  expect(long.pages.length).toBeLessThanOrEqual(512);
  expect(long.pages.reduce((sum, n) => sum + n, 0)).toBe(5_000);
  const shown = speeds(long, 40);
  expect(shown.length).toBeLessThanOrEqual(40);
  for (const speed of shown) expect(speed).toBeCloseTo(0.5);
});

test('is empty before the first page, and shows a single span', () => {
  expect(speeds(NO_SPEED, 40)).toEqual([]);
  expect(speeds(fetchedAt(5), 40)).toEqual([0.5]);
});
