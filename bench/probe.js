// @ts-check
/**
 * Loaded into every crawler by `--import`, and into every process and thread it starts: plain JavaScript, because the
 * compiler that Node loads for TypeScript would take 15 MB in each of them. Writes what the process used, threads
 * included, into the file that BENCH_USAGE names; answers a message from the benchmark with a sample of the moment.
 */
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import { getHeapStatistics } from 'node:v8';
import { BroadcastChannel, isMainThread, workerData } from 'node:worker_threads';

/** Time that threads have to tell what they hold: they answer between two pages. */
const ANSWER_MS = 2_000;
const channel = new BroadcastChannel('bench-memory');
// As with the process's channel: listening keeps nobody alive.
channel.unref();

if (!isMainThread) channel.onmessage = ({ data }) => data === 'sample' && channel.postMessage(threadUsage());
else {
  process.on('exit', writeUsage);
  if (process.send !== undefined) {
    process.on('message', async () => {
      globalThis.gc?.();
      process.send?.({ ...usage(), threads: await threadUsages() });
    });
    // Being ready to answer is no reason to stay alive.
    process.channel?.unref();
  }
  if (process.env.BENCH_NAMES === 'loopback') answerNamesHere();
}

function writeUsage() {
  const file = process.env.BENCH_USAGE;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(usage())}\n`);
}

/** @returns {import('./usage.ts').Usage} */
function usage() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const cpu = (userCPUTime + systemCPUTime) / 1e6;
  return { cpu, peakMb: maxRSS / 1024, residentMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20 };
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
  channel.onmessage = ({ data }) => data !== 'sample' && usages.push(data);
  channel.postMessage('sample');
  await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
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
