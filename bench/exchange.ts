import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../src/store/index.ts';
import { temporaryDatabase } from './mysql-database.ts';
import type { OwnServer } from './own-server.ts';
import { PageRecords } from './records.ts';
import { DROP_EVERY, placeOf, ShardStore } from './shard-store.ts';
import { table } from './table.ts';

/** What the exchange of links is measured with. */
export interface ExchangeOptions {
  readonly server: OwnServer;
  readonly shards: number;
  /** Pages of all shards together. */
  readonly pages: number;
  /** Pages of a shard in one transaction. */
  readonly batches: readonly number[];
  readonly note: (text: string) => void;
}

/** What shards cost that store the same pages, with and without parcels of links for each other. */
export interface ExchangeCost {
  /** Pages of a shard in one transaction. */
  readonly batch: number;
  readonly links: number;
  /** CPU seconds of the server. */
  readonly withParcels: number;
  readonly without: number;
}

/** Runs of each kind. They alternate, because the speed of a machine changes. */
const RUNS = 2;

/**
 * Stores pages in the databases of all shards in turn. With parcels, each transaction also has the links for other
 * shards and the links that arrived from them; each shard asks all others for parcels, and removes those received.
 */
export async function measureExchange(options: ExchangeOptions): Promise<readonly ExchangeCost[]> {
  const records = new PageRecords();
  const costs: ExchangeCost[] = [];
  for (const batch of options.batches) {
    const sums = { links: 0, withParcels: 0, without: 0 };
    for (let run = 0; run < RUNS; run++) {
      options.note(`transactions of ${batch} pages, run ${run + 1} of ${RUNS}`);
      sums.without += (await stored(records, { ...options, batch, isSending: false })).cpu;
      const { cpu, links } = await stored(records, { ...options, batch, isSending: true });
      sums.withParcels += cpu;
      sums.links += links;
    }
    costs.push({ batch, ...sums });
  }
  return costs;
}

interface Run extends ExchangeOptions {
  readonly batch: number;
  readonly isSending: boolean;
}

async function stored(
  records: PageRecords,
  { server, shards, pages, batch, isSending }: Run,
): Promise<{ readonly cpu: number; readonly links: number }> {
  const database = await temporaryDatabase(server.url);
  const root = mkdtempSync(join(tmpdir(), 'bingo-bench-'));
  const readers = new Map<number, Store>();
  const all: ShardStore[] = [];
  try {
    for (let shard = 0; shard < shards; shard++) {
      all.push(await ShardStore.make({ url: database.url, root, shard }, readers));
      readers.set(shard, await openStore({ ...placeOf({ url: database.url, root, shard }), readOnly: true }));
    }
    const before = server.cpu();
    for (let turn = 0, n = 1; n <= pages; turn++)
      for (const shard of all) {
        for (let i = 0; i < batch; i++) shard.append(records.record(n++), isSending ? shards : 1);
        if (isSending) await shard.receive();
        await shard.store.flush();
        if (isSending && turn % DROP_EVERY === DROP_EVERY - 1) await shard.drop((target) => all[target]!.received);
      }
    return { cpu: server.cpu() - before, links: all.reduce((sum, { sent }) => sum + sent, 0) };
  } finally {
    for (const { store } of all) await store.close();
    for (const reader of readers.values()) await reader.close();
    for (let shard = 0; shard < shards; shard++) await database.dropBeside(`_s${shard}`);
    await database.drop();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Returns costs as a table. */
export function exchangeTable(costs: readonly ExchangeCost[]): string {
  const head = ['pages per transaction', 'links', 'server s, with parcels', 'without', 'µs per link'];
  const rows = costs.map(({ batch, links, withParcels, without }) => [
    ...[String(batch), String(links), withParcels.toFixed(1), without.toFixed(1)],
    (((withParcels - without) / links) * 1e6).toFixed(2),
  ]);
  return table(head, rows);
}
