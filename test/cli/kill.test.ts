import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { FrozenWeb, NO_FAULTS, serveFrozenWeb } from '../../src/lab/index.ts';
import { openStore } from '../../src/store/index.ts';
import { kitchenPage, railPage, writeTwoTopics } from '../lab/support/two-topics.ts';

const BINGO = join(import.meta.dirname, '../../bin/bingo.js');
const BUDGET = 60;
const KILLS = 20;

/** One line of `bingo crawl --json`. */
interface Line {
  readonly kind: string;
  readonly url: string;
  readonly sequence: number;
  readonly role: string;
}

interface Run {
  readonly pages: readonly Line[];
  readonly summary: Record<string, unknown> | undefined;
}

const folder = mkdtempSync(join(tmpdir(), 'bingo-kill-'));
let server: Awaited<ReturnType<typeof serveFrozenWeb>>;

beforeAll(async () => {
  writeTwoTopics(folder);
  const web = await FrozenWeb.open(join(folder, 'two.warc.gz'));
  // Slow enough that all twenty kills happen during the crawl.
  server = await serveFrozenWeb({ web, port: 0, faults: { ...NO_FAULTS, latencyMs: 60 } });
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function workspace(name: string): string {
  const dir = join(folder, name);
  const others = join(folder, 'others.txt');
  writeFileSync(others, [0, 1, 2, 3, 4, 5].map(kitchenPage).join('\n'));
  const seeds = [0, 1, 2].flatMap((i) => ['--seed', railPage(i)]);
  const made = spawnSync(process.execPath, [BINGO, 'init', dir, '--topic', 'railways', ...seeds, '--others', others]);
  expect(made.status, String(made.stderr)).toBe(0);
  return dir;
}

/** Runs a crawl with one fetch at a time. `killAfterMs` kills the process without warning. */
function crawl(dir: string, killAfterMs?: number): Promise<Run> {
  const settings = [
    'network.concurrency=1',
    'network.delayMs=0',
    'store.batch=3',
    'store.flushMs=20',
    'learn.retrainEvery=10',
  ];
  const flags = ['--budget', String(BUDGET), '--learn', '15', '--proxy', `http://127.0.0.1:${server.port}`, '--json'];
  const sets = settings.flatMap((setting) => ['--set', setting]);
  const child = spawn(process.execPath, [BINGO, 'crawl', dir, ...flags, ...sets], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === null && code !== 0) reject(new Error(`bingo crawl ended with ${code}: ${err}`));
      // A killed process may leave its last line incomplete. That page was not reported.
      const lines = out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line);
      const summary = lines.find((line) => line.kind === 'summary') as Run['summary'];
      resolve({ pages: lines.filter((line) => line.kind === 'page'), summary });
    });
  });
}

async function storedPages(dir: string): Promise<string[]> {
  const store = await openStore({ url: 'sqlite', workspace: dir, batch: 100, flushMs: 100, readOnly: true });
  const urls: string[] = [];
  for await (const row of store.exportPages()) urls.push(row.finalUrl);
  await store.close();
  return urls;
}

describe.skipIf(!existsSync(join(import.meta.dirname, '../../dist/main.js')))('kill -9', () => {
  test(`killed at ${KILLS} random moments, loses no reported page and ends with the same pages`, async () => {
    const whole = workspace('whole');
    const uninterrupted = await crawl(whole);
    expect(uninterrupted.summary).toMatchObject({ reason: 'budget', pages: BUDGET });

    const killed = workspace('killed');
    const random = seededRandom(Number(process.env.BINGO_KILL_SEED ?? 7));
    const reported = new Set<string>();
    let interrupted = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const run = await crawl(killed, 300 + random() * 600);
      if (run.summary === undefined) interrupted++;
      for (const page of run.pages) {
        expect(reported.has(page.url), `${page.url} was reported twice`).toBe(false);
        reported.add(page.url);
      }
    }
    for (const page of (await crawl(killed)).pages) reported.add(page.url);
    expect(interrupted).toBe(KILLS);

    const stored = await storedPages(killed);
    expect(new Set(stored).size).toBe(stored.length);
    for (const url of reported) expect(stored).toContain(url);
    expect([...stored].sort()).toEqual((await storedPages(whole)).sort());
  }, 180_000);
});
