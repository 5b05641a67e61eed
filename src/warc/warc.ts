import { open } from 'node:fs/promises';
import { UnreadableFileError } from '../core/index.ts';
import { FileWindow } from './file-window.ts';
import { type Passing, passPiece } from './large-piece.ts';
import { type Packing, type Piece, packingAt, readDictionary, readPiece } from './packing.ts';
import { type WarcDamage, WarcError } from './warc-error.ts';
import {
  MAX_HEADS_BYTES,
  MAX_RECORD_BYTES,
  parseRecord,
  skipBreaks,
  startsRecord,
  VERSION,
  type WarcRecord,
} from './warc-record.ts';

export interface ReadWarcOptions {
  /** Called with each damaged range; reading then continues at the next record. Without it, damage throws. */
  readonly onDamage?: (error: WarcError) => void;
  /** Part of the file that holds the records, such as a member of a zip file. Default: all of it. */
  readonly range?: { readonly offset: number; readonly length: number };
}

/**
 * Streams the records of a WARC file in order: uncompressed, gzip or zstd. Memory use: one record and a read buffer.
 * A record of more than {@link MAX_RECORD_BYTES} is returned without most of its block.
 * @throws WarcError at the first damage, after all records before it were returned
 * @throws UnreadableFileError `WARC_UNREADABLE` if the file cannot be opened or read
 */
export async function* readWarc(path: string, options: ReadWarcOptions = {}): AsyncGenerator<WarcRecord> {
  const file = await open(path).catch((cause: Error) => {
    throw unreadable(path, cause);
  });
  try {
    const window = new FileWindow(file, options.range);
    const dictionary = dictionaryOf(path, file.fd);
    let records = 0;
    for (;;) {
      const step = await nextUnit(window, dictionary).catch((cause: Error) => {
        throw unreadable(path, cause);
      });
      if (step.kind === 'end') return;
      if (step.kind === 'records') {
        for (const record of step.records) {
          records++;
          yield record;
        }
        continue;
      }
      // Data between records that is not a record was one, so it is damage.
      const code = step.code === 'WARC_INVALID' && records > 0 ? 'WARC_DAMAGED' : step.code;
      const error = new WarcError({ code, file: path, offset: step.at ?? window.offset, records, reason: step.reason });
      if (options.onDamage === undefined || code === 'WARC_INVALID') throw error;
      options.onDamage(error);
      // A record may start directly behind a long one.
      await skipToRecord(window, dictionary, step.at === undefined ? 1 : 0);
    }
  } finally {
    await file.close();
  }
}

/**
 * Parses the record at the given `offset` and `length`; the record must be `alone` there.
 * @param dictionary - see {@link readDictionary}
 * @returns `undefined` if the bytes are not a record: the file has changed
 */
export function recordAt(bytes: Uint8Array, dictionary?: Uint8Array): WarcRecord | undefined {
  const content = unpacked(bytes, dictionary);
  if (content === undefined) return undefined;
  const parsed = parseRecord(content, 0, { offset: 0, length: bytes.length, alone: true });
  return parsed.kind === 'record' ? parsed.record : undefined;
}

/** Returns the bytes of a record without its compression; `undefined` if they are damaged. */
export function unpacked(bytes: Uint8Array, dictionary: Uint8Array | undefined): Uint8Array | undefined {
  return packingAt(bytes) === undefined ? bytes : unpackedPieces(bytes, dictionary);
}

function unpackedPieces(bytes: Uint8Array, dictionary: Uint8Array | undefined): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const piece = readPiece(bytes.subarray(at), dictionary);
    if (piece.kind !== 'member') return undefined;
    parts.push(piece.data);
    at += piece.length;
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/**
 * Returns the compression dictionary of a file, if it has one.
 * @param file - its descriptor
 * @throws WarcError if it is damaged; UnreadableFileError `WARC_UNREADABLE`
 */
export function dictionaryOf(path: string, file: number): Uint8Array | undefined {
  const read = attempt(path, () => readDictionary(file));
  if (!('reason' in read)) return read.dictionary;
  throw new WarcError({ code: 'WARC_DICTIONARY', file: path, offset: 0, records: 0, reason: read.reason });
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unreadable(path, cause as Error);
  }
}

function unreadable(path: string, cause: Error): UnreadableFileError {
  return new UnreadableFileError({
    code: 'WARC_UNREADABLE',
    message: `Cannot read the WARC file ${path}: ${cause.message}`,
    hint: 'Check the path and that you may read the file.',
    cause,
  });
}

type Damage = {
  readonly kind: 'damage';
  readonly code: WarcDamage['code'];
  readonly reason: string;
  /** Byte offset in the file. Default: the window's start. */
  readonly at?: number;
};
type Unit = { readonly kind: 'end' } | { readonly kind: 'records'; readonly records: readonly WarcRecord[] } | Damage;

