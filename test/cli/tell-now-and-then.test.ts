import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tellNowAndThen, tellWhile } from '../../src/cli/tell-now-and-then.ts';

test('short work is told nothing of, long work every three seconds', () => {
  let now = 50_000;
  const told: string[] = [];
  const tell = tellNowAndThen({ err: (text) => told.push(text) }, () => now);
  for (let second = 0; second <= 7; second++, now += 1000) tell(`${second} s`);
  expect(told).toEqual(['3 s\n', '6 s\n']);
});

test('work of one piece is told of while it goes on, and no longer', async () => {
  const told: string[] = [];
  expect(await tellWhile({ err: (text) => told.push(text) }, 'Judging', sleep(60, 'done'), 10)).toBe('done');
  expect(told[0]).toBe('Judging: 0 s by now\n');
  const { length } = told;
  await sleep(30);
  expect(told).toHaveLength(length);
});
