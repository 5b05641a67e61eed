import { hash32, hash53 } from '../../kit/index.ts';
import type { Sink } from '../ports.ts';
import type { Row } from '../schema.ts';

/** URLs cached between batches, per generation: 4 MB in total. */
const GENERATION = 50_000;
/** Slots per generation: a power of two, at least two thirds of them free. */
const SLOTS = 1 << 17;
/** Seed of the second hash. With it, two URLs collide with a chance of 1 in 2⁶⁸ per pair. */
const CHECK_SEED = 0x2545f491;
/** URLs per query. */
const CHUNK = 200;

/**
 * Numbers the URLs of the table `url`: 1, 2, 3, … The hash finds candidates, the text decides. A crawl meets the same
 * URLs often, so recent ones are cached. If the young generation is full, it becomes the old one, and URLs still in
 * use move over.
 */
export class UrlNumbers {
  readonly #sink: Sink;
  #young = new Generation();
  #old = new Generation();
  #last: number | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Returns the numbers of all these URLs; new URLs are inserted in the open transaction. */
  async of(urls: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const unknown = new Map<string, number>();
    for (const url of urls) {
      const hash = hash53(url);
      const id = this.#recall(url, hash);
      if (id === 0) unknown.set(url, hash);
      else found.set(url, id);
    }
    if (unknown.size > 0) await this.#find(unknown, found);
    return found;
  }

  /** Empties the cache after a rolled back transaction. */
  forget(): void {
    this.#young.clear();
    this.#old.clear();
    this.#last = undefined;
  }

  async #find(hashes: ReadonlyMap<string, number>, found: Map<string, number>): Promise<void> {
    const all = [...hashes.values()];
    for (let at = 0; at < all.length; at += CHUNK) {
      for (const [id, url] of await this.#stored(all.slice(at, at + CHUNK))) {
        const hash = hashes.get(url);
        if (hash !== undefined) this.#keep(url, hash, id, found);
      }
    }
    this.#last ??= await this.#greatest();
    const rows: Row[] = [];
    for (const [url, hash] of hashes) {
      if (found.has(url)) continue;
      this.#last += 1;
      rows.push([this.#last, hash, url]);
      this.#keep(url, hash, this.#last, found);
    }
    if (rows.length > 0) await this.#sink.insert('url', rows);
  }

  async #stored(hashes: readonly number[]): Promise<[number, string][]> {
    // Always the same number of parameters, so that the statement is prepared only once.
    const padded = Array.from({ length: CHUNK }, (_, i) => hashes[i] ?? hashes[0]!);
    const marks = padded.map(() => '?').join(',');
    const rows = await this.#sink.all(`select id, url from url where hash in (${marks})`, padded);
    return rows as unknown as [number, string][];
  }

  async #greatest(): Promise<number> {
    const rows = await this.#sink.all('select coalesce(max(id), 0) from url', []);
    return Number(rows[0]![0]);
  }

  /** Returns 0 if the URL is not cached. */
  #recall(url: string, hash: number): number {
    const check = hash32(url, CHECK_SEED);
    const young = this.#young.get(hash, check);
    if (young !== 0) return young;
    const old = this.#old.get(hash, check);
    if (old !== 0) this.#remember(hash, check, old);
    return old;
  }

  #keep(url: string, hash: number, id: number, found: Map<string, number>): void {
    found.set(url, id);
    this.#remember(hash, hash32(url, CHECK_SEED), id);
  }

  #remember(hash: number, check: number, id: number): void {
    if (this.#young.size >= GENERATION) [this.#young, this.#old] = [this.#old.clear(), this.#young];
    this.#young.set(hash, check, id);
  }
}

/** Maps two hashes of a URL to its number, 16 bytes per slot. */
class Generation {
  readonly #hashes = new Float64Array(SLOTS);
  readonly #checks = new Uint32Array(SLOTS);
  /** 0 = free. */
  readonly #ids = new Uint32Array(SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns 0 if the URL is missing. */
  get(hash: number, check: number): number {
    return this.#ids[this.#slot(hash, check)]!;
  }

  set(hash: number, check: number, id: number): void {
    const slot = this.#slot(hash, check);
    if (this.#ids[slot] === 0) this.#size++;
    this.#hashes[slot] = hash;
    this.#checks[slot] = check;
    this.#ids[slot] = id;
  }

  clear(): this {
    this.#ids.fill(0);
    this.#size = 0;
    return this;
  }

  #slot(hash: number, check: number): number {
    let slot = check & (SLOTS - 1);
    while (this.#ids[slot] !== 0 && (this.#hashes[slot] !== hash || this.#checks[slot] !== check))
      slot = (slot + 1) & (SLOTS - 1);
    return slot;
  }
}
