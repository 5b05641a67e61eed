// @ts-check
/**
 * Loaded into every crawler by `--import`, and into every process and thread it starts: plain JavaScript, because the
 * compiler that Node loads for TypeScript would take 15 MB in each of them. Writes what the process used, threads
 * included, into the file that BENCH_USAGE names; on SIGUSR2 a sample of the moment into that of BENCH_SAMPLES.
 */
import dns from 'node:dns';
import { appendFileSync, readFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { isMainThread, postMessageToThread, workerData } from 'node:worker_threads';

/** Time that threads have to tell what they hold: they answer between two pages. */
const ANSWER_MS = 2_000;
const MAIN = 0;
/** Threads that live. */
const threads = new Set();
/** CPU time of each turn of the main thread's loop, in ms, where BENCH_TURNS asks for it. @type {number[]} */
const turns = [];

// Not by a BroadcastChannel: its events make Node load HTTP/2 and its own undici into every thread, 4 MB each.
if (!isMainThread) process.on('workerMessage', () => void postMessageToThread(MAIN, threadUsage()));
else {
  process.on('worker', (worker) => {
    threads.add(worker.threadId);
    worker.once('exit', () => threads.delete(worker.threadId));
  });
  process.on('exit', () => {
    append({ ...usage(), ...(process.env.BENCH_TURNS && { turns }) }, process.env.BENCH_USAGE);
  });
  if (process.env.BENCH_TURNS) setImmediate(noteTurns, threadCpu()).unref();
  // By a signal and a file: a channel would not outlive bin/bingo.js, which starts itself anew.
  process.on('SIGUSR2', async () => {
    globalThis.gc?.();
    append({ ...usage(), threads: await threadUsages() }, process.env.BENCH_SAMPLES);
  });
  if (process.env.BENCH_NAMES === 'loopback') answerNamesHere();
}

/** @type {(figures: import('./usage.ts').Usage, file: string | undefined) => void} */
function append(figures, file) {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figures)}\n`);
}

/** @returns {import('./usage.ts').Usage} */
function usage() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const cpu = (userCPUTime + systemCPUTime) / 1e6;
  const written = Number(/^wchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
  return {
    cpu,
    peakMb: maxRSS / 1024,
    residentMb: rss / 2 ** 20,
    heapMb: heapUsed / 2 ** 20,
    writtenMb: written / 1e6,
  };
}

/** Once a turn: what came between two of its calls ran one after the other, and nothing else could. @param {number} before */
function noteTurns(before) {
  const now = threadCpu();
  turns.push(now - before);
  setImmediate(noteTurns, now).unref();
}

/** CPU time of this thread so far, in ms: a busy machine does not make a turn longer. */
function threadCpu() {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** @returns {import('./usage.ts').ThreadUsage} */
function threadUsage() {
  const { used_heap_size: used, total_physical_size: heap } = getHeapStatistics();
  const { external } = process.memoryUsage();
  const thread = isMainThread ? 'main' : (workerData?.role ?? 'store');
  return { thread, usedMb: used / 2 ** 20, heapMb: heap / 2 ** 20, outsideMb: external / 2 ** 20 };
}

/** @returns {Promise<import('./usage.ts').ThreadUsage[]>} */
async function threadUsages() {
  const usages = [threadUsage()];
  process.on('workerMessage', (usage) => usages.push(usage));
  // A thread that ends just now has nothing to tell.
  await Promise.all([...threads].map((thread) => postMessageToThread(thread, 'sample').catch(() => {})));
  await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
  process.removeAllListeners('workerMessage');
  return usages;
}

/** For crawlers that ask the system for names: names under `.test` are 127.0.0.1, at no cost. */
function answerNamesHere() {
  const system = dns.lookup;
  const here = { address: '127.0.0.1', family: 4 };
  /** @type {(name: string, options: unknown, callback: unknown) => void} */
  const lookup = (name, options, callback) => {
    const done = /** @type {(...results: unknown[]) => void} */ (typeof options === 'function' ? options : callback);
    const wantsAll = typeof options === 'object' && options !== null && 'all' in options && options.all === true;
    if (!name.endsWith('.test')) /** @type {Function} */ (system)(name, options, callback);
    else if (wantsAll) process.nextTick(done, null, [here]);
    else process.nextTick(done, null, here.address, here.family);
  };
  dns.lookup = /** @type {typeof dns.lookup} */ (/** @type {unknown} */ (lookup));
}
