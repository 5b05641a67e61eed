import type { ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender, CrawlSize } from './contenders.ts';
import { runCrawler, samplesIn } from './run.ts';
import type { Server } from './server.ts';
import { table } from './table.ts';
import type { Usage } from './usage.ts';

/** A moment of a long crawl, after garbage collection on the main thread. */
export interface GrowthSample extends Usage {
  readonly pages: number;
  readonly seconds: number;
  /** Of the database, what is still in its write-ahead log included. */
  readonly storeMb: number;
}

export interface GrowthResult {
  readonly samples: readonly GrowthSample[];
  /** CPU seconds for 1,000 pages: over the first 1,000 pages, and over the last window. */
  readonly firstCpu: number;
  readonly lastCpu: number;
  readonly peakMb: number;
  readonly text: string;
}

const WINDOW = 1_000;
const POLL_MS = 100;
/** Windows in one line of the table. */
const LINES = 12;

/** Crawls a web with Bingo, one of its contenders, and takes a sample after each 1,000 pages. */
export async function measureGrowth(
  bingo: Contender,
  {
    server,
    order,
    note,
  }: { readonly server: Server; readonly order: CrawlSize; readonly note: (text: string) => void },
): Promise<GrowthResult> {
  const samples: GrowthSample[] = [];
  const watch = (child: ChildProcess, folder: string): void => {
    void sampleAll({ child, folder, server, pages: order.pages, note }, samples);
  };
  const run = await runCrawler(bingo, { server, order, nodeFlags: ['--expose-gc'], watch });
  return summarize(samples, run.peakMb);
}

interface Watched {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly server: Server;
  readonly pages: number;
  readonly note: (text: string) => void;
}

async function sampleAll({ child, folder, server, pages, note }: Watched, samples: GrowthSample[]): Promise<void> {
  let ended = false;
  child.once('exit', () => {
    ended = true;
  });
  const began = performance.now();
  const before = (await server.served()).pages;
  // Not in the last window: a process that is about to exit would die of the signal.
  for (let served = 0; served < pages - WINDOW && !ended; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (ended) return;
    served = (await server.served()).pages - before;
    if (ended || served < (samples.length + 1) * WINDOW || served > pages - WINDOW) continue;
    const usage = await ask(child, folder);
    if (usage === undefined) return;
    const seconds = (performance.now() - began) / 1000;
    samples.push({ ...usage, pages: served, seconds, storeMb: storeMb(folder) });
    if (samples.length % 5 === 0) note(`${served} pages, ${usage.residentMb.toFixed(0)} MB`);
  }
}

function storeMb(folder: string): number {
  const files = ['store.db', 'store.db-wal'].map((name) => join(folder, 'workspace', name));
  return files.reduce((sum, file) => sum + (existsSync(file) ? statSync(file).size : 0), 0) / 1e6;
}

/** `undefined` when the crawler has ended. */
async function ask(child: ChildProcess, folder: string): Promise<Usage | undefined> {
  const file = samplesIn(folder);
  const told = linesOf(file).length;
  child.kill('SIGUSR2');
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (child.exitCode !== null || child.signalCode !== null) return undefined;
    const line = linesOf(file)[told];
    if (line !== undefined) return JSON.parse(line);
  }
}

/** Whole lines of a file that may not be there yet. */
function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
}

function summarize(samples: readonly GrowthSample[], peakMb: number): GrowthResult {
  const first = samples[0];
  const last = samples.at(-1);
  const beforeLast = samples.at(-6) ?? first;
  if (first === undefined || last === undefined || beforeLast === undefined)
    throw new Error(`Expected a crawl of at least ${WINDOW} pages`);
  const step = Math.max(1, Math.floor(samples.length / LINES));
  const shown = samples.filter((_, i) => i === 0 || (i + 1) % step === 0);
  const rows = shown.map((sample, i) => {
    const before = shown[i - 1] ?? { pages: 0, cpu: 0, seconds: 0 };
    const pages = sample.pages - before.pages;
    return [
      String(sample.pages),
      (((sample.cpu - before.cpu) / pages) * 1000).toFixed(2),
      (pages / (sample.seconds - before.seconds)).toFixed(0),
      sample.residentMb.toFixed(0),
      sample.heapMb.toFixed(0),
      ((sample.storeMb * 1000) / sample.pages).toFixed(1),
    ];
  });
  const head = [
    ...['pages so far', 'CPU s/1000 since the line above', 'pages/s'],
    ...['resident MB', 'main heap MB', 'store KB/page'],
  ];
  return {
    samples,
    firstCpu: (first.cpu / first.pages) * 1000,
    lastCpu: ((last.cpu - beforeLast.cpu) / (last.pages - beforeLast.pages)) * 1000,
    peakMb,
    text: `${table(head, rows)}\n\nPeak resident memory: ${peakMb.toFixed(0)} MB\n\n${partsTable(last)}`,
  };
}

/** What holds the memory at the end. */
function partsTable({ threads = [], residentMb, pages }: GrowthSample): string {
  const parts = threads.map(({ thread, usedMb, heapMb, outsideMb }) => [thread, usedMb, heapMb, outsideMb] as const);
  const known = parts.reduce((sum, [, , heap, outside]) => sum + heap + outside, 0);
  const rows = parts.map(([thread, ...sizes]) => [thread, ...sizes.map((mb) => mb.toFixed(0))]);
  const rest = ['Node.js itself, SQLite, free memory not given back', '', '', (residentMb - known).toFixed(0)];
  const head = [`after ${pages} pages, MB`, 'heap in use', 'heap', 'outside the heap'];
  return table(head, [...rows, rest]);
}
