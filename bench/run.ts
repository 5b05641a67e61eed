import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contender, CrawlSize } from './contenders.ts';
import type { Server } from './server.ts';
import type { Usage } from './usage.ts';
import type { ServedCounts } from './web-server.ts';

/** What one crawl cost. */
export interface CrawlRun {
  readonly contender: string;
  readonly seconds: number;
  /** User and system time of every process of the crawler, from start to exit, in seconds. */
  readonly cpu: number;
  /** Sum of the greatest resident memory of its processes, in MB. */
  readonly peakMb: number;
  /** What its processes wrote to files and sockets, in MB. */
  readonly writtenMb: number;
  readonly served: ServedCounts;
  /** CPU time of each turn of its main threads' loops, in ms, where it was asked for. */
  readonly turns: readonly number[];
}

export interface RunOptions {
  readonly server: Server;
  readonly order: CrawlSize;
  /** More arguments for Node. */
  readonly nodeFlags?: readonly string[];
  /** Measure the turns of its main thread's loop. */
  readonly turns?: boolean;
  /** Called when the crawler has been started. */
  readonly watch?: (child: ChildProcess, folder: string) => void;
}

/** Crawlers end within a few pages of their budget; one that stops early has not done the work. */
const LEAST_SHARE = 0.95;
const PROBE = new URL('./probe.js', import.meta.url).href;

/**
 * Runs one crawler to its end in a process of its own.
 * @throws Error with its last words when it fails
 */
export async function runCrawler(contender: Contender, options: RunOptions): Promise<CrawlRun> {
  const { server } = options;
  const folder = mkdtempSync(join(tmpdir(), 'bingo-bench-'));
  try {
    const before = await server.served();
    const order = { ...options.order, folder, start: server.start, names: server.names };
    const command = [...(options.nodeFlags ?? []), ...contender.command(order)];
    const began = performance.now();
    await finish(contender, command, folder, options);
    const seconds = (performance.now() - began) / 1000;
    const served = since(before, await server.served());
    if (served.pages < order.pages * LEAST_SHARE)
      throw new Error(
        `${contender.title} fetched ${served.pages} pages of ${order.pages}: its figures would mean nothing`,
      );
    return { contender: contender.key, seconds, ...totalUsage(join(folder, 'usage')), served };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function since(before: ServedCounts, now: ServedCounts): ServedCounts {
  return {
    pages: now.pages - before.pages,
    missing: now.missing - before.missing,
    robots: now.robots - before.robots,
    bytes: now.bytes - before.bytes,
    connections: now.connections - before.connections,
    cpu: now.cpu - before.cpu,
  };
}

/** Where a crawler that got SIGUSR2 writes what it uses, a line each time. */
export function samplesIn(folder: string): string {
  return join(folder, 'samples');
}

async function finish(
  contender: Contender,
  command: readonly string[],
  folder: string,
  { watch, turns }: RunOptions,
): Promise<void> {
  const output = openSync(join(folder, 'stdout'), 'w');
  const errors = openSync(join(folder, 'stderr'), 'w');
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', output, errors],
    env: {
      ...process.env,
      NODE_OPTIONS: `--import=${PROBE} --disable-warning=ExperimentalWarning`,
      NODE_ENV: 'production',
      BENCH_USAGE: join(folder, 'usage'),
      BENCH_SAMPLES: samplesIn(folder),
      BENCH_TURNS: turns === true ? 'yes' : '',
      BENCH_NAMES: contender.namesFromProbe ? 'loopback' : '',
    },
  });
  watch?.(child, folder);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  closeSync(output);
  closeSync(errors);
  if (code === 0) return;
  const lastWords = readFileSync(join(folder, 'stderr'), 'utf8').slice(-2000);
  throw new Error(`${contender.title} ended with exit code ${code}:\n${lastWords}`);
}

/** Every process of the crawler has written a line. */
function totalUsage(file: string): Pick<CrawlRun, 'cpu' | 'peakMb' | 'writtenMb' | 'turns'> {
  if (!existsSync(file)) throw new Error(`Expected the probe to write ${file}`);
  const usages: Usage[] = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return {
    cpu: usages.reduce((sum, usage) => sum + usage.cpu, 0),
    peakMb: usages.reduce((sum, usage) => sum + usage.peakMb, 0),
    writtenMb: usages.reduce((sum, usage) => sum + usage.writtenMb, 0),
    turns: usages.flatMap((usage) => usage.turns ?? []),
  };
}