/** Reads one uncompressed record, or all records compressed together, and drops them from the window. */
async function nextUnit(window: FileWindow, dictionary: Uint8Array | undefined): Promise<Unit> {
  if (window.bytes.length < 64 * 1024) await window.grow();
  if (window.bytes.length === 0) return { kind: 'end' };
  return packingAt(window.bytes) === undefined ? nextPlain(window, dictionary) : nextPacked(window, dictionary);
}

/**
 * Reads the next compressed piece. Usually one piece is one record. A record may span several pieces, and one piece
 * may hold many records, but not the end of one and the beginning of another.
 */
async function nextPacked(window: FileWindow, dictionary: Uint8Array | undefined): Promise<Unit> {
  const what = packingAt(window.bytes)!;
  const joined = new Joined();
  let [length, needed] = [0, 0];
  for (;;) {
    const piece = await pieceAt(window, length, dictionary);
    const isFirst = joined.length === 0;
    if (piece.kind === 'more' && window.ended) return damage('WARC_TRUNCATED', `the file ends within a ${what}`);
    const isLarge = piece.kind === 'more' || (piece.kind === 'damaged' && piece.isTooLarge === true);
    if (isLarge || Math.max(length, needed) > MAX_RECORD_BYTES)
      return nextLarge(window, dictionary, { what, length, begun: joined.bytes });
    if (piece.kind === 'damaged') return damage('WARC_DAMAGED', `damaged ${what} (${piece.reason})`);
    if (!isFirst && piece.data.length > 0 && startsRecord(piece.data, 0)) break;
    length += piece.length;
    joined.add(piece.data);
    const size = joined.length;
    const found = size < needed ? { needed } : recordsIn(joined.bytes, { offset: window.offset, length });
    if (found === undefined) break;
    if ('records' in found) {
      window.drop(length);
      return { kind: 'records', records: found.records };
    }
    needed = found.needed;
    if (window.ended && length === window.bytes.length)
      return damage('WARC_TRUNCATED', 'the file ends within a record');
  }
  return damage('WARC_INVALID', `no complete WARC record in the ${what}`);
}

/** Concatenated pieces. The buffer doubles when full, since a record may have thousands of pieces. */
class Joined {
  #bytes: Uint8Array = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  add(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (this.#length === 0) this.#bytes = piece;
    else {
      if (length > this.#bytes.length) {
        const larger = new Uint8Array(2 * length);
        larger.set(this.bytes);
        this.#bytes = larger;
      }
      this.#bytes.set(piece, this.#length);
    }
    this.#length = length;
  }
}

/**
 * The known part of a record that is too long to keep: the first `length` bytes of the window, and their decompressed
 * content.
 */
interface Begun {
  readonly what: Packing;
  readonly length: number;
  readonly begun: Uint8Array;
}

/**
 * Returns the beginning of a long record and the offset of the next one. Decompresses it to its end without keeping
 * it.
 */
async function nextLarge(
  window: FileWindow,
  dictionary: Uint8Array | undefined,
  { what, length, begun }: Begun,
): Promise<Unit> {
  const at = window.offset;
  let size = begun.length;
  let head = begun.slice(0, MAX_HEADS_BYTES);
  window.drop(length);
  for (;;) {
    if (window.bytes.length < MARK_BYTES) await window.grow();
    if (packingAt(window.bytes) === undefined)
      return { ...damage(window.ended ? 'WARC_TRUNCATED' : 'WARC_DAMAGED', `an incomplete ${what}`), at };
    const piece = await passOver(window, dictionary, MAX_HEADS_BYTES - head.length);
    if (piece.kind === 'more') return { ...damage('WARC_TRUNCATED', `the file ends within a ${what}`), at };
    if (piece.kind === 'damaged') return { ...damage('WARC_DAMAGED', `damaged ${what} (${piece.reason})`), at };
    if (piece.head.length > 0) head = Buffer.concat([head, piece.head]);
    size += piece.size;
    const parsed = parseRecord(head, skipBreaks(head, 0), { offset: at, length: window.offset - at, alone: false });
    if (parsed.kind === 'more' && parsed.begun === undefined && head.length < MAX_HEADS_BYTES) continue;
    if (parsed.kind === 'more' && parsed.begun !== undefined) {
      if (parsed.needed > size) continue;
      if (size - parsed.needed <= MAX_BREAKS) return { kind: 'records', records: [parsed.begun] };
    }
    return { ...damage('WARC_TOO_LARGE', `more than 64 MiB, expected one ${what} per record`), at };
  }
}

/** Skips one piece. Decompresses a small piece at once, since there may be thousands. */
async function passOver(window: FileWindow, dictionary: Uint8Array | undefined, keep: number): Promise<Passing> {
  const small = readPiece(window.bytes.subarray(0, TRIED_BYTES), dictionary);
  if (small.kind !== 'member') return passPiece(window, dictionary, keep);
  window.drop(small.length);
  return { kind: 'passed', head: small.data.subarray(0, keep), size: small.data.length };
}

/** Maximum number of line breaks behind a record. */
const MAX_BREAKS = 16;

