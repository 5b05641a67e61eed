import { readSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { type GzipMember, isGzip, readGzipMember } from '../kit/index.ts';
import { MAX_RECORD_BYTES } from './warc-record.ts';

/**
 * One decompressed piece of a compressed file; or `more` bytes are needed, or it is damaged. `length` may cover empty
 * pieces.
 */
export type Piece = GzipMember;

/** How the records of a file are compressed: one gzip member, or one zstd frame, per record. */
export type Packing = 'gzip member' | 'zstd frame';

/** Magic number of a zstd frame. Other data may begin with it by chance. */
const ZSTD = 0xfd2fb528;
/** Magic numbers of frames that every zstd decoder skips; archives use one of them for a dictionary. */
const SKIPPABLE = 0x184d2a50;
const DICTIONARY = 0x184d2a5d;
const SKIPPABLE_HEAD_BYTES = 8;
/** Magic number of a dictionary (RFC 8878 §5). */
const DICTIONARY_MARK = 0xec30a437;
/** Maximum size of a dictionary ("Zstandard Compression for WARC Files" 1.0 §6), in bytes. */
const MAX_DICTIONARY_BYTES = 8 * 1024 * 1024;

/** Returns the kind of compressed piece at `at`; `undefined` if the bytes are not compressed. */
export function packingAt(bytes: Uint8Array, at = 0): Packing | undefined {
  if (isGzip(bytes, at)) return 'gzip member';
  const mark = markAt(bytes, at);
  return mark === ZSTD || isSkippable(mark) ? 'zstd frame' : undefined;
}

/**
 * Decompresses the gzip member or zstd frame at the start of `bytes`, and returns its compressed length too. Rejects
 * a piece of more than {@link MAX_RECORD_BYTES}.
 */
export function readPiece(bytes: Uint8Array, dictionary: Uint8Array | undefined): Piece {
  if (packingAt(bytes) === 'gzip member') return readGzipMember(bytes, MAX_RECORD_BYTES);
  return isSkippable(markAt(bytes, 0)) ? skipped(bytes) : readFrame(bytes, dictionary);
}

/**
 * Reads the dictionary for the frames of a file. It precedes them, compressed or not. Most files have none.
 * @param file - descriptor
 */
export function readDictionary(
  file: number,
): { readonly dictionary: Uint8Array | undefined } | { readonly reason: string } {
  const head = readAt(file, 0, SKIPPABLE_HEAD_BYTES);
  if (head.length < SKIPPABLE_HEAD_BYTES || markAt(head, 0) !== DICTIONARY) return { dictionary: undefined };
  const length = head.readUInt32LE(4);
  if (length > MAX_DICTIONARY_BYTES) return { reason: 'a zstd dictionary of more than 8 MiB' };
  const stored = readAt(file, SKIPPABLE_HEAD_BYTES, length);
  if (stored.length < length) return { reason: 'the file ends within its zstd dictionary' };
  const dictionary = markAt(stored, 0) === ZSTD ? unpackedDictionary(stored) : stored;
  return markAt(dictionary, 0) === DICTIONARY_MARK ? { dictionary } : { reason: 'damaged zstd dictionary' };
}

function unpackedDictionary(stored: Buffer): Buffer {
  try {
    return zstdDecompressSync(stored, { maxOutputLength: MAX_DICTIONARY_BYTES });
  } catch {
    return Buffer.alloc(0);
  }
}

function isSkippable(mark: number): boolean {
  return (mark & ~0xf) >>> 0 === SKIPPABLE;
}

/** Returns the four bytes at `at` as a number. */
function markAt(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}

/** Skips dictionaries, tables of other readers and padding: they belong to no record. */
function skipped(bytes: Uint8Array): Piece {
  if (bytes.length < SKIPPABLE_HEAD_BYTES) return { kind: 'more' };
  const length = SKIPPABLE_HEAD_BYTES + markAt(bytes, 4);
  if (length > MAX_RECORD_BYTES) return { kind: 'damaged', reason: 'a skippable zstd frame is incomplete' };
  return bytes.length < length ? { kind: 'more' } : { kind: 'member', data: new Uint8Array(0), length };
}

function readFrame(bytes: Uint8Array, dictionary: Uint8Array | undefined): Piece {
  try {
    const options = { info: true, maxOutputLength: MAX_RECORD_BYTES, ...(dictionary && { dictionary }) };
    // With `info`, which the types lack, the call returns the number of bytes read: Node.js decompresses only the
    // first frame.
    const { buffer, engine } = zstdDecompressSync(bytes, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    return { kind: 'member', data: buffer, length: engine.bytesWritten };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') return { kind: 'more' };
    if (code === 'ERR_BUFFER_TOO_LARGE') return { kind: 'damaged', reason: 'too large', isTooLarge: true };
    return { kind: 'damaged', reason: message };
  }
}

function readAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(file, bytes, 0, length, at));
}
