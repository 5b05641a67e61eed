import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/core/index.ts';
import {
  deleteQueries,
  loggedQueries,
  logQuery,
  QUERIES_FILE,
  readQueryLog,
} from '../../../src/workbench/queries/query-log.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 27);

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-queries-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function place(search: Partial<typeof DEFAULTS.search> = {}): Parameters<typeof logQuery>[0] {
  return { dir, config: { ...DEFAULTS, search: { ...DEFAULTS.search, log: true, ...search } } };
}

it('logs nothing unless the log is on', () => {
  logQuery(place({ log: false }), { from: 'search', query: 'saddle' });
  expect(readQueryLog(place())).toEqual([]);
  logQuery(place(), { from: 'search', query: 'saddle', matches: 3 }, NOW);
  expect(readQueryLog(place(), NOW)).toEqual([{ at: NOW, from: 'search', query: 'saddle', matches: 3 }]);
  expect(statSync(join(dir, QUERIES_FILE)).mode & 0o077).toBe(0);
});

it('counts repetitions of a query and the results opened for it', () => {
  logQuery(place(), { from: 'search', query: 'Hub  gears', matches: 3 }, NOW - 3);
  logQuery(place(), { from: 'serve', query: 'hub gears', matches: 4 }, NOW - 2);
  logQuery(place(), { from: 'serve', query: 'hub gears', opened: 'https://a.example/' }, NOW - 1);
  logQuery(place(), { from: 'api', query: 'saddle', matches: 1 }, NOW);
  expect(loggedQueries(readQueryLog(place(), NOW))).toEqual([
    expect.objectContaining({ query: 'saddle', times: 1, opened: [] }),
    {
      query: 'hub gears',
      times: 2,
      last: new Date(NOW - 1).toISOString(),
      from: ['search', 'serve'],
      matches: 4,
      opened: ['https://a.example/'],
    },
  ]);
});

it('leaves out expired entries, and removes them from the file within a day', () => {
  const kept = place({ keepMs: 10 * DAY });
  logQuery(kept, { from: 'search', query: 'old' }, NOW - 12 * DAY);
  logQuery(kept, { from: 'search', query: 'recent' }, NOW - 9 * DAY);
  expect(readQueryLog(kept, NOW).map(({ query }) => query)).toEqual(['recent']);
  logQuery(kept, { from: 'search', query: 'new' }, NOW);
  expect(readFileSync(join(dir, QUERIES_FILE), 'utf8')).not.toContain('old');
  expect(readQueryLog(kept, NOW).map(({ query }) => query)).toEqual(['recent', 'new']);
});

it('keeps an entry that is appended while others are deleted', () => {
  logQuery(place(), { from: 'search', query: 'unwanted' }, NOW);
  const file = join(dir, QUERIES_FILE);
  let isAppended = false;
  const removed = deleteQueries(dir, ({ query }) => {
    if (!isAppended) appendFileSync(file, `${JSON.stringify({ at: NOW, from: 'api', query: 'late' })}\n`);
    isAppended = true;
    return query === 'unwanted';
  });
  expect(removed).toBe(1);
  expect(readQueryLog(place(), NOW).map(({ query }) => query)).toEqual(['late']);
});

it('skips damaged lines and lines of another shape', () => {
  logQuery(place(), { from: 'search', query: 'saddle' }, NOW);
  appendFileSync(join(dir, QUERIES_FILE), '{"at": 1, "que\n[]\nnull\n{"at":"x","query":1,"from":2}\n');
  expect(readQueryLog(place(), NOW).map(({ query }) => query)).toEqual(['saddle']);
});

it.skipIf(process.getuid?.() === 0)('searches a folder in which nothing can be written', () => {
  chmodSync(dir, 0o500);
  expect(() => logQuery(place(), { from: 'search', query: 'saddle' })).not.toThrow();
});

it('ignores a log that cannot be opened for writing', () => {
  rmSync(dir, { recursive: true });
  expect(() => logQuery(place(), { from: 'search', query: 'saddle' })).not.toThrow();
});
