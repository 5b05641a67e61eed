import { expect, test } from 'vitest';
import type { Notice } from '../../../src/engine/alarms.ts';
import { FetchRate } from '../../../src/engine/fetching/fetch-rate.ts';

/** Looks once a second while these numbers of fetches end in each minute. */
function watched(
  perMinute: readonly number[],
  options: { readonly waiting?: number; readonly pausedAt?: number } = {},
) {
  const { waiting = 100, pausedAt = -1 } = options;
  const rate = new FetchRate();
  const notices: { readonly minute: number; readonly notice: Notice }[] = [];
  const look = (minute: number, now: number): void => {
    const notice = rate.look({ now, isFetching: minute !== pausedAt, waiting, inFlight: 0 });
    if (notice !== undefined) notices.push({ minute, notice });
  };
  look(0, 0);
  for (const [minute, fetches] of perMinute.entries())
    for (let second = 1; second <= 60; second++) {
      for (let n = 0; n < Math.round(fetches / 60) || (second === 60 && n < fetches % 60); n++) rate.note();
      look(minute, (60 * minute + second) * 1000);
    }
  return notices;
}

const FAST = [600, 600, 600, 600, 600, 600];

test('reports once that fetching has become slow, with both rates', () => {
  const [first, ...more] = watched([...FAST, 60, 60, 60, 60, 60]);
  expect(first!.minute).toBe(7);
  expect(first!.notice).toMatchObject({
    code: 'slow-fetching',
    message: expect.stringContaining('60 fetches per minute, 600 before'),
  });
  expect(more).toEqual([]);
});

test('reports that fetching is fast again', () => {
  const codes = watched([...FAST, 60, 60, 600, 600]).map(({ notice }) => notice.code);
  expect(codes).toEqual(['slow-fetching', 'fetching-recovered']);
});

test('reports nothing for a crawl that is steady, slow from the start, new, or without links', () => {
  expect(watched([...FAST, 540, 300, 200, 600])).toEqual([]);
  expect(watched([8, 8, 8, 8, 8, 8, 1, 1, 1])).toEqual([]);
  expect(watched([600, 600, 60, 60])).toEqual([]);
  expect(watched([...FAST, 60, 60, 60], { waiting: 0 })).toEqual([]);
});

test('forgets the former rate at a pause', () => {
  expect(watched([...FAST, 0, 60, 60, 60, 60], { pausedAt: 6 })).toEqual([]);
});
