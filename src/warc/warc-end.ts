import { readSync } from 'node:fs';
import { constants, gunzipSync } from 'node:zlib';
import { isGzip, ownCopy, readGzipMember } from '../kit/index.ts';
import { headerValue } from './http-message.ts';
import { parseRecord, startsRecord, type WarcRecord } from './warc-record.ts';
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
const GZIP_HEAD = [0x1f, 0x8b, 8];
/**
 * Sizes for reading the head of a record. Nearly all heads fit the first; a head may hold two URLs, each as long as a
 * response head.
 */
const HEAD_BYTES = 16 * 1024;
const MAX_HEAD_BYTES = 256 * 1024;
const HEAD_END = '\r\n\r\n';
/** Start of the responses that a later record may refer to. */
const PAGE = Buffer.from('HTTP/1.1 2');
/** Where a record is does not matter here. */
const PLACE = { offset: 0, length: 0, alone: true } as const;
/** Line breaks behind a block. */
const BREAKS_BYTES = 4;

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
    if (member.kind !== 'member' || !startsRecord(member.data, 0)) return undefined;
    const parsed = parseRecord(member.data, 0, PLACE);
    if (parsed.kind === 'record') note(parsed.record, payloads);
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
    return startsRecord(gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: TAIL_BYTES }), 0);
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
    if (member.kind === 'member' && startsRecord(member.data, 0)) return at;
  }
  return undefined;
}

function endOfPlain(file: number, size: number): WarcEnd | undefined {
  const payloads = new Map<string, KnownPayload>();
  let end = 0;
  while (end < size) {
    const head = headAt(file, end, size - end);
    const parsed = isOurs(head) ? parseRecord(head, 0, PLACE) : INVALID;
    if (parsed.kind === 'invalid') return undefined;
    const record = parsed.kind === 'record' ? parsed.record : parsed.begun;
    if (record === undefined && head.length < size - end) return undefined;
    const next = end + (parsed.kind === 'record' ? parsed.end : parsed.needed) + BREAKS_BYTES;
    if (record === undefined || next > size) break;
    note(record, payloads);
    end = next;
  }
  return { end, payloads };
}

const INVALID = { kind: 'invalid' } as const;

/**
 * Returns true if this program can have written the head, or the part of it that is there. Other readers may find
 * another end of the record if a line breaks without a carriage return, or if there are two lengths.
 */
function isOurs(bytes: Buffer): boolean {
  const gap = bytes.indexOf(HEAD_END);
  const text = bytes.toString('latin1', 0, gap < 0 ? bytes.length : gap + 2);
  const [first = '', ...lines] = text.split('\r\n');
  const isStarted = lines.length > 0 ? /^WARC\/1\.\d$/ : /^(?:W|WA|WAR|WARC|WARC\/|WARC\/1|WARC\/1\.(?:\d\r?)?)$/;
  const fields = lines.slice(0, -1);
  const lengths = fields.filter((line) => /^content-length\s*:/i.test(line)).length;
  return (
    isStarted.test(first) &&
    !/(?:^|[^\r])\n/.test(text) &&
    fields.every((line) => /^[A-Za-z-]+: /.test(line)) &&
    (gap < 0 || lengths === 1)
  );
}

/** Remembers the payload of a page. Copies the texts: a long recording has as many heads as records. */
function note({ type, headers, block }: WarcRecord, payloads: Map<string, KnownPayload>): void {
  if (type !== 'response' || headerValue(headers, 'warc-truncated') !== '') return;
  const [digest = '', id = '', url = '', date = ''] = NOTED.map((name) => ownCopy(headerValue(headers, name)));
  if (PAGE.equals(block.subarray(0, PAGE.length)) && digest !== '' && id !== '' && url !== '')
    rememberPayload(payloads, digest, { id, url, date });
}

const NOTED = ['warc-payload-digest', 'warc-record-id', 'warc-target-uri', 'warc-date'] as const;

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
