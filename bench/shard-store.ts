import { mkdirSync } from 'node:fs';
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
import { openStore, type Store, type StoreOptions } from '../src/store/index.ts';
import { TREE } from './records.ts';

/** Transactions between two removals of received parcels, as in a worker. */
export const DROP_EVERY = 8;
/** Parcels of a shard that are read at a time, as in a worker. */
const PARCELS_AT_ONCE = 20;
/** Hashes that a word can have. */
const WORDS = 65_536;

/** Where the store of a shard is. */
export interface ShardPlace {
  /** Of the databases of the shards, without `_s` and their number. */
  readonly url: string;
  /** A folder with a folder for each shard. */
  readonly root: string;
  readonly shard: number;
}

/** Returns the place for `openStore`. A transaction begins with `flush`. */
export function placeOf({ url, root, shard }: ShardPlace): StoreOptions {
  return { url: `${url}_s${shard}`, workspace: join(root, String(shard)), batch: 1_000, flushMs: 60_000 };
}

/** The store of a shard that stores given pages, and exchanges links with the others as a worker does. */
export class ShardStore {
  readonly store: Store;
  /** Links for other shards. */
  sent: number = 0;
  /** Sequence of the last parcel of each other shard. */
  readonly received: Map<number, number> = new Map();
  readonly #shard: number;
  readonly #readers: ReadonlyMap<number, Store>;
  #sequence = 0;

  /** @param readers the stores of all shards, its own may be among them */
  constructor(shard: number, store: Store, readers: ReadonlyMap<number, Store>) {
    this.#shard = shard;
    this.store = store;
    this.#readers = readers;
  }

  /** Makes the database of a shard. */
  static async make(place: ShardPlace, readers: ReadonlyMap<number, Store>): Promise<ShardStore> {
    const options = placeOf(place);
    mkdirSync(options.workspace);
    const store = await openStore(options);
    await store.saveTopics(TREE);
    return new ShardStore(place.shard, store, readers);
  }

  append(page: PageRecord, shards: number): void {
    const leaving = shards === 1 ? new Map<number, Parcel>() : parcelsOf(page, this.#shard, shards);
    for (const { pages } of leaving.values()) this.sent += pages[0]?.links.length ?? 0;
    this.store.append({ ...page, sequence: ++this.#sequence }, leaving);
  }

  async receive(): Promise<void> {
    for (const [source, reader] of this.#others) {
      const range = { after: this.received.get(source) ?? 0, limit: PARCELS_AT_ONCE };
      for (const { sequence: upto, parcel } of await reader.parcels(this.#shard, range)) {
        this.store.append({ kind: 'inbox', sequence: ++this.#sequence, source, upto, parcel, at: Date.now() });
        this.received.set(source, upto);
      }
    }
  }

  /**
   * Removes the parcels that other shards have.
   * @param received returns the last parcels that a shard has, by source
   */
  async drop(
    received: (target: number) => ReadonlyMap<number, number> | Promise<ReadonlyMap<number, number>>,
  ): Promise<void> {
    const stored = new Map<number, number>();
    for (const [target] of this.#others) stored.set(target, (await received(target)).get(this.#shard) ?? 0);
    stored.set(ALL_SHARDS, Math.min(...stored.values()));
    for (const [target, upto] of stored) if (upto > 0) await this.store.dropParcels(target, upto);
  }

  get #others(): readonly (readonly [shard: number, reader: Store])[] {
    return [...this.#readers].filter(([shard]) => shard !== this.#shard);
  }
}

/** Returns a page's links to other shards, and what it teaches all of them. */
function parcelsOf(page: PageRecord, own: number, shards: number): ReadonlyMap<number, Parcel> {
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
