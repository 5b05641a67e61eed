import type { Sink } from '../ports.ts';
import type { Row } from '../schema.ts';
import { SegmentBuilder } from './segment.ts';

/** Pages of a segment. A search looks into each segment, and reads the stems of pages that have none yet one by one. */
const SEGMENT_PAGES = 1024;
/** And entries, for pages with very many stems; eight bytes each. */
const SEGMENT_ENTRIES = 2_000_000;

/** A page's stems for the index, see `packStems`. */
export interface IndexEntry {
  readonly page: number;
  readonly stems: Uint32Array;
}

/**
 * Keeps the search index up to date, within the transaction that stores the pages. New pages go to `term_log` as they
 * are; when there are enough of them they become a segment, which is never changed again. So a page costs two small
 * writes, however large the index is.
 */
export class TermIndexWriter {
  readonly #sink: Sink;
  /** All that is in `term_log`; `undefined` while that is not known. */
  #waiting: SegmentBuilder | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Adds pages, in order of sequence. */
  async add(entries: readonly IndexEntry[]): Promise<void> {
    if (entries.length === 0) return;
    this.#waiting ??= await this.#readLog();
    const waiting = this.#waiting;
    let log: Row[] = [];
    for (const { page, stems } of entries) {
      if (!waiting.fits(page) || waiting.pages >= SEGMENT_PAGES || waiting.size >= SEGMENT_ENTRIES) {
        await this.#seal(waiting);
        log = [];
      }
      waiting.add(page, stems);
      log.push([page, new Uint8Array(stems.buffer, stems.byteOffset, stems.byteLength)]);
    }
    await this.#sink.insert('term_log', log);
  }

  /** Forgets what a transaction did that was undone. */
  forget(): void {
    this.#waiting = undefined;
  }

  async #readLog(): Promise<SegmentBuilder> {
    const builder = new SegmentBuilder();
    const rows = await this.#sink.all('select page, stems from term_log order by page', []);
    for (const [page, stems] of rows) builder.add(Number(page), stemsOf(stems as Uint8Array));
    return builder;
  }

  async #seal(waiting: SegmentBuilder): Promise<void> {
    const { first, last, pages, lengths, norms, blocks } = waiting.build();
    await this.#sink.run('delete from term_log where page <= ?', [last]);
    await this.#sink.insert('term_segment', [[first, last, pages, Buffer.concat([lengths, norms])]]);
    await this.#sink.insert(
      'term_block',
      blocks.map(({ stem, data }) => [first, stem, data]),
    );
  }
}

/** Stems as a row holds them; the bytes may lie anywhere in memory. */
export function stemsOf(bytes: Uint8Array): Uint32Array {
  const stems = new Uint32Array(2 * Math.floor(bytes.length / 8));
  new Uint8Array(stems.buffer).set(bytes.subarray(0, stems.byteLength));
  return stems;
}
