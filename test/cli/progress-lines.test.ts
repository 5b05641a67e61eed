import { afterEach, expect, test, vi } from 'vitest';
import { tellNowAndThen, ticking } from '../../src/cli/progress-lines.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('prints nothing for short work, and a line every three seconds for long work', () => {
  let now = 50_000;
  const told: string[] = [];
  const tell = tellNowAndThen({ err: (text) => told.push(text) }, () => now);
  for (let second = 0; second <= 7; second++, now += 1000) tell(`${second} s`);
  expect(told).toEqual(['3 s\n', '6 s\n']);
});

test('prints progress of a single step while it runs, and not afterwards', () => {
  vi.useFakeTimers();
  const told: string[] = [];
  const stop = ticking({ err: (text) => told.push(text) }, 'Judging');
  vi.advanceTimersByTime(7000);
  stop();
  vi.advanceTimersByTime(7000);
  expect(told).toEqual(['Judging: 3 s so far\n', 'Judging: 6 s so far\n']);
});
