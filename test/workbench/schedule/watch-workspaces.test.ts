import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockWorkspace } from '../../../src/store/index.ts';
import {
  type JobName,
  loadWorkspace,
  plannedJobs,
  type WatchEvent,
  watchWorkspaces,
} from '../../../src/workbench/index.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse('2026-03-02T12:00:00Z');

let folder: string;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bingo-schedule-'));
  now = START;
});
afterEach(() => rmSync(folder, { recursive: true }));

function workspace(name: string, ...lines: readonly string[]): string {
  const dir = join(folder, name);
  mkdirSync(dir, { recursive: true });
  const head =
    'topics:\n  - name: bikes\n    examples: [https://bikes.example/]\nothers: everyday\nschedule:\n  timezone: UTC\n';
  writeFileSync(join(dir, 'bingo.yaml'), `${head}${lines.map((line) => `  ${line}\n`).join('')}`);
  return dir;
}

interface Run {
  readonly at: number;
  readonly name: string;
}

/** A watcher whose clock jumps to the end of each pause. It stops at `until`. */
async function watched(
  dirs: readonly string[],
  until: number,
  options: { readonly once?: boolean; readonly work?: (job: JobName, stop: () => void) => number } = {},
): Promise<{ readonly runs: readonly Run[]; readonly events: readonly WatchEvent[]; readonly failed: number }> {
  const runs: Run[] = [];
  const events: WatchEvent[] = [];
  const stopping = new AbortController();
  const failed = await watchWorkspaces(dirs, {
    signal: stopping.signal,
    once: options.once === true,
    now: () => now,
    pause: async (ms) => {
      now += Math.max(1, ms);
      if (now >= until) stopping.abort();
    },
    run: async ({ dir }, job) => {
      runs.push({ at: now, name: `${dir.slice(folder.length + 1)} ${job}` });
      return { code: options.work?.(job, () => stopping.abort()) ?? 0 };
    },
    onEvent: (event) => events.push(event),
  });
  return { runs, events, failed };
}

it('runs each job at its times, and logs it', async () => {
  const dir = workspace('bikes', 'recheck: "0 3 * * *"', 'portal: "30 6 * * MON-FRI"');
  const { runs } = await watched([dir], START + 2 * DAY);
  expect(runs.map(({ at, name }) => `${new Date(at).toISOString().slice(8, 16)} ${name}`)).toEqual([
    '03T03:00 bikes recheck',
    '03T06:30 bikes portal',
    '04T03:00 bikes recheck',
    '04T06:30 bikes portal',
  ]);
  expect(readFileSync(join(dir, 'watch/log.txt'), 'utf8')).toContain(
    'recheck begins, planned for 2026-03-03 03:00 UTC.',
  );
});

it('makes up missed runs once, after an end or a sleep', async () => {
  const dir = workspace('bikes', 'crawl: "0 * * * *"');
  await watched([dir], START + HOUR / 2);
  now = START + 3 * DAY + HOUR / 2;
  const { runs, events } = await watched([dir], now + HOUR);
  expect(runs.map(({ at }) => (at - START) / HOUR)).toEqual([72.5, 73]);
  expect(events[0]?.message).toContain('instead of 72 missed runs');
});

it('begins nothing when it first watches, and nothing twice', async () => {
  const dir = workspace('bikes', 'crawl: "0 2 * * *"');
  expect((await watched([dir], START, { once: true })).runs).toEqual([]);
  now = START + DAY;
  expect((await watched([dir], now, { once: true })).runs).toHaveLength(1);
  expect((await watched([dir], now, { once: true })).runs).toHaveLength(0);
});

it('runs jobs of several workspaces one after the other', async () => {
  const dirs = [workspace('a', 'crawl: "0 2 * * *"'), workspace('b', 'crawl: "0 1 * * *"', 'recheck: "0 2 * * *"')];
  const { runs } = await watched(dirs, START + DAY);
  expect(runs.map(({ name }) => name)).toEqual(['b crawl', 'a crawl', 'b recheck']);
});

it('refuses a second watcher, and frees the workspace at the end', async () => {
  const dir = workspace('bikes', 'crawl: "0 2 * * *"');
  const second = watched([dir], START + DAY);
  const refused = watchWorkspaces([dir], {
    signal: new AbortController().signal,
    once: true,
    run: async () => ({ code: 0 }),
    onEvent: () => {},
  });
  await expect(refused).rejects.toMatchObject({ code: 'WATCHED', message: expect.stringContaining(`${process.pid}`) });
  await second;
  expect((await watched([dir], now + DAY, { once: true })).failed).toBe(0);
});

