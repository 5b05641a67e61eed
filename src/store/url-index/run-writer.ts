import { UrlFilter } from './url-filter.ts';
import { partOf } from './url-hash.ts';
import { packEntries, rowOfRun, runOf, type UrlRun, type UrlRunRow } from './url-run.ts';

/** Blocks inserted at a time; about 4 KB each. */
const BLOCKS_AT_ONCE = 32;

export type UrlBlockRow = readonly [id: number, data: Uint8Array];

/** Where a run is written; all rows in one table at a time. */
export interface RunSink {
  insert(table: 'url_run' | 'url_block', rows: readonly (UrlRunRow | UrlBlockRow)[]): Promise<void>;
}

/** Writes one run: first its URLs in ascending order of their hashes, then its filter and its row in `url_run`. */
export class RunWriter {
  readonly run: UrlRun;
  readonly filter: UrlFilter;
  readonly #sink: RunSink;
  #hashes: number[] = [];
  #ids: number[] = [];
  #block = 0;
  #rows: UrlBlockRow[] = [];

  constructor(
    sink: RunSink,
    { first, last, base }: { readonly first: number; readonly last: number; readonly base: number },
  ) {
    this.#sink = sink;
    this.run = runOf(first, last, base);
    this.filter = new UrlFilter(last - first + 1);
  }

  /** Number of blocks that are full. */
  get blocks(): number {
    return this.#block;
  }

  add(hash: number, id: number): void {
    const block = partOf(hash, this.run.blocks);
    while (this.#block < block) this.#finishBlock();
    this.#hashes.push(hash);
    this.#ids.push(id);
    this.filter.add(hash);
  }

  /** Writes the blocks that are full. */
  async flush(): Promise<void> {
    for (let at = 0; at < this.#rows.length; at += BLOCKS_AT_ONCE)
      await this.#sink.insert('url_block', this.#rows.slice(at, at + BLOCKS_AT_ONCE));
    this.#rows = [];
  }

  /** Writes what is left. */
  async finish(): Promise<void> {
    while (this.#block < this.run.blocks) this.#finishBlock();
    let id = this.run.base + this.run.blocks;
    for (const piece of this.filter.pieces()) {
      this.#rows.push([id++, piece]);
      if (this.#rows.length >= BLOCKS_AT_ONCE) await this.flush();
    }
    await this.flush();
    await this.#sink.insert('url_run', [rowOfRun(this.run)]);
  }

  #finishBlock(): void {
    const data = packEntries({ hashes: Float64Array.from(this.#hashes), ids: Uint32Array.from(this.#ids) });
    this.#hashes = [];
    this.#ids = [];
    this.#rows.push([this.run.base + this.#block, data]);
    this.#block++;
  }
}
