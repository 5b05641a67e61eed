import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { openStore } from '../../src/store/index.ts';
import { readWarc } from '../../src/warc/index.ts';
import { type BingoRun, runBingo, startBingo } from './support/bingo-process.ts';
import { DEAD_HOST, type FaultyWeb, faultyPage, startFaultyWeb } from './support/faulty-web.ts';

/** The number of kills: a few by default, two hundred in `npm run test:kill`. */
const KILLS = Number(process.env.BINGO_KILLS ?? 3);
const PAGES_AFTERWARDS = 30;
const MAX_TRIES = 3;

const folder = mkdtempSync(join(tmpdir(), 'bingo-kill-faults-'));
let web: FaultyWeb;

beforeAll(async () => {
  web = await startFaultyWeb({ timeouts: 0.05, errors: 0.05, redirects: 0.15 });
});

afterAll(async () => {
  await web.close();
  rmSync(folder, { recursive: true, force: true });
});

function workspace(name: string): string {
  const dir = join(folder, name);
  const others = join(folder, 'others.txt');
  writeFileSync(others, [1, 5, 7, 9, 11].map(faultyPage).join('\n'));
  const seeds = [0, 2, 4].flatMap((n) => ['--seed', faultyPage(n)]);
  runBingo(['init', dir, '--topic', 'railways', ...seeds, '--others', others]);
  return dir;
}

const SETTINGS = [
  ...[
    'network.concurrency=8',
    'network.delayMs=0',
    'network.backoffMs=40',
    'network.headersTimeoutMs=1000',
    'analyze.threads=1',
  ],
  ...['store.batch=5', 'store.flushMs=20', 'learn.retrainEvery=40', 'crawl.ordering=breadth-first'],
  `crawl.maxTries=${MAX_TRIES}`,
];

/** Runs a crawl. `killAfterMs` kills the process without warning, that long after its first page of this run. */
async function crawl(dir: string, budget: number, killAfterMs?: number): Promise<BingoRun> {
  const sets = SETTINGS.flatMap((setting) => ['--set', setting]);
  const flags = [
    '--budget',
    String(budget),
    '--learn',
    '10',
    '--proxy',
    web.proxy,
    '--json',
    '--warc',
    recordingOf(dir),
  ];
  const run = startBingo(['crawl', dir, ...flags, ...sets]);
  if (killAfterMs !== undefined) {
    await run.reported('page', 1);
    setTimeout(() => run.child.kill('SIGKILL'), killAfterMs);
  }
  return run.ended;
}

function recordingOf(dir: string): string {
  return `${dir}.warc.gz`;
}

/** Returns the URLs with an answer in the recording, which must be complete. */
async function recordedUrls(dir: string): Promise<Set<string>> {
  const urls = new Set<string>();
  for await (const { type, url } of readWarc(recordingOf(dir)))
    if (type === 'response' || type === 'revisit') urls.add(url);
  return urls;
}

interface Stored {
  readonly pages: readonly string[];
  /** True if the host that always fails is blocked, after a link to it failed for the last time. */
  readonly isDeadHostBad: boolean;
  readonly sequences: readonly number[];
}

async function stored(dir: string): Promise<Stored> {
  const store = await openStore({ url: 'sqlite', workspace: dir, batch: 100, flushMs: 100, readOnly: true });
  const pages: string[] = [];
  const sequences: number[] = [];
  let isDeadHostBad = false;
  const tries = new Map<string, number>();
  for await (const records of store.read())
    for (const record of records) {
      sequences.push(record.sequence);
      if (record.kind === 'page') pages.push(record.finalUrl);
      if (record.kind !== 'visit' || !record.url.includes(DEAD_HOST)) continue;
      tries.set(record.url, (tries.get(record.url) ?? 0) + 1);
      isDeadHostBad ||= !record.retried && tries.get(record.url)! < MAX_TRIES;
    }
  await store.close();
  return { pages, sequences, isDeadHostBad };
}

describe.skipIf(!existsSync(join(import.meta.dirname, '../../dist/main.js')))('a crawl of a faulty web', () => {
  test(
    `killed ${KILLS} times, loses no reported page, stores and fetches none twice, and continues`,
    async () => {
      const dir = workspace('killed');
      const random = seededRandom(Number(process.env.BINGO_KILL_SEED ?? 3));
      const reported = new Map<string, number>();
      for (let kill = 0; kill < KILLS; kill++) {
        const before = web.requests.length;
        const run = await crawl(dir, 100_000, random() * 300);
        expect(run.code, run.err).toBe(null);
        // Pages that an earlier run reported are not fetched again.
        for (const url of web.requests.slice(before)) expect(reported.has(url), `${url} asked for again`).toBe(false);
        for (const { kind, url, finalUrl, sequence } of run.lines) {
          if (kind !== 'page') continue;
          expect(reported.has(url), `${url} reported twice`).toBe(false);
          for (const each of [url, String(finalUrl ?? url)]) reported.set(each, sequence);
        }
      }
      // Failures close together count as one, so the number of links until the host is blocked depends on timing.
      let halfway = await stored(dir);
      for (let more = 0; more === 0 || (more < 10 && !halfway.isDeadHostBad); more++) {
        await crawl(dir, halfway.pages.length + PAGES_AFTERWARDS);
        halfway = await stored(dir);
      }
      expect(halfway.isDeadHostBad).toBe(true);
      const asked = web.requests.length;
      const last = await crawl(dir, halfway.pages.length + PAGES_AFTERWARDS);
      expect(last.lines.at(-1), last.err).toMatchObject({ kind: 'summary', reason: 'budget' });

      // A host that was blocked before remains blocked after every restart.
      expect(web.requests.slice(asked).filter((url) => url.includes(DEAD_HOST))).toEqual([]);
      const { pages, sequences } = await stored(dir);
      expect(new Set(pages).size).toBe(pages.length);
      expect(sequences).toEqual(Array.from({ length: sequences.length }, (_, i) => i + 1));
      expect(pages.slice(0, halfway.pages.length)).toEqual(halfway.pages);
      const urls = new Set(await storedUrls(dir));
      const recorded = await recordedUrls(dir);
      for (const url of reported.keys()) expect(urls, `${url} was reported and is lost`).toContain(url);
      // A page is stored only if the recording contains it.
      expect(pages.filter((url) => !recorded.has(url))).toEqual([]);
      if (KILLS > 10)
        console.log(
          `${KILLS} kills: ${pages.length} pages, ${sequences.length} records, ${web.requests.length} requests`,
        );
    },
    60_000 + KILLS * 20_000,
  );
});

/** Returns both addresses of every stored page. */
async function storedUrls(dir: string): Promise<string[]> {
  const store = await openStore({ url: 'sqlite', workspace: dir, batch: 100, flushMs: 100, readOnly: true });
  const urls: string[] = [];
  for await (const row of store.exportPages()) urls.push(row.url, row.finalUrl);
  await store.close();
  return urls;
}
