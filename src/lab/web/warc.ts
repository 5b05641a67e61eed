import { open } from 'node:fs/promises';
import { MAX_MEMBER_BYTES, UnreadableFileError } from '../../core/index.ts';
import { FileWindow } from './file-window.ts';
import { type HeaderFields, headerValue, parseHead } from './http-message.ts';
import { type Piece, packingAt, readDictionary, readPiece } from './packing.ts';
import { type WarcDamage, WarcError } from './warc-error.ts';

/** One record of a WARC file (ISO 28500). */
export interface WarcRecord {
  /** Byte offset in the file of the record, or of the gzip member or zstd frame that holds it. */
  readonly offset: number;
  /** Bytes it takes there, compressed. */
  readonly length: number;
  /** The only record of its gzip member or zstd frames, or a plain one: `recordAt` can read it again. */
  readonly alone: boolean;
  /** `response`, `request`, `warcinfo`, … in lower case. */
  readonly type: string;
  /** `WARC-Target-URI` without angle brackets, `''` when there is none. */
  readonly url: string;
  /** `WARC-Date` as written. */
  readonly date: string;
  readonly headers: HeaderFields;
  /** The record's block: for a response, the HTTP message. */
  readonly block: Uint8Array;
}

export interface ReadWarcOptions {
  /** Called with each damaged stretch; reading then goes on at the next record. Without it, damage throws. */
  readonly onDamage?: (error: WarcError) => void;
}

/**
 * Streams the records of a WARC file, plain, gzipped or packed by zstd, in order. Memory: one record and a read buffer.
 * @throws WarcError at the first damage, after all the records before it were given
 * @throws UnreadableFileError `WARC_UNREADABLE` when the file cannot be opened or read
 */
export async function* readWarc(path: string, options: ReadWarcOptions = {}): AsyncGenerator<WarcRecord> {
  const file = await open(path).catch((cause: Error) => {
    throw unreadable(path, cause);
  });
  try {
    const window = new FileWindow(file);
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
      // What is no record in the midst of others was one.
      const code = step.code === 'WARC_INVALID' && records > 0 ? 'WARC_DAMAGED' : step.code;
      const error = new WarcError({ code, file: path, offset: window.offset, records, reason: step.reason });
      if (options.onDamage === undefined || code === 'WARC_INVALID') throw error;
      options.onDamage(error);
      await skipToRecord(window, dictionary);
    }
  } finally {
    await file.close();
  }
}

/**
 * Parses one record from the bytes that its `offset` and `length` name; the record must be `alone` there.
 * @param dictionary - see {@link readDictionary}
 * @returns `undefined` when the bytes hold no record: the file has changed
 */
export function recordAt(bytes: Uint8Array, dictionary?: Uint8Array): WarcRecord | undefined {
  const unpacked = packingAt(bytes) === undefined ? bytes : unpackedPieces(bytes, dictionary);
  if (unpacked === undefined) return undefined;
  const parsed = parseRecord(unpacked, 0, { offset: 0, length: bytes.length, alone: true });
  return parsed.kind === 'record' ? parsed.record : undefined;
}

function unpackedPieces(bytes: Uint8Array, dictionary: Uint8Array | undefined): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const piece = readPiece(bytes.subarray(at), dictionary);
    if (piece.kind !== 'member') return undefined;
    parts.push(piece.data);
    at += piece.length;
  }
  return joined(parts);
}

/**
 * The dictionary that the records of a file are packed with, where it has one.
 * @param file - its descriptor
 * @throws WarcError when it is damaged; UnreadableFileError `WARC_UNREADABLE`
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
};
type Unit = { readonly kind: 'end' } | { readonly kind: 'records'; readonly records: readonly WarcRecord[] } | Damage;

/** Reads one plain record, or one that is packed with what lies beside it, and drops it from the window. */
async function nextUnit(window: FileWindow, dictionary: Uint8Array | undefined): Promise<Unit> {
  if (window.bytes.length < 64 * 1024) await window.grow();
  if (window.bytes.length === 0) return { kind: 'end' };
  return packingAt(window.bytes) === undefined ? nextPlain(window, dictionary) : nextPacked(window, dictionary);
}

/** Mostly one piece is one record. A record may be in several, and one piece may hold many records, but not the end of one and the beginning of another. */
async function nextPacked(window: FileWindow, dictionary: Uint8Array | undefined): Promise<Unit> {
  const what = packingAt(window.bytes)!;
  const parts: Uint8Array[] = [];
  let [length, size, needed] = [0, 0, 0];
  for (;;) {
    const piece = await pieceAt(window, length, dictionary);
    if (piece.kind === 'more') return ofNoEnd(window, what);
    if (piece.kind === 'damaged')
      return damage(piece.isTooLarge ? 'WARC_TOO_LARGE' : 'WARC_DAMAGED', `damaged ${what} (${piece.reason})`);
    if (parts.length > 0 && piece.data.length > 0 && startsRecord(piece.data, 0)) break;
    length += piece.length;
    size += piece.data.length;
    parts.push(piece.data);
    const found = size < needed ? { needed } : recordsIn(joined(parts), { offset: window.offset, length });
    if (found === undefined) break;
    if ('records' in found) {
      window.drop(length);
      return { kind: 'records', records: found.records };
    }
    needed = found.needed;
    if (Math.max(size, needed) > MAX_MEMBER_BYTES) return damage('WARC_TOO_LARGE', 'a record of more than 512 MiB');
    if (window.ended && length === window.bytes.length)
      return damage('WARC_TRUNCATED', 'the file ends within a record');
  }
  return damage('WARC_INVALID', `no whole WARC record in the ${what}`);
}

