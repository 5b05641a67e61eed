import { afterEach, expect, test, vi } from 'vitest';
import type { CrawlEvent } from '../../src/core/index.ts';
import { Turns } from '../../src/kit/time-slices.ts';
import { exactConfig, paperCrawl, paperWeb } from '../engine/support/paper-web.ts';

/** Longer than a turn may last, in milliseconds. */
const LONG_MS = 6;

/** Keeps the processor busy for `ms` milliseconds. */
function compute(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Counts the turns of the event loop from the call on. */
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

test('runs long jobs that arrive together in separate turns, in order', async () => {
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

test('runs short jobs that arrive together in one turn', async () => {
  // On a busy machine, even no work may take longer than a turn.
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

test('splits long work into turns, lets other work run between them, returns the result', async () => {
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

test('processes the responses of many pages in as many turns as they need', async () => {
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
