/**
 * Loaded into every crawler by `--import`, and into every process it starts. Writes what the process used, threads
 * included, into the file that BENCH_USAGE names; answers a message from the benchmark with a sample of the moment.
 */
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** What a process has used so far. */
export interface Usage {
  /** User and system time of all its threads, in seconds. */
  readonly cpu: number;
  /** Greatest resident memory so far, in MB. */
  readonly peakMb: number;
  /** Resident memory now, in MB. */
  readonly residentMb: number;
  /** JavaScript heap of the main thread, in MB. */
  readonly heapMb: number;
}

if (isMainThread) {
  process.on('exit', writeUsage);
  if (process.send !== undefined) {
    process.on('message', () => {
      (globalThis as { gc?: () => void }).gc?.();
      process.send?.(usage());
    });
    // Being ready to answer is no reason to stay alive.
    process.channel?.unref();
  }
  if (process.env.BENCH_NAMES === 'loopback') answerNamesHere();
}

function writeUsage(): void {
  const file = process.env.BENCH_USAGE;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(usage())}\n`);
}

function usage(): Usage {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const cpu = (userCPUTime + systemCPUTime) / 1e6;
  return { cpu, peakMb: maxRSS / 1024, residentMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20 };
}

/** For crawlers that ask the system for names: names under `.test` are 127.0.0.1, at no cost. */
function answerNamesHere(): void {
  const system = dns.lookup;
  const here = { address: '127.0.0.1', family: 4 };
  const lookup = (name: string, options: unknown, callback: unknown): void => {
    const done = (typeof options === 'function' ? options : callback) as (...results: unknown[]) => void;
    const wantsAll = typeof options === 'object' && options !== null && (options as dns.LookupOptions).all === true;
    if (!name.endsWith('.test')) (system as (...args: unknown[]) => void)(name, options, callback);
    else if (wantsAll) process.nextTick(done, null, [here]);
    else process.nextTick(done, null, here.address, here.family);
  };
  dns.lookup = lookup as unknown as typeof dns.lookup;
}