/** The gzip member or zstd frame that begins so far behind the window's start; the window grows for it. */
async function pieceAt(window: FileWindow, at: number, dictionary: Uint8Array | undefined): Promise<Piece> {
  for (;;) {
    const bytes = window.bytes.subarray(at);
    const isPacked = packingAt(bytes) !== undefined;
    const piece = isPacked ? readPiece(bytes, dictionary) : undefined;
    if (piece !== undefined && piece.kind !== 'more') return piece;
    if (!isPacked && bytes.length >= MARK_BYTES) return { kind: 'damaged', reason: 'something else follows' };
    if (window.ended || window.bytes.length >= MAX_MEMBER_BYTES) return { kind: 'more' };
    await window.grow();
  }
}

function ofNoEnd({ ended }: FileWindow, what: string): Damage {
  return ended
    ? damage('WARC_TRUNCATED', `the file ends within a ${what}`)
    : damage('WARC_TOO_LARGE', `a ${what} without an end`);
}

/** All records of what was unpacked, or how many bytes the first one needs; `undefined` for anything else. */
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

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

/** Of a longer block no second copy is made. */
const LARGE_BYTES = 1024 * 1024;

async function nextPlain(window: FileWindow, dictionary: Uint8Array | undefined): Promise<Unit> {
  window.drop(skipBreaks(window.bytes, 0));
  if (window.bytes.length === 0) return window.ended ? { kind: 'end' } : nextUnit(window, dictionary);
  for (;;) {
    const parsed = parseRecord(window.bytes, 0, { offset: window.offset, length: 0, alone: true });
    if (parsed.kind === 'record') {
      const { block } = parsed.record;
      // A copy of a small one: it would keep all of the window in memory.
      const own = block.length < LARGE_BYTES ? block.slice() : block;
      const record = { ...parsed.record, length: parsed.end, block: own };
      window.drop(parsed.end);
      return { kind: 'records', records: [record] };
    }
    if (parsed.kind === 'invalid') return damage('WARC_INVALID', 'no WARC record');
    if (window.ended) return damage('WARC_TRUNCATED', 'the file ends within a record');
    if (window.bytes.length > MAX_MEMBER_BYTES) return damage('WARC_TOO_LARGE', 'a record of more than 512 MiB');
    await window.grow(Math.min(parsed.needed, MAX_MEMBER_BYTES + 1));
  }
}

function damage(code: Damage['code'], reason: string): Damage {
  return { kind: 'damage', code, reason };
}

type Parsed =
  | { readonly kind: 'record'; readonly record: WarcRecord; readonly end: number }
  /** Of so many bytes, at the least. */
  | { readonly kind: 'more'; readonly needed: number }
  | { readonly kind: 'invalid' };

function parseRecord(bytes: Uint8Array, at: number, place: Pick<WarcRecord, 'offset' | 'length' | 'alone'>): Parsed {
  if (!startsRecord(bytes, at)) return { kind: 'invalid' };
  const head = parseHead(bytes, at);
  if (head === undefined)
    return bytes.length - at > MAX_RECORD_HEAD ? { kind: 'invalid' } : { kind: 'more', needed: bytes.length + 1 };
  const length = headerValue(head.fields, 'content-length');
  if (!/^\d{1,15}$/.test(length)) return { kind: 'invalid' };
  const end = head.end + Number(length);
  if (end > bytes.length) return { kind: 'more', needed: end };
  const record: WarcRecord = {
    ...place,
    type: headerValue(head.fields, 'warc-type').toLowerCase(),
    url: headerValue(head.fields, 'warc-target-uri').replace(/^<|>$/g, ''),
    date: headerValue(head.fields, 'warc-date'),
    headers: head.fields,
    block: bytes.subarray(head.end, end),
  };
  return { kind: 'record', record, end };
}

/** Also true for less than a whole first word. */
function startsRecord(bytes: Uint8Array, at: number): boolean {
  return VERSION.startsWith(Buffer.from(bytes.subarray(at, at + VERSION.length)).toString('latin1'));
}

const VERSION = 'WARC/1.';
const MAX_RECORD_HEAD = 256 * 1024;

/** Skips the line breaks that part records. */
function skipBreaks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 13 || bytes[at] === 10) at++;
  return at;
}

/** Moves the window to the next place where a record may begin, or to the end of the file. */
async function skipToRecord(window: FileWindow, dictionary: Uint8Array | undefined): Promise<void> {
  for (let from = 1; ; ) {
    const at = nextStart(window.bytes, from, dictionary);
    if (at !== undefined) return window.drop(at);
    if (window.ended) return window.drop(window.bytes.length);
    // The last bytes may be the beginning of a mark.
    window.drop(Math.max(0, window.bytes.length - MARK_BYTES));
    from = window.bytes.length === 0 ? 0 : 1;
    await window.grow();
  }
}

const MARK_BYTES = 12;

function nextStart(bytes: Uint8Array, from: number, dictionary: Uint8Array | undefined): number | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const plain = view.indexOf(`\n${VERSION}`, from - 1, 'latin1');
  const limit = plain < 0 ? bytes.length : plain;
  for (let at = from; at < limit; at++)
    if (packingAt(bytes, at) !== undefined && holdsRecord(bytes.subarray(at), dictionary)) return at;
  return plain < 0 ? undefined : plain + 1;
}

/** Compressed bytes can look like the beginning of others by chance; a flags byte of known bits makes that rare enough to try. */
function holdsRecord(bytes: Uint8Array, dictionary: Uint8Array | undefined): boolean {
  if (packingAt(bytes) === 'gzip member' && ((bytes[3] ?? 0) & 0xe0) !== 0) return false;
  const piece = readPiece(bytes, dictionary);
  return piece.kind === 'more' || (piece.kind === 'member' && piece.data.length > 0 && startsRecord(piece.data, 0));
}
