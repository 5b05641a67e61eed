import { expect, test } from 'vitest';
import { Sweep } from '../../../src/crawl/learned/best-entries.ts';

test('visits every entry within size / n turns, whatever is removed meanwhile', () => {
  const sweep = new Sweep();
  for (let i = 0; i < 1000; i++) sweep.add(i);
  const visited = new Set<number>();
  for (let turn = 0; turn < 100; turn++) {
    for (const entry of sweep.next(10)) visited.add(entry);
    sweep.delete(turn * 7);
  }
  for (let i = 0; i < 1000; i++) if (i % 7 !== 0) expect(visited.has(i)).toBe(true);
});

test('visits the best more often', () => {
  const sweep = new Sweep();
  for (let i = 0; i < 5000; i++) {
    sweep.add(i);
    sweep.placed(i, i < 100 ? 1 : -1.9);
  }
  let best = 0;
  let others = 0;
  for (let turn = 0; turn < 50; turn++)
    for (const entry of sweep.next(20)) {
      if (entry < 100) best++;
      else others++;
    }
  expect(best / 100).toBeGreaterThan((5 * others) / 4900);
});

test('is empty if no entry waits', () => {
  expect([...new Sweep().next(10)]).toEqual([]);
});
