import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Characters of lines kept in memory before they are written as a sorted run. */
const RUN_CHARS = 16 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;

/**
 * Sorts any number of lines by their bytes, without duplicates. Memory: one run; more lines go to a temporary folder
 * that `close` removes.
 */
export class LineSorter {
  readonly #runChars: number;
  #lines: string[] = [];
  #chars = 0;
  #folder: string | undefined;
  readonly #runs: string[] = [];

  /** @param runChars characters of lines kept in memory */
  constructor(runChars: number = RUN_CHARS) {
    this.#runChars = runChars;
  }

  /** Adds a line without its break. */
  add(line: string): void {
    this.#lines.push(line);
    this.#chars += line.length;
    if (this.#chars > this.#runChars) this.#writeRun();
  }

  /** Yields all lines in order. */
  *sorted(): Generator<string> {
    const last = this.#lines.sort(byBytes);
    const sources = [...this.#runs.map(linesOf), last[Symbol.iterator]()];
    const heads = sources.flatMap((source) => headOf(source));
    let before: string | undefined;
    while (heads.length > 0) {
      let least = 0;
      for (let i = 1; i < heads.length; i++) if (byBytes(heads[i]?.line ?? '', heads[least]?.line ?? '') < 0) least = i;
      const [head] = heads.splice(least, 1);
      if (head === undefined) return;
      if (head.line !== before) yield head.line;
      before = head.line;
      heads.push(...headOf(head.source));
    }
  }

  close(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  #writeRun(): void {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'bingo-sort-'));
    const path = join(this.#folder, String(this.#runs.length));
    const file = openSync(path, 'wx', 0o600);
    try {
      for (const piece of pieces(this.#lines.sort(byBytes))) writeAll(file, piece);
    } finally {
      closeSync(file);
    }
    this.#runs.push(path);
    this.#lines = [];
    this.#chars = 0;
  }
}

/** Joins lines with their breaks into pieces of about {@link BLOCK_BYTES}. */
export function* pieces(lines: Iterable<string>): Generator<Buffer> {
  let piece = '';
  for (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < BLOCK_BYTES) continue;
    yield Buffer.from(piece);
    piece = '';
  }
  if (piece !== '') yield Buffer.from(piece);
}

/** Writes all bytes at the end of a file. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at);
}

/** Yields the lines of a file without their breaks. */
export function* linesOf(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const block = Buffer.alloc(BLOCK_BYTES);
    let rest = Buffer.alloc(0);
    for (let read = readSync(file, block); read > 0; read = readSync(file, block)) {
      const bytes = Buffer.concat([rest, block.subarray(0, read)]);
      const end = bytes.lastIndexOf(LF) + 1;
      rest = bytes.subarray(end);
      if (end > 0) yield* bytes.toString('utf8', 0, end - 1).split('\n');
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    closeSync(file);
  }
}

const LF = 10;

interface Head {
  readonly line: string;
  readonly source: Iterator<string>;
}

function headOf(source: Iterator<string>): Head[] {
  const next = source.next();
  return next.done === true ? [] : [{ line: next.value, source }];
}

/** Keys are ASCII, so the order of characters is that of bytes. */
function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
