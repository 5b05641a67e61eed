import type { Sink } from '../ports.ts';
import { RunWriter } from './run-writer.ts';
import { type UrlEntries, type UrlRun, unpackEntries } from './url-run.ts';

/** Blocks of each run read at a time. */
const READ_AT_ONCE = 32;

/** Merges runs into one, a few blocks per transaction. Until it is done, readers use the old runs. */
export class RunMerge {
  readonly runs: readonly UrlRun[];
  readonly writer: RunWriter;
  readonly #readers: readonly RunReader[];

  /** @param runs that follow each other, sorted by `first` */
  constructor(sink: Sink, runs: readonly UrlRun[], base: number) {
    this.runs = runs;
    this.writer = new RunWriter(sink, { first: runs[0]!.first, last: runs.at(-1)!.last, base });
    this.#readers = runs.map((run) => new RunReader(sink, run));
  }

  /** Writes about so many blocks. Returns true once the merged run is complete; the caller removes the old ones. */
  async advance(blocks: number): Promise<boolean> {
    const until = this.writer.blocks + blocks;
    while (this.writer.blocks < until) {
      for (const reader of this.#readers) await reader.fill();
      if (this.#readers.every((reader) => reader.isEmpty)) {
        await this.writer.finish();
        return true;
      }
      this.#move(until);
      await this.writer.flush();
    }
    return false;
  }

  /** Moves entries to the merged run until a reader needs more blocks. */
  #move(until: number): void {
    const readers = this.#readers.filter((reader) => !reader.isEmpty);
    while (this.writer.blocks < until) {
      let least = readers[0]!;
      for (const reader of readers) if (reader.hash < least.hash) least = reader;
      this.writer.add(least.hash, least.id);
      least.skip();
      if (least.isEmpty) return;
    }
  }
}

/** Reads the entries of a run in order. */
class RunReader {
  readonly #sink: Pick<Sink, 'all'>;
  #block: number;
  readonly #end: number;
  #waiting: UrlEntries[] = [];
  #at = 0;

  constructor(sink: Pick<Sink, 'all'>, { base, blocks }: UrlRun) {
    this.#sink = sink;
    this.#block = base;
    this.#end = base + blocks;
  }

  /** True if entries must be read first, or all are read. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  get hash(): number {
    return this.#waiting[0]!.hashes[this.#at]!;
  }

  get id(): number {
    return this.#waiting[0]!.ids[this.#at]!;
  }

  skip(): void {
    if (++this.#at < this.#waiting[0]!.ids.length) return;
    this.#waiting.shift();
    this.#at = 0;
  }

  /** Reads more entries if none are left. */
  async fill(): Promise<void> {
    while (this.#waiting.length === 0 && this.#block < this.#end) {
      const end = Math.min(this.#end, this.#block + READ_AT_ONCE);
      const select = 'select data from url_block where id >= ? and id < ? order by id';
      const rows = await this.#sink.all(select, [this.#block, end]);
      this.#waiting = rows.map(([data]) => unpackEntries(data as Uint8Array)).filter(({ ids }) => ids.length > 0);
      this.#block = end;
    }
  }
}
