import { expect, test } from 'vitest';
import { Sweep } from '../../../src/crawl/learned/sweep.ts';

test('visits every entry within size / n turns, whatever leaves meanwhile', () => {
  const sweep = new Sweep<{ score: number }>();
  for (let i = 0; i < 1000; i++) sweep.add(`u${i}`, { score: -9 });
  const visited = new Set<string>();
  for (let turn = 0; turn < 100; turn++) {
    for (const [url] of sweep.next(10)) visited.add(url);
    sweep.delete(`u${turn * 7}`);
  }
  for (let i = 0; i < 1000; i++) if (i % 7 !== 0) expect(visited.has(`u${i}`)).toBe(true);
});

test('visits the best more often', () => {
  const sweep = new Sweep<{ score: number }>();
  for (let i = 0; i < 5000; i++) {
    const entry = { score: i < 100 ? 1 : -1.9 };
    sweep.add(`u${i}`, entry);
    sweep.placed(`u${i}`, entry);
  }
  let best = 0;
  let others = 0;
  for (let turn = 0; turn < 50; turn++)
    for (const [, { score }] of sweep.next(20)) {
      if (score === 1) best++;
      else others++;
    }
  expect(best / 100).toBeGreaterThan((5 * others) / 4900);
});

test('is empty when nothing waits', () => {
  expect([...new Sweep<{ score: number }>().next(10)]).toEqual([]);
});
