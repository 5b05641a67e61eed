import { countSorted, freeBytes } from '../../kit/index.ts';
import { LinkPacker } from '../link-pack.ts';
import type { Sink } from '../ports.ts';
import type { Row, WrittenTable } from '../schema.ts';
import { type PairBlock, PairBuilder } from './pairs.ts';
import { SEGMENT_SPAN, SegmentBuilder } from './segment.ts';
import { VoteWords } from './vote-words.ts';

/** Pages per segment. A search looks into each segment, and reads the stems of pages outside of segments one by one. */
const SEGMENT_PAGES = 1024;
/** Stems per segment, for very long pages; {@link STEM_BYTES} each. */
const SEGMENT_STEMS = 2_000_000;
const STEM_BYTES = 8;
/** Word pairs per segment; four bytes each. */
const SEGMENT_PAIRS = 8_000_000;
/** Rows of a log in memory at a time. */
const READ_AT_ONCE = 64;
/** Blocks inserted at a time; up to 4 KB each. */
const BLOCKS_AT_ONCE = 128;
const LOGS = { stems: 'term_log', pairs: 'pair_log' } as const;
/** Pages whose links are in memory at a time. */
const LINKING_AT_ONCE = 16;
const EMPTY: LogSize = { first: 0, pages: 0, stems: 0, pairs: 0 };

/** Index data of a page: its stems, see `packStems`, and its word pairs, see `PackedDocument`. */
export interface IndexEntry {
  readonly page: number;
  readonly stems: Uint32Array;
  readonly pairs: Uint8Array;
}

/**
 * Updates the search index within the transaction that stores the pages. New pages go to `term_log` and `pair_log`.
 * Once there are enough, they are read again and become a segment, which never changes. A page therefore costs four
 * small writes, regardless of the size of the index; until then, the logs are its only copy.
 */
export class TermIndexWriter {
  readonly #sink: Sink;
  /** Content of the logs; `undefined` while unknown. */
  #log: LogSize | undefined;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  /** Adds pages, in order of sequence. */
  async add(entries: readonly IndexEntry[]): Promise<void> {
    if (entries.length === 0) return;
    let log = this.#log ?? (await this.#measureLogs());
    let added: IndexEntry[] = [];
    for (const entry of entries) {
      if (isFull(log, entry.page)) {
        await this.#insert(added);
        await this.#seal(log);
        log = EMPTY;
        added = [];
      }
      log = longer(log, entry.page, { stems: entry.stems.length >>> 1, pairs: countSorted(entry.pairs) });
      added.push(entry);
    }
    await this.#insert(added);
    this.#log = log;
  }

  /** Resets the state after a rolled back transaction. */
  forget(): void {
    this.#log = undefined;
  }

