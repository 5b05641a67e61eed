import type { Sink } from '../ports.ts';
import type { Row } from '../schema.ts';
import { PairBuilder } from './pairs.ts';
import { SegmentBuilder } from './segment.ts';

/** Pages of a segment. A search looks into each segment, and reads the stems of pages that have none yet one by one. */
const SEGMENT_PAGES = 1024;
/** And entries, for pages with very many stems; eight bytes each. */
const SEGMENT_ENTRIES = 2_000_000;
/** And pairs of words; four bytes each. */
const SEGMENT_PAIRS = 8_000_000;

/** What the index takes of a page: its stems, see `packStems`, and its pairs of words, see `PackedDocument`. */
export interface IndexEntry {
  readonly page: number;
  readonly stems: Uint32Array;
  readonly pairs: Uint8Array;
}

/**
 * Keeps the search index up to date, within the transaction that stores the pages. New pages go to `term_log` and
 * `pair_log` as they are; when there are enough of them they become a segment, which is never changed again. So a page
 * costs four small writes, however large the index is.
 */
export class TermIndexWriter {
  readonly #sink: Sink;
  /** All that is in the logs; `undefined` while that is not known. */
  #waiting: Waiting | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Adds pages, in order of sequence. */
  async add(entries: readonly IndexEntry[]): Promise<void> {
    if (entries.length === 0) return;
    this.#waiting ??= await this.#readLogs();
    const { stems: waiting, pairs: waitingPairs } = this.#waiting;
    let log: Row[] = [];
    let pairLog: Row[] = [];
    for (const { page, stems, pairs } of entries) {
      if (!waiting.fits(page) || waiting.pages >= SEGMENT_PAGES || isLarge(this.#waiting)) {
        await this.#seal(this.#waiting);
        log = [];
        pairLog = [];
      }
      waiting.add(page, stems);
      waitingPairs.add(pairs);
      log.push([page, new Uint8Array(stems.buffer, stems.byteOffset, stems.byteLength)]);
      pairLog.push([page, pairs]);
    }
    await this.#sink.insert('term_log', log);
    await this.#sink.insert('pair_log', pairLog);
  }

  /** Forgets what a transaction did that was undone. */
  forget(): void {
    this.#waiting = undefined;
  }

  async #readLogs(): Promise<Waiting> {
    const waiting: Waiting = { stems: new SegmentBuilder(), pairs: new PairBuilder() };
    const pairRows = await this.#sink.all('select page, pairs from pair_log order by page', []);
    const pairs = new Map(pairRows.map(([page, bytes]) => [Number(page), bytes as Uint8Array]));
    for (const [page, stems] of await this.#sink.all('select page, stems from term_log order by page', [])) {
      waiting.stems.add(Number(page), stemsOf(stems as Uint8Array));
      waiting.pairs.add(pairs.get(Number(page)));
    }
    return waiting;
  }

  async #seal(waiting: Waiting): Promise<void> {
    const { first, last, pages, lengths, norms, blocks } = waiting.stems.build();
    for (const log of ['term_log', 'pair_log']) await this.#sink.run(`delete from ${log} where page <= ?`, [last]);
    await this.#sink.insert('term_segment', [[first, last, pages, Buffer.concat([lengths, norms])]]);
    await this.#sink.insert(
      'term_block',
      blocks.map(({ stem, data }) => [first, stem, data]),
    );
    await this.#sink.insert(
      'pair_block',
      waiting.pairs.build().map(({ pair, data }) => [first, pair, data]),
    );
  }
}

/** Pages that are in no segment yet. */
interface Waiting {
  readonly stems: SegmentBuilder;
  readonly pairs: PairBuilder;
}

function isLarge({ stems, pairs }: Waiting): boolean {
  return stems.size >= SEGMENT_ENTRIES || pairs.size >= SEGMENT_PAIRS;
}

/** Stems as a row holds them; the bytes may lie anywhere in memory. */
export function stemsOf(bytes: Uint8Array): Uint32Array {
  const stems = new Uint32Array(2 * Math.floor(bytes.length / 8));
  new Uint8Array(stems.buffer).set(bytes.subarray(0, stems.byteLength));
  return stems;
}
