import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replyOf } from './child-reply.ts';
import { temporaryDatabase } from './mysql-database.ts';
import type { OwnServer } from './own-server.ts';
import { ShardStore } from './shard-store.ts';
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

/** Time between two turns, as in a worker. */
const TURN_MS = 250;

const answer = (child: ChildProcess): Promise<SimulatedWorkerMessage> => replyOf(child, 'a worker');

/** Lets each number of workers store pages for the same number of turns. */
export async function measureThroughput(options: ThroughputOptions): Promise<readonly Throughput[]> {
  const found: Throughput[] = [];
  for (const workers of options.workers) {
    options.note(`${workers} simulated workers`);
    found.push(await throughputOf(workers, options));
  }
  return found;
}

async function throughputOf(workers: number, options: ThroughputOptions): Promise<Throughput> {
  const { server, shards, rate, seconds } = options;
  const database = await temporaryDatabase(server.url);
  const root = mkdtempSync(join(tmpdir(), 'bingo-bench-'));
  const turns = Math.ceil((seconds * 1000) / TURN_MS);
  const children: ChildProcess[] = [];
  try {
    for (let shard = 0; shard < shards; shard++) {
      const { store } = await ShardStore.make({ url: database.url, root, shard }, new Map());
      await store.close();
    }
    for (let shard = 0; shard < workers; shard++) {
      const work: SimulatedWork = { url: database.url, root, shard, shards, rate, turns, turnMs: TURN_MS };
      children.push(fork(new URL('./simulated-worker.ts', import.meta.url), [JSON.stringify(work)]));
    }
    await Promise.all(children.map(answer));
    const before = server.cpu();
    const ends = children.map(answer);
    for (const child of children) child.send('begin');
    const took = (await Promise.all(ends)).map((end) => (end.kind === 'done' ? end.seconds : 0));
    const pages = Math.round((turns * rate * TURN_MS) / 1000);
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

/** Returns throughputs as a table. */
export function throughputTable(found: readonly Throughput[]): string {
  const first = found[0]!;
  const rows = found.map(({ workers, pagesPerSecond, serverCpu }) => {
    const share = pagesPerSecond / workers / (first.pagesPerSecond / first.workers);
    return [String(workers), pagesPerSecond.toFixed(1), `${((1 - share) * 100).toFixed(1)} %`, serverCpu.toFixed(2)];
  });
  return table(['workers', 'pages/s', 'lost by each', 'server s/1000'], rows);
}