it('waits while another process works in the workspace, and says so once', async () => {
  const dir = workspace('bikes', 'crawl: "0 2 * * *"', 'portal: "0 2 * * *"');
  await watched([dir], START, { once: true });
  now = START + DAY;
  const lock = lockWorkspace(dir);
  const busy = await watched([dir], now + HOUR);
  expect(busy.runs.map(({ name }) => name)).toEqual(['bikes portal']);
  expect(busy.events.filter(({ kind }) => kind === 'waits')).toHaveLength(1);
  expect((await watched([dir], now, { once: true })).events).toContainEqual(expect.objectContaining({ kind: 'left' }));
  lock.release();
  expect((await watched([dir], now + HOUR)).runs.map(({ name }) => name)).toEqual(['bikes crawl']);
});

it('counts failures, and repeats an interrupted job', async () => {
  const dir = workspace('bikes', 'crawl: "0 2 * * *"');
  const failing = await watched([dir], START + DAY, { work: () => 1 });
  expect([failing.failed, failing.events.map(({ kind }) => kind)]).toEqual([1, expect.arrayContaining(['failed'])]);
  const interrupt = (_: JobName, stop: () => void): number => {
    stop();
    return 130;
  };
  const stopped = await watched([dir], START + 3 * DAY, { work: interrupt });
  expect(stopped.events.at(-1)?.kind).toBe('interrupted');
  expect((await watched([dir], now, { once: true })).runs).toHaveLength(1);
});

it('keeps the schedule while bingo.yaml has mistakes, and takes up the next one', async () => {
  const dir = workspace('bikes', 'crawl: "0 2 * * *"');
  const { runs, events } = await watched([dir], START + 2 * DAY, {
    work: (job) => {
      if (job === 'crawl' && now < START + DAY) workspace('bikes', 'crawl: "0 25 * * *"');
      else workspace('bikes', 'portal: "0 4 * * *"');
      return 0;
    },
  });
  expect(events.filter(({ kind }) => kind === 'not-read')).toHaveLength(1);
  expect(runs.map(({ name }) => name)).toEqual(['bikes crawl', 'bikes crawl', 'bikes portal']);
});

it('refuses a workspace without a schedule', async () => {
  await expect(watched([workspace('bikes')], START)).rejects.toMatchObject({
    code: 'USAGE',
    hint: expect.stringContaining('schedule.recheck'),
  });
});

it('plans in the time zone of bingo.yaml, also when clocks change', () => {
  const dir = workspace('bikes', 'crawl: "30 2 * * *"');
  const file = join(dir, 'bingo.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('UTC', 'Europe/Berlin'));
  const runs = plannedJobs([loadWorkspace(dir)], Date.parse('2026-03-27T12:00:00Z'), 3);
  // At 2:30 on 29 March the clocks there show 3:30.
  expect(runs.map(({ dueAt }) => new Date(dueAt).toISOString().slice(0, 16))).toEqual([
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
});

it('delays each run by a part of the jitter, the same after a restart', () => {
  const dir = workspace('bikes', 'crawl: "0 2 * * *"', 'jitterMs: 1h');
  const runs = plannedJobs([loadWorkspace(dir)], START, 20);
  const delays = runs.map(({ dueAt, plannedAt }) => dueAt - plannedAt);
  for (const delay of delays) {
    expect(delay).toBeGreaterThanOrEqual(0);
    expect(delay).toBeLessThan(HOUR);
  }
  expect(new Set(delays).size).toBeGreaterThan(10);
  expect(plannedJobs([loadWorkspace(dir)], START, 20)).toEqual(runs);
});

it.each([
  ['crawl: "0 25 * * *"', 'Invalid value for hour'],
  ['crawl: nightly', 'Five fields'],
  ['crawl: "* * * * * *"', 'Five fields'],
  ['crawl: 7', 'Five fields'],
  ['portal: "0 0 30 2 *"', 'No day matches'],
  ['timezone: Middle/Earth', 'IANA'],
])('names the line of %s', (line, hint) => {
  const dir = workspace('bikes', line);
  const file = join(dir, 'bingo.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('  timezone: UTC\n', ''));
  expect(() => loadWorkspace(dir)).toThrow(hint);
  expect(() => loadWorkspace(dir)).toThrow(/bingo\.yaml:6: schedule\./);
});
