import { expect, test } from 'vitest';
import { tellNowAndThen } from '../../src/cli/tell-now-and-then.ts';

test('short work is told nothing of, long work every three seconds', () => {
  let now = 50_000;
  const told: string[] = [];
  const tell = tellNowAndThen({ err: (text) => told.push(text) }, () => now);
  for (let second = 0; second <= 7; second++, now += 1000) tell(`${second} s`);
  expect(told).toEqual(['3 s\n', '6 s\n']);
});
