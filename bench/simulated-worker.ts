/**
 * A process that asks of a server what a worker of a spread crawl does, without a network and without judging: it stores
 * the pages of one shard, sends their links and takes those of the others, in turns. The pages of a turn are there after
 * as long as fetching them takes. Begins when its parent sends a message, and answers with how long the turns took.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ALL_SHARDS } from '../src/core/index.ts';
import { openStore, type Store, type StoreOptions } from '../src/store/index.ts';
import { parcelsOf } from './exchange.ts';
import { PageRecords } from './records.ts';

/** What a simulated worker does. */
export interface SimulatedWork {
  /** Of the databases of the shards, without `_s` and their number. */
  readonly url: string;
  /** A folder with a folder for each shard. */
  readonly root: string;
  readonly shard: number;
  readonly shards: number;
  /** Pages per second. */
  readonly rate: number;
  readonly turns: number;
}

export type SimulatedWorkerMessage = { readonly kind: 'ready' } | { readonly kind: 'done'; readonly seconds: number };

/** As in a worker: time between two turns, turns between two removals of parcels, parcels of a shard in one turn. */
const TURN_MS = 250;
const FORGET_EVERY = 8;
const PARCELS_AT_ONCE = 20;

const { url, root, shard, shards, rate, turns }: SimulatedWork = JSON.parse(process.argv[2] ?? '');
const records = new PageRecords();
const store = await openStore(placeOf(shard));
const others = new Map<number, Store>();
for (let other = 0; other < shards; other++)
  if (other !== shard) others.set(other, await openStore({ ...placeOf(other), readOnly: true }));
const received = new Map<number, number>();
let sequence = 0;

process.send?.({ kind: 'ready' } satisfies SimulatedWorkerMessage);
await new Promise((resolve) => process.once('message', resolve));
const began = performance.now();
for (let turn = 1; turn <= turns; turn++) await take(turn);
const seconds = (performance.now() - began) / 1000;
for (const opened of [store, ...others.values()]) await opened.close();
process.send?.({ kind: 'done', seconds } satisfies SimulatedWorkerMessage, () => process.exit(0));

/** A transaction begins with `flush`. */
function placeOf(shard: number): StoreOptions {
  return { url: `${url}_s${shard}`, workspace: join(root, String(shard)), batch: 1_000, flushMs: 60_000 };
}

/** Fetches the pages of a turn, receives what the other shards sent, and stores both. */
async function take(turn: number): Promise<void> {
  await sleep(TURN_MS);
  const pages = Math.round((turn * rate * TURN_MS) / 1000) - Math.round(((turn - 1) * rate * TURN_MS) / 1000);
  for (let i = 0; i < pages; i++) {
    const page = records.record(++sequence * shards + shard);
    store.append({ ...page, sequence }, parcelsOf(page, shard, shards));
  }
  for (const [source, other] of others) {
    const range = { after: received.get(source) ?? 0, limit: PARCELS_AT_ONCE };
    for (const { sequence: upto, parcel } of await other.parcels(shard, range)) {
      store.append({ kind: 'inbox', sequence: ++sequence, source, upto, parcel, at: Date.now() });
      received.set(source, upto);
    }
  }
  await store.flush();
  if (turn % FORGET_EVERY === 0) await forget();
}

async function forget(): Promise<void> {
  const stored: number[] = [];
  for (const [target, other] of others) {
    const upto = (await other.exchange()).received.get(shard) ?? 0;
    stored.push(upto);
    if (upto > 0) await store.dropParcels(target, upto);
  }
  await store.dropParcels(ALL_SHARDS, Math.min(...stored));
}
