/**
 * A process that asks of a server what a worker of a spread crawl does, without a network and without judging: it stores
 * the pages of one shard, sends their links and takes those of the others, in turns. The pages of a turn are there after
 * as long as fetching them takes. Begins when its parent sends a message, and answers with how long the turns took.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openStore, type Store } from '../src/store/index.ts';
import { PageRecords } from './records.ts';
import { DROP_EVERY, placeOf, type ShardPlace, ShardStore } from './shard-store.ts';

/** What a simulated worker does. */
export interface SimulatedWork extends ShardPlace {
  readonly shards: number;
  /** Pages per second. */
  readonly rate: number;
  readonly turns: number;
  /** Time between two turns. */
  readonly turnMs: number;
}

export type SimulatedWorkerMessage = { readonly kind: 'ready' } | { readonly kind: 'done'; readonly seconds: number };

const work: SimulatedWork = JSON.parse(process.argv[2] ?? '');
const { shard, shards, rate, turns, turnMs } = work;
const records = new PageRecords();
const readers = new Map<number, Store>();
for (let other = 0; other < shards; other++)
  if (other !== shard) readers.set(other, await openStore({ ...placeOf({ ...work, shard: other }), readOnly: true }));
const own = new ShardStore(shard, await openStore(placeOf(work)), readers);
let fetched = 0;

process.send?.({ kind: 'ready' } satisfies SimulatedWorkerMessage);
await new Promise((resolve) => process.once('message', resolve));
const began = performance.now();
for (let turn = 1; turn <= turns; turn++) await take(turn);
const seconds = (performance.now() - began) / 1000;
for (const opened of [own.store, ...readers.values()]) await opened.close();
process.send?.({ kind: 'done', seconds } satisfies SimulatedWorkerMessage, () => process.exit(0));

/** Fetches the pages of a turn, receives what the other shards sent, and stores both. */
async function take(turn: number): Promise<void> {
  await sleep(turnMs);
  for (const due = Math.round((turn * rate * turnMs) / 1000); fetched < due; )
    own.append(records.record(++fetched * shards + shard), shards);
  await own.receive();
  await own.store.flush();
  if (turn % DROP_EVERY === 0) await own.drop(async (target) => (await readers.get(target)!.exchange()).received);
}
