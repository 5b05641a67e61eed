import { readSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { isGzip, readGzipMember } from '../../core/index.ts';
import type { KnownPayload } from './warc-records.ts';

/** What an existing file holds. */
export interface WarcEnd {
  /** Bytes of whole records; what lies behind was cut off while it was written. */
  readonly end: number;
  /** Payloads of the records that were looked at, by digest. */
  readonly payloads: ReadonlyMap<string, KnownPayload>;
}

/** Only so much of a long compressed file is read again: more than the longest record. */
const TAIL_BYTES = 64 * 1024 * 1024;
const VERSION = 'WARC/1.';
const GZIP_HEAD = [0x1f, 0x8b, 8];
const HEAD_BYTES = 16 * 1024;

/** Finds the end of the last whole record. `undefined`: no WARC record was found. */
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
    if (member.kind !== 'member' || !startsRecord(member.data)) break;
    note(member.data, payloads);
    end = at + member.length;
  }
  // A first record that was cut leaves nothing to keep, but it was ours.
  if (end === undefined && start === 0 && beginsMember(bytes)) return { end: 0, payloads };
  return end === undefined ? undefined : { end: start + end, payloads };
}

/** The beginning of a compressed record, however short. */
function beginsMember(bytes: Uint8Array): boolean {
  if (bytes.length < GZIP_HEAD.length) return GZIP_HEAD.every((byte, i) => i >= bytes.length || bytes[i] === byte);
  if (readGzipMember(bytes).kind !== 'more') return false;
  try {
    return startsRecord(gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: TAIL_BYTES }));
  } catch {
    return false;
  }
}

/** In the middle of a file compressed bytes may look like a member by chance: only one with a record inside counts. */
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
    const head = readAt(file, end, Math.min(HEAD_BYTES, size - end));
    if (!startsRecord(head)) break;
    const gap = head.indexOf('\r\n\r\n');
    const length = Number(field(head, 'Content-Length') || Number.NaN);
    const next = end + gap + 4 + length + 4;
    if (gap < 0 || !(next <= size)) break;
    note(head, payloads);
    end = next;
  }
  const isOurs = end > 0 || startsRecord(readAt(file, 0, Math.min(HEAD_BYTES, size)));
  return isOurs ? { end, payloads } : undefined;
}

/** Also true for less than a whole first word. */
function startsRecord(bytes: Uint8Array): boolean {
  return VERSION.startsWith(Buffer.from(bytes.subarray(0, VERSION.length)).toString('latin1'));
}

function note(record: Uint8Array, payloads: Map<string, KnownPayload>): void {
  if (field(record, 'WARC-Type') !== 'response' || field(record, 'WARC-Truncated') !== '') return;
  const status = /\r\n\r\nHTTP\/1\.1 2/.test(textOf(record));
  const digest = field(record, 'WARC-Payload-Digest');
  const [id, url, date] = [
    field(record, 'WARC-Record-ID'),
    field(record, 'WARC-Target-URI'),
    field(record, 'WARC-Date'),
  ];
  if (status && digest !== '' && id !== '' && url !== '') payloads.set(digest, { id, url, date });
}

function field(record: Uint8Array, name: string): string {
  const text = textOf(record);
  const head = text.slice(0, Math.max(0, text.indexOf('\r\n\r\n')) + 2);
  const at = head.toLowerCase().indexOf(`\r\n${name.toLowerCase()}: `);
  return at < 0 ? '' : head.slice(at + name.length + 4, head.indexOf('\r\n', at + 2)).trim();
}

function textOf(record: Uint8Array): string {
  return Buffer.from(record.buffer, record.byteOffset, Math.min(record.length, HEAD_BYTES)).toString('latin1');
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
