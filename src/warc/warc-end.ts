import { readSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { isGzip, ownCopy, readGzipMember } from '../kit/index.ts';
import { type KnownPayload, rememberPayload } from './warc-records.ts';

/** Contents of an existing file. */
export interface WarcEnd {
  /** Length of the complete records in bytes; a record behind them was cut off while it was written. */
  readonly end: number;
  /** Payloads of the last records read, by digest. */
  readonly payloads: Map<string, KnownPayload>;
}

/** Number of bytes read again from a long compressed file: more than the longest record. */
const TAIL_BYTES = 64 * 1024 * 1024;
const VERSION = 'WARC/1.';
const FIRST_LINE = 'WARC/1.1\r\n';
const GZIP_HEAD = [0x1f, 0x8b, 8];
/**
 * Sizes for reading the head of a record. Nearly all heads fit the first; a head may hold two URLs, each as long as a
 * response head.
 */
const HEAD_BYTES = 16 * 1024;
const MAX_HEAD_BYTES = 256 * 1024;
const HEAD_END = '\r\n\r\n';
/** Start of the responses that a later record may refer to. */
const PAGE = 'HTTP/1.1 2';

/** Finds the end of the last complete record. `undefined`: no WARC record was found. */
export function findWarcEnd(file: number, size: number, isCompressed: boolean): WarcEnd | undefined {
  return isCompressed ? endOfMembers(file, size) : endOfPlain(file, size);
}

function endOfMembers(file: number, size: number): WarcEnd | undefined {
  const start = Math.max(0, size - TAIL_BYTES);
  const bytes = readAt(file, start, size - start);
  const payloads = new Map<string, KnownPayload>();
  const first = start === 0 ? 0 : firstMember(bytes);
  let end: number | undefined;
  for (let at = first; at !== undefined && at < bytes.length; at = end) {
    const member = readGzipMember(bytes.subarray(at));
    if (member.kind === 'more') break;
    // Only a cut record is removed; other data belongs to another program.
    if (member.kind !== 'member' || !startsRecord(member.data)) return undefined;
    note(member.data, payloads);
    end = at + member.length;
  }
  // If the first record was cut, no record remains, but the file was ours.
  if (end === undefined && start === 0 && beginsMember(bytes)) return { end: 0, payloads };
  return end === undefined ? undefined : { end: start + end, payloads };
}

/** Returns true if the bytes are the beginning of a compressed record, however short. */
function beginsMember(bytes: Uint8Array): boolean {
  if (bytes.length < GZIP_HEAD.length) return GZIP_HEAD.every((byte, i) => i >= bytes.length || bytes[i] === byte);
  if (readGzipMember(bytes).kind !== 'more') return false;
  try {
    return startsRecord(gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: TAIL_BYTES }));
  } catch {
    return false;
  }
}

/**
 * Finds the first member. Bytes in the middle of a compressed file may look like a member by chance, so only one with
 * a record counts.
 */
function firstMember(bytes: Uint8Array): number | undefined {
  for (let at = bytes.indexOf(0x1f); at >= 0; at = bytes.indexOf(0x1f, at + 1)) {
    if (!isGzip(bytes, at) || ((bytes[at + 3] ?? 0) & 0xe0) !== 0) continue;
    const member = readGzipMember(bytes.subarray(at));
    if (member.kind === 'member' && startsRecord(member.data)) return at;
  }
  return undefined;
}

function endOfPlain(file: number, size: number): WarcEnd | undefined {
  const payloads = new Map<string, KnownPayload>();
  let end = 0;
  while (end < size) {
    const head = headAt(file, end, size - end);
    const length = plainLength(head, size - end);
    if (length === undefined) return undefined;
    if (end + length > size) break;
    note(head, payloads);
    end += length;
  }
  return { end, payloads };
}

/**
 * Returns the length of the record with this head; more than `left` if it was cut, `undefined` if this program did
 * not write it.
 */
function plainLength(head: Buffer, left: number): number | undefined {
  const gap = head.indexOf(HEAD_END);
  const text = head.toString('latin1', 0, gap < 0 ? head.length : gap);
  // Some readers take a lone line feed as a line break, so they might find another end of the record.
  if (!startsRecord(head) || /(?:^|[^\r])\n/.test(text)) return undefined;
  const lines = text.split('\r\n').slice(1, gap < 0 ? -1 : undefined);
  if (lines.some((line) => !/^[A-Za-z-]+: /.test(line))) return undefined;
  if (gap < 0) return left <= head.length ? Number.POSITIVE_INFINITY : undefined;
  // If there are two lengths, another reader may use the other one.
  if (lines.filter((line) => /^content-length\s*:/i.test(line)).length !== 1) return undefined;
  const length = field(textOf(head), 'Content-Length');
  return /^\d{1,15}$/.test(length) ? gap + 4 + Number(length) + 4 : undefined;
}

/** Returns true if the bytes start a record, even if the first word is incomplete. */
function startsRecord(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.subarray(0, FIRST_LINE.length)).toString('latin1');
  return start.length < FIRST_LINE.length
    ? /^\d?\r?$/.test(start.slice(VERSION.length)) && VERSION.startsWith(start.slice(0, VERSION.length))
    : /^WARC\/1\.\d\r\n$/.test(start);
}

function note(record: Uint8Array, payloads: Map<string, KnownPayload>): void {
  const text = textOf(record);
  if (field(text, 'WARC-Type') !== 'response' || field(text, 'WARC-Truncated') !== '') return;
  const digest = field(text, 'WARC-Payload-Digest');
  const [id, url, date] = [field(text, 'WARC-Record-ID'), field(text, 'WARC-Target-URI'), field(text, 'WARC-Date')];
  if (text.endsWith(PAGE) && digest !== '' && id !== '' && url !== '')
    rememberPayload(payloads, digest, { id, url, date });
}

/**
 * Returns a copy of the value, which does not keep the text in memory: a long recording has as many texts as records.
 */
function field(text: string, name: string): string {
  const head = text.slice(0, Math.max(0, text.indexOf(HEAD_END)) + 2);
  const at = head.toLowerCase().indexOf(`\r\n${name.toLowerCase()}: `);
  return at < 0 ? '' : ownCopy(head.slice(at + name.length + 4, head.indexOf('\r\n', at + 2)).trim());
}

/** Returns the head of a record and enough of its content to see if it is a page. */
function textOf(record: Uint8Array): string {
  const bytes = Buffer.from(record.buffer, record.byteOffset, Math.min(record.length, MAX_HEAD_BYTES));
  return bytes.toString('latin1', 0, bytes.indexOf(HEAD_END) + HEAD_END.length + PAGE.length);
}

function headAt(file: number, at: number, left: number): Buffer {
  const head = readAt(file, at, Math.min(HEAD_BYTES, left));
  return head.includes(HEAD_END) ? head : readAt(file, at, Math.min(MAX_HEAD_BYTES, left));
}

function readAt(file: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, bytes, filled, length - filled, at + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}