  async #insert(entries: readonly IndexEntry[]): Promise<void> {
    const bytes = (stems: Uint32Array): Uint8Array => new Uint8Array(stems.buffer, stems.byteOffset, stems.byteLength);
    await this.#sink.insert(
      'term_log',
      entries.map(({ page, stems }) => [page, bytes(stems)]),
    );
    await this.#sink.insert(
      'pair_log',
      entries.map(({ page, pairs }) => [page, pairs]),
    );
  }

  async #measureLogs(): Promise<LogSize> {
    let log = EMPTY;
    for await (const [page, stems] of this.#read('stems'))
      log = longer(log, page, { stems: Math.floor(stems.length / STEM_BYTES), pairs: 0 });
    for await (const [, pairs] of this.#read('pairs')) log = { ...log, pairs: log.pairs + countSorted(pairs) };
    return log;
  }

  async #seal(size: LogSize): Promise<void> {
    const pages: number[] = [];
    const stemBuilder = new SegmentBuilder(size.stems);
    for await (const [page, stems] of this.#read('stems')) {
      const numbers = stemsOf(stems);
      stemBuilder.add(page, numbers);
      freeBytes(numbers);
      pages.push(page);
    }
    const { first, last, lengths, norms, blocks } = stemBuilder.build();
    await this.#sink.insert('term_segment', [[first, last, pages.length, Buffer.concat([lengths, norms])]]);
    await this.#insertBlocks('term_block', blocks, ({ stem }) => [first, stem]);
    await this.#insertBlocks('pair_block', await this.#pairBlocks(pages, size.pairs), ({ pair }) => [first, pair]);
    await this.#insertLinks(first, last);
    for (const log of Object.values(LOGS)) await this.#sink.run(`delete from ${log} where page <= ?`, [last]);
  }

  /** Inserts and frees blocks one batch at a time; a whole segment would take megabytes. */
  async #insertBlocks<T extends { readonly data: Uint8Array }>(
    table: WrittenTable,
    blocks: Iterable<T>,
    keyOf: (block: T) => Row,
  ): Promise<void> {
    let waiting: T[] = [];
    const insert = async (): Promise<void> => {
      await this.#sink.insert(
        table,
        waiting.map((block) => [...keyOf(block), block.data]),
      );
      for (const { data } of waiting) freeBytes(data);
      waiting = [];
    };
    for (const block of blocks) if (waiting.push(block) === BLOCKS_AT_ONCE) await insert();
    await insert();
  }

  /** Inserts the links of these pages, packed, and the words of their anchors. */
  async #insertLinks(first: number, last: number): Promise<void> {
    const votes = new VoteWords(first);
    const [covered] = await this.#sink.all('select max(last) from link_segment', []);
    // Pages without words are in no segment of the index, but their links belong to the next one.
    const begin = Math.min(first, Number(covered?.[0] ?? 0) + 1);
    const links = new LinkPacker(begin);
    const select = 'select page, target, anchor from link where page >= ? and page < ? order by page, n';
    for (let from = begin; from <= last; from += LINKING_AT_ONCE) {
      const rows = await this.#sink.all(select, [from, Math.min(last + 1, from + LINKING_AT_ONCE)]);
      for (const [page, own] of Map.groupBy(rows, ([page]) => Number(page))) {
        links.add(
          page,
          own.map(([, target]) => Number(target)),
        );
        if (page < first) continue;
        for (const [, target, anchor] of own) votes.add({ page, target: Number(target), anchor: String(anchor) });
      }
    }
    await this.#sink.insert('link_segment', [[begin, last, links.count, links.bytes()]]);
    let waiting: Row[] = [];
    for (const row of votes.rows())
      if (waiting.push(row) === BLOCKS_AT_ONCE) {
        await this.#sink.insert('vote_word', waiting);
        waiting = [];
      }
    await this.#sink.insert('vote_word', waiting);
  }

  async #pairBlocks(pages: readonly number[], size: number): Promise<Iterable<PairBlock>> {
    const builder = new PairBuilder(size);
    let place = 0;
    for await (const [page, pairs] of this.#read('pairs')) {
      for (; place < pages.length && pages[place]! < page; place++) builder.add(undefined);
      if (pages[place] !== page) continue;
      builder.add(pairs);
      place++;
    }
    for (; place < pages.length; place++) builder.add(undefined);
    return builder.build();
  }

  /** Yields pages of a log with their data, in order. The data is valid until the next page is requested. */
  async *#read(column: keyof typeof LOGS): AsyncGenerator<readonly [number, Uint8Array]> {
    const select = `select page, ${column} from ${LOGS[column]} where page > ? order by page limit ${READ_AT_ONCE}`;
    for (let last = 0; ; ) {
      const rows = await this.#sink.all(select, [last]);
      for (const [page, bytes] of rows) {
        yield [Number(page), bytes as Uint8Array];
        freeBytes(bytes as Uint8Array);
      }
      if (rows.length < READ_AT_ONCE) return;
      last = Number(rows.at(-1)![0]);
    }
  }
}

/** Size of the pages that are not in a segment yet. */
interface LogSize {
  /** Sequence of the first page. */
  readonly first: number;
  readonly pages: number;
  readonly stems: number;
  readonly pairs: number;
}

function longer(log: LogSize, page: number, more: Pick<LogSize, 'stems' | 'pairs'>): LogSize {
  const first = log.pages === 0 ? page : log.first;
  return { first, pages: log.pages + 1, stems: log.stems + more.stems, pairs: log.pairs + more.pairs };
}

/** Returns whether a segment must be made before this page is added. */
function isFull({ first, pages, stems, pairs }: LogSize, page: number): boolean {
  if (pages === 0) return false;
  return pages >= SEGMENT_PAGES || stems >= SEGMENT_STEMS || pairs >= SEGMENT_PAIRS || page - first >= SEGMENT_SPAN;
}

/** Returns stems as stored in a row; the bytes may be at any offset. */
export function stemsOf(bytes: Uint8Array): Uint32Array {
  const stems = new Uint32Array(2 * Math.floor(bytes.length / STEM_BYTES));
  new Uint8Array(stems.buffer).set(bytes.subarray(0, stems.byteLength));
  return stems;
}
