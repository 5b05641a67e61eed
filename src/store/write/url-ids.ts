import { hash53 } from '../../kit/index.ts';
import type { Sink } from '../ports.ts';
import { UrlIndex } from '../url-index/url-index.ts';
import { checkOf, UrlSlots } from '../url-index/url-slots.ts';

/** URLs cached between batches, per generation: 4 MB in total. */
const GENERATION = 50_000;

/**
 * Numbers the URLs of the table `url`: 1, 2, 3, … The hash finds candidates, the text decides. A crawl meets the same
 * URLs often, so recent ones are cached. If the young generation is full, it becomes the old one, and URLs still in
 * use move over.
 */
export class UrlNumbers {
  readonly #sink: Sink;
  readonly #index: UrlIndex;
  #young = new UrlSlots();
  #old = new UrlSlots();

  constructor(sink: Sink, index: UrlIndex = new UrlIndex(sink)) {
    this.#sink = sink;
    this.#index = index;
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

  /** Empties the caches after a rolled back transaction. */
  forget(): void {
    this.#young.clear();
    this.#old.clear();
    this.#index.forget();
  }

  async #find(hashes: ReadonlyMap<string, number>, found: Map<string, number>): Promise<void> {
    const sealed: number[] = [];
    for (const [url, hash] of hashes) {
      const id = await this.#index.recent(url, hash);
      if (id === 0) sealed.push(hash);
      else this.#keep(url, hash, id, found);
    }
    for (const [id, url] of await this.#index.candidates(sealed)) {
      const hash = hashes.get(url);
      if (hash !== undefined) this.#keep(url, hash, id, found);
    }
    let last = await this.#index.last();
    const rows: [number, number, string][] = [];
    for (const [url, hash] of hashes) {
      if (found.has(url)) continue;
      last += 1;
      rows.push([last, hash, url]);
      this.#keep(url, hash, last, found);
    }
    if (rows.length === 0) return;
    await this.#sink.insert('url', rows);
    await this.#index.add(rows);
  }

  /** Returns 0 if the URL is not cached. */
  #recall(url: string, hash: number): number {
    const check = checkOf(url);
    const young = this.#young.get(hash, check);
    if (young !== 0) return young;
    const old = this.#old.get(hash, check);
    if (old !== 0) this.#remember(hash, check, old);
    return old;
  }

  #keep(url: string, hash: number, id: number, found: Map<string, number>): void {
    found.set(url, id);
    this.#remember(hash, checkOf(url), id);
  }

  #remember(hash: number, check: number, id: number): void {
    if (this.#young.size >= GENERATION) [this.#young, this.#old] = [this.#old.clear(), this.#young];
    this.#young.set(hash, check, id);
  }
}
