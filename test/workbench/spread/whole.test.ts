import { expect, test } from 'vitest';
import { PublishedWhole } from '../../../src/workbench/spread/whole.ts';
import { crawlStatus } from '../../contracts/store-records.ts';

test('what was published before a process began decides nothing', () => {
  const published = new PublishedWhole();
  const old = { at: 5, status: crawlStatus({ paused: true, budget: 10 }) };
  for (const status of [old, old]) published.look(status);
  expect(published.last).toBeUndefined();
  // Clocks of machines differ: the time may be earlier than that of the process before.
  published.look({ at: 4, status: crawlStatus({ paused: false, budget: 20 }) });
  expect(published.last).toEqual({ isPaused: false, budget: 20 });
});

test('the first that a process ever published decides', () => {
  const published = new PublishedWhole();
  published.look(undefined);
  published.look({ at: 4, status: crawlStatus({ paused: true, budget: 20 }) });
  expect(published.last).toEqual({ isPaused: true, budget: 20 });
});
