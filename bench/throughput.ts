import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../src/store/index.ts';
import { temporaryDatabase } from './mysql-database.ts';
import type { OwnServer } from './own-server.ts';
import { TREE } from './records.ts';
import type { SimulatedWork, SimulatedWorkerMessage } from './simulated-worker.ts';
import { table } from './table.ts';

/** What the throughput of simulated workers is measured with. */
export interface ThroughputOptions {
  readonly server: OwnServer;
  readonly shards: number;
  /** Numbers of workers. Each has one shard; the other shards have none. */
  readonly workers: readonly number[];
  /** Pages that a worker fetches per second, if storing them took no time. */
  readonly rate: number;
  readonly seconds: number;
  readonly note: (text: string) => void;
}

/** What workers stored together. */
export interface Throughput {
  readonly workers: number;
  readonly pagesPerSecond: number;
  /** CPU seconds of the server for 1,000 pages. */
  readonly serverCpu: number;
}

const TURNS_PER_SECOND = 4;

/** Lets each number of workers store pages for the same number of turns. */
export async function measureThroughput(options: ThroughputOptions): Promise<readonly Throughput[]> {
  const found: Throughput[] = [];
  for (const workers of options.workers) {
    if (workers > options.shards) throw new Error(`Expected at most ${options.shards} workers, got ${workers}`);
    options.note(`${workers} simulated workers`);
    found.push(await throughputOf(workers, options));
  }
  return found;
}

async function throughputOf(workers: number, options: ThroughputOptions): Promise<Throughput> {
  const { server, shards, rate, seconds } = options;
  const database = await temporaryDatabase(server.url);
  const root = mkdtempSync(join(tmpdir(), 'bingo-bench-'));
  const turns = seconds * TURNS_PER_SECOND;
  const children: ChildProcess[] = [];
  try {
    for (let shard = 0; shard < shards; shard++) {
      const workspace = join(root, String(shard));
      mkdirSync(workspace);
      const store = await openStore({ url: `${database.url}_s${shard}`, workspace, batch: 1, flushMs: 1 });
      await store.saveTopics(TREE);
      await store.close();
    }
    for (let shard = 0; shard < workers; shard++) {
      const work: SimulatedWork = { url: database.url, root, shard, shards, rate, turns };
      children.push(fork(new URL('./simulated-worker.ts', import.meta.url), [JSON.stringify(work)]));
    }
    await Promise.all(children.map(reply));
    const before = server.cpu();
    const ends = children.map(reply);
    for (const child of children) child.send('begin');
    const took = (await Promise.all(ends)).map((end) => (end.kind === 'done' ? end.seconds : 0));
    const pages = Math.round((turns * rate) / TURNS_PER_SECOND);
    return {
      workers,
      pagesPerSecond: took.reduce((sum, each) => sum + pages / each, 0),
      serverCpu: ((server.cpu() - before) / (pages * workers)) * 1000,
    };
  } finally {
    for (const child of children) child.kill();
    for (let shard = 0; shard < shards; shard++) await database.dropBeside(`_s${shard}`);
    await database.drop();
    rmSync(root, { recursive: true, force: true });
  }
}

function reply(child: ChildProcess): Promise<SimulatedWorkerMessage> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`A worker ended with exit code ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as SimulatedWorkerMessage);
    });
  });
}

/** Returns throughputs as a table. */
export function throughputTable(found: readonly Throughput[]): string {
  const first = found[0]!;
  const rows = found.map(({ workers, pagesPerSecond, serverCpu }) => {
    const share = pagesPerSecond / workers / (first.pagesPerSecond / first.workers);
    return [String(workers), pagesPerSecond.toFixed(1), `${((1 - share) * 100).toFixed(1)} %`, serverCpu.toFixed(2)];
  });
  return table(['workers', 'pages/s', 'lost by each', 'server s/1000'], rows);
}
