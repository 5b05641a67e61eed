import { hash53Bytes } from '../../kit/index.ts';
import type { Sink } from '../ports.ts';

/** Number of stems cached, about 50 bytes each; beyond it, some stems may be listed several times. */
const MOST = 300_000;
/** Rows read at a time. */
const ROWS = 64;
/** Follows each stem of the list. */
export const LINE_BREAK = 10;

/**
 * Stems already in `stem_list`. Each analysis thread reports its stems again in each run, and there may be many runs.
 * Identified by
 * 53-bit hashes.
 */
export class KnownStems {
  readonly #sink: Pick<Sink, 'all'>;
  #known: Set<number> | undefined;

  constructor(sink: Pick<Sink, 'all'>) {
    this.#sink = sink;
  }

  /** Returns the new stems among these, each followed by a line break, and remembers them. */
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
