import { afterEach, expect, test, vi } from 'vitest';
import type { CrawlEvent } from '../../src/core/index.ts';
import { Turns } from '../../src/kit/turns.ts';
import { exactConfig, paperCrawl, paperWeb } from '../engine/support/paper-web.ts';

/** Longer than a turn may last. */
const LONG_MS = 6;

/** Computes for so long. */
function compute(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Counts the turns of the loop from now on. */
function countTurns(): { readonly now: () => number; readonly stop: () => void } {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns++;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  return { now: () => turns, stop: () => clearImmediate(next) };
}

afterEach(() => {
  vi.restoreAllMocks();
});

test('what comes at once and takes long has a turn each, in the order in which it came', async () => {
  const turns = new Turns();
  const loop = countTurns();
  const had: [number, number][] = [];
  const work = async (i: number): Promise<void> => {
    await turns.come();
    compute(LONG_MS);
    had.push([i, loop.now()]);
  };
  await Promise.all([0, 1, 2, 3, 4].map(work));
  loop.stop();
  expect(had.map(([i]) => i)).toEqual([0, 1, 2, 3, 4]);
  expect(new Set(had.map(([, turn]) => turn)).size).toBe(5);
});

test('what comes at once and is done at once shares a turn', async () => {
  // A busy machine may take longer over nothing than a turn lasts.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  const turns = new Turns();
  const loop = countTurns();
  const had: number[] = [];
  await Promise.all(
    [0, 1, 2].map(async () => {
      await turns.come();
      had.push(loop.now());
    }),
  );
  loop.stop();
  expect(new Set(had).size).toBe(1);
});

test('long work goes on in turns beside what comes meanwhile, and gives what came of it', async () => {
  const turns = new Turns();
  const said: string[] = [];
  function* parts(): Generator<void, string> {
    for (const part of ['a', 'b', 'c']) {
      compute(LONG_MS);
      said.push(part);
      yield;
    }
    return 'done';
  }
  const other = async (): Promise<void> => {
    await turns.come();
    said.push('other');
  };
  const [found] = await Promise.all([turns.through(parts()), other()]);
  expect(found).toBe('done');
  expect(said).toEqual(['a', 'b', 'other', 'c']);
});

test('a crawl folds the answers of many pages in over as many turns as they take', async () => {
  const loop = countTurns();
  const had: number[] = [];
  const onEvent = ({ kind }: CrawlEvent): void => {
    if (kind !== 'page') return;
    compute(LONG_MS);
    had.push(loop.now());
  };
  const config = exactConfig({ network: { concurrency: 10 }, crawl: { budget: 30, learn: 10 } });
  await paperCrawl(paperWeb(), config, { onEvent }).run();
  loop.stop();
  expect(had.length).toBeGreaterThan(30);
  expect(new Set(had).size).toBe(had.length);
});
