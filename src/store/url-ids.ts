import { hash53 } from '../core/index.ts';
import type { Sink } from './ports.ts';
import type { Row } from './schema.ts';

/** URLs remembered between batches, in each of two generations: about 30 MB at the most. */
const GENERATION = 50_000;
/** URLs asked for in one query. */
const CHUNK = 200;

/**
 * Numbers the URLs of the table `url`, 1, 2, 3, … The hash finds candidates, the text decides. A crawl meets the same
 * URLs again and again, so the last ones are remembered: when the young generation is full it becomes the old one, and
 * what is still in use moves over.
 */
export class UrlNumbers {
  readonly #sink: Sink;
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  #last: number | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Numbers of all these URLs; new ones are inserted in the open transaction. */
  async of(urls: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const unknown: string[] = [];
    for (const url of urls) {
      const id = this.#recall(url);
      if (id === undefined) unknown.push(url);
      else found.set(url, id);
    }
    if (unknown.length > 0) await this.#find(unknown, found);
    return found;
  }

  /** Forgets everything: a transaction was undone, and its numbers with it. */
  forget(): void {
    this.#young.clear();
    this.#old.clear();
    this.#last = undefined;
  }

  async #find(urls: readonly string[], found: Map<string, number>): Promise<void> {
    const hashes = new Map<string, number>(urls.map((url) => [url, hash53(url)]));
    for (let at = 0; at < urls.length; at += CHUNK) {
      const part = urls.slice(at, at + CHUNK);
      for (const [id, url] of await this.#stored(part.map((url) => hashes.get(url)!)))
        if (hashes.has(url)) this.#keep(url, id, found);
    }
    this.#last ??= await this.#greatest();
    const rows: Row[] = [];
    for (const [url, hash] of hashes) {
      if (found.has(url)) continue;
      this.#last += 1;
      rows.push([this.#last, hash, url]);
      this.#keep(url, this.#last, found);
    }
    if (rows.length > 0) await this.#sink.insert('url', rows);
  }

  async #stored(hashes: readonly number[]): Promise<[number, string][]> {
    // Always the same number of parameters, so that the statement is prepared once.
    const padded = Array.from({ length: CHUNK }, (_, i) => hashes[i] ?? hashes[0]!);
    const marks = padded.map(() => '?').join(',');
    const rows = await this.#sink.all(`select id, url from url where hash in (${marks})`, padded);
    return rows as unknown as [number, string][];
  }

  async #greatest(): Promise<number> {
    const rows = await this.#sink.all('select coalesce(max(id), 0) from url', []);
    return Number(rows[0]![0]);
  }

  #recall(url: string): number | undefined {
    const young = this.#young.get(url);
    if (young !== undefined) return young;
    const old = this.#old.get(url);
    if (old !== undefined) this.#remember(url, old);
    return old;
  }

  #keep(url: string, id: number, found: Map<string, number>): void {
    found.set(url, id);
    this.#remember(url, id);
  }

  #remember(url: string, id: number): void {
    if (this.#young.size >= GENERATION) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(url, id);
  }
}