/** Reads the gzip member or zstd frame at this offset in the window; enlarges the window for it. */
async function pieceAt(window: FileWindow, at: number, dictionary: Uint8Array | undefined): Promise<Piece> {
  for (;;) {
    const bytes = window.bytes.subarray(at);
    const isPacked = packingAt(bytes) !== undefined;
    const piece = isPacked ? readPiece(bytes, dictionary) : undefined;
    if (piece !== undefined && piece.kind !== 'more') return piece;
    if (!isPacked && bytes.length >= MARK_BYTES) return { kind: 'damaged', reason: 'something else follows' };
    if (window.ended || window.bytes.length - at >= MAX_RECORD_BYTES) return { kind: 'more' };
    await window.grow();
  }
}

/**
 * Returns all records in the decompressed data, or the number of bytes the first one needs; `undefined` for other
 * data.
 */
function recordsIn(
  bytes: Uint8Array,
  place: Pick<WarcRecord, 'offset' | 'length'>,
): { readonly records: readonly WarcRecord[] } | { readonly needed: number } | undefined {
  const records: WarcRecord[] = [];
  for (let at = skipBreaks(bytes, 0); at < bytes.length; ) {
    const parsed = parseRecord(bytes, at, { ...place, alone: true });
    if (parsed.kind === 'more' && records.length === 0) return { needed: parsed.needed };
    if (parsed.kind !== 'record') return undefined;
    records.push(parsed.record);
    at = skipBreaks(bytes, parsed.end);
  }
  return { records: records.length < 2 ? records : records.map((record) => ({ ...record, alone: false })) };
}

/** Longer blocks are not copied. */
const LARGE_BYTES = 1024 * 1024;

async function nextPlain(window: FileWindow, dictionary: Uint8Array | undefined): Promise<Unit> {
  window.drop(skipBreaks(window.bytes, 0));
  if (window.bytes.length === 0) return window.ended ? { kind: 'end' } : nextUnit(window, dictionary);
  for (;;) {
    const parsed = parseRecord(window.bytes, 0, { offset: window.offset, length: 0, alone: true });
    if (parsed.kind === 'record') {
      const { block } = parsed.record;
      // Copies a small block, which would otherwise keep the whole window in memory.
      const own = block.length < LARGE_BYTES ? block.slice() : block;
      const record = { ...parsed.record, length: parsed.end, block: own };
      window.drop(parsed.end);
      return { kind: 'records', records: [record] };
    }
    if (parsed.kind === 'invalid') return damage('WARC_INVALID', 'not a WARC record');
    if (window.ended || (await window.left()) < parsed.needed - window.bytes.length)
      return damage('WARC_TRUNCATED', 'the file ends within a record');
    if (parsed.begun !== undefined && parsed.needed > MAX_RECORD_BYTES) {
      const block = parsed.begun.block.slice(0, MAX_HEADS_BYTES);
      const missing = parsed.begun.missing + parsed.begun.block.length - block.length;
      window.drop(parsed.needed);
      return { kind: 'records', records: [{ ...parsed.begun, length: parsed.needed, alone: false, block, missing }] };
    }
    await window.grow(parsed.needed);
  }
}

function damage(code: Damage['code'], reason: string): Damage {
  return { kind: 'damage', code, reason };
}

/** Moves the window to the next possible start of a record, or to the end of the file. */
async function skipToRecord(window: FileWindow, dictionary: Uint8Array | undefined, first: number): Promise<void> {
  for (let from = first; ; ) {
    const at = nextStart(window.bytes, from, dictionary);
    if (at !== undefined) return window.drop(at);
    if (window.ended) return window.drop(window.bytes.length);
    // The last bytes may be the beginning of a magic number.
    window.drop(Math.max(0, window.bytes.length - MARK_BYTES));
    from = window.bytes.length === 0 ? 0 : 1;
    await window.grow();
  }
}

const MARK_BYTES = 12;

function nextStart(bytes: Uint8Array, from: number, dictionary: Uint8Array | undefined): number | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (from === 0 && view.indexOf(VERSION, 0, 'latin1') === 0) return 0;
  const plain = view.indexOf(`\n${VERSION}`, Math.max(0, from - 1), 'latin1');
  const limit = plain < 0 ? bytes.length : plain;
  for (let at = from; at < limit; at++)
    if (packingAt(bytes, at) !== undefined && holdsRecord(bytes.subarray(at), dictionary)) return at;
  return plain < 0 ? undefined : plain + 1;
}

/**
 * Returns true if the bytes are a record. Compressed data can look like the start of a piece by chance, but the check
 * of the flags byte makes that rare enough to try decompressing.
 */
function holdsRecord(bytes: Uint8Array, dictionary: Uint8Array | undefined): boolean {
  if (packingAt(bytes) === 'gzip member' && ((bytes[3] ?? 0) & 0xe0) !== 0) return false;
  const piece = readPiece(bytes.subarray(0, TRIED_BYTES), dictionary);
  if (piece.kind === 'damaged') return piece.isTooLarge === true;
  return piece.kind === 'more' || (piece.data.length > 0 && startsRecord(piece.data, 0));
}

/** Bytes of a piece that are enough to recognise a record. */
const TRIED_BYTES = 64 * 1024;
