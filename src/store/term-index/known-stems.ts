import { hash53Bytes } from '../../kit/index.ts';
import type { Sink } from '../ports.ts';

/** Stems that are remembered, some 50 bytes each; of more, some may be listed several times. */
const MOST = 300_000;
/** Rows read at a time. */
const ROWS = 64;
/** Behind each stem of the list. */
export const LINE_BREAK = 10;

/**
 * Which stems `stem_list` has: each analysis thread lists anew in each run what it meets, and runs may be many. Told apart by
 * 53 bits.
 */
export class KnownStems {
  readonly #sink: Pick<Sink, 'all'>;
  #known: Set<number> | undefined;

  constructor(sink: Pick<Sink, 'all'>) {
    this.#sink = sink;
  }

  /** Those of these stems, a line break behind each, that were not there; they are from now on. */
  async fresh(pieces: readonly Uint8Array[]): Promise<Buffer> {
    this.#known ??= await this.#read();
    return Buffer.concat(pieces.flatMap((piece) => newLines(piece, this.#known!)));
  }

  async #read(): Promise<Set<number>> {
    const known = new Set<number>();
    for (let last = 0; ; ) {
      const select = `select sequence, stems from stem_list where sequence > ? order by sequence limit ${ROWS}`;
      const rows = await this.#sink.all(select, [last]);
      for (const [, stems] of rows) newLines(stems as Uint8Array, known);
      if (rows.length < ROWS) return known;
      last = Number(rows.at(-1)![0]);
    }
  }
}

function newLines(lines: Uint8Array, known: Set<number>): Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf(LINE_BREAK, start) + 1 || lines.length;
    const line = lines.subarray(start, end);
    const hash = hash53Bytes(line);
    if (!known.has(hash)) {
      if (known.size < MOST) known.add(hash);
      found.push(line);
    }
    start = end;
  }
  return found;
}
