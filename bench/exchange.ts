import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ALL_SHARDS,
  type CanonicalUrl,
  hostOf,
  type Lesson,
  type PageRecord,
  type Parcel,
  shardOf,
  unpackLinks,
} from '../src/core/index.ts';
import { hash32 } from '../src/kit/index.ts';
import { openStore, type Store } from '../src/store/index.ts';
import { temporaryDatabase } from './mysql-database.ts';
import type { OwnServer } from './own-server.ts';
import { PageRecords, TREE } from './records.ts';
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
/** Transactions between two removals of received parcels, as in a worker. */
const DROP_EVERY = 8;
const PARCELS_AT_ONCE = 20;
/** Hashes that a word can have. */
const WORDS = 65_536;

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
  const all: ShardStore[] = [];
  try {
    for (let shard = 0; shard < shards; shard++) {
      const workspace = join(root, String(shard));
      mkdirSync(workspace);
      // A transaction begins with `flush`.
      const place = { url: `${database.url}_s${shard}`, workspace, batch: 1_000, flushMs: 60_000 };
      const store = await openStore(place);
      await store.saveTopics(TREE);
      all.push(new ShardStore(shard, store, await openStore({ ...place, readOnly: true })));
    }
    const before = server.cpu();
    for (let turn = 0, n = 1; n <= pages; turn++)
      for (const shard of all) {
        for (let i = 0; i < batch; i++) shard.append(records.record(n++), isSending ? shards : 1);
        if (isSending) await shard.receive(all);
        await shard.store.flush();
        if (isSending && turn % DROP_EVERY === DROP_EVERY - 1) await shard.drop(all);
      }
    return { cpu: server.cpu() - before, links: all.reduce((sum, { sent }) => sum + sent, 0) };
  } finally {
    for (const shard of all) await shard.close();
    for (let shard = 0; shard < shards; shard++) await database.dropBeside(`_s${shard}`);
    await database.drop();
    rmSync(root, { recursive: true, force: true });
  }
}

class ShardStore {
  readonly store: Store;
  /** Links for other shards. */
  sent = 0;
  /** Sequence of the last parcel of each other shard. */
  readonly received = new Map<number, number>();
  readonly #shard: number;
  readonly #reader: Store;
  #sequence = 0;

  constructor(shard: number, store: Store, reader: Store) {
    this.#shard = shard;
    this.store = store;
    this.#reader = reader;
  }

  append(page: PageRecord, shards: number): void {
    const leaving = shards === 1 ? new Map<number, Parcel>() : parcelsOf(page, this.#shard, shards);
    for (const { pages } of leaving.values()) this.sent += pages[0]?.links.length ?? 0;
    this.store.append({ ...page, sequence: ++this.#sequence }, leaving);
  }

  async receive(all: readonly ShardStore[]): Promise<void> {
    for (const [source, other] of all.entries()) {
      if (other === this) continue;
      const range = { after: this.received.get(source) ?? 0, limit: PARCELS_AT_ONCE };
      for (const { sequence: upto, parcel } of await other.#reader.parcels(this.#shard, range)) {
        this.store.append({ kind: 'inbox', sequence: ++this.#sequence, source, upto, parcel, at: Date.now() });
        this.received.set(source, upto);
      }
    }
  }

  async drop(all: readonly ShardStore[]): Promise<void> {
    for (const [target, other] of all.entries()) {
      const upto = other.received.get(this.#shard);
      if (upto !== undefined) await this.store.dropParcels(target, upto);
    }
    const byAll = all.filter((other) => other !== this).map(({ received }) => received.get(this.#shard) ?? 0);
    await this.store.dropParcels(ALL_SHARDS, Math.min(...byAll));
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.#reader.close();
  }
}

/** Returns a page's links to other shards, and what it teaches all of them. */
export function parcelsOf(page: PageRecord, own: number, shards: number): ReadonlyMap<number, Parcel> {
  const { url, host, document, assignment, origin } = page;
  const links = unpackLinks(document.links);
  const byShard = Map.groupBy(links, (link) => shardOf(hostOf(link.url as CanonicalUrl), shards));
  byShard.delete(own);
  const { title, language } = document;
  const sent = { url, host, title, language, assignment: assignment!, entry: { ...origin, url, host } };
  const whole = { links: links.length, known: [] };
  const lessons = [lessonOf(url, links.length)];
  return new Map<number, Parcel>([
    [ALL_SHARDS, { pages: [], redirects: [], lessons }],
    ...[...byShard].map(([shard, some]): [number, Parcel] => [
      shard,
      { pages: [{ ...sent, links: some, whole }], redirects: [], lessons: [] },
    ]),
  ]);
}

/** Returns a lesson as large as those of the lab's webs: made of random numbers, which pack worst. */
function lessonOf(url: CanonicalUrl, links: number): Lesson {
  const numbers = (count: number, most: number, seed: number): number[] =>
    Array.from({ length: count }, (_, i) => hash32(`${url} ${i}`, seed) % most);
  const texts = (seed: number): number[][] => [3, 20, 6].map((count, text) => numbers(count, WORDS, seed + text));
  return {
    ...{ url, relevance: 0.5 },
    link: { features: numbers(22, 1e4, 1).map((x) => x / 1e4), words: texts(2), offers: [[hash32(url), links]] },
    words: numbers(72, WORDS, 5).toSorted((a, b) => a - b),
    known: [10, 20, 30, 40].map((seed) => ({ words: texts(seed), relevance: 0.5 })),
  };
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
