import { open } from 'node:fs/promises';
import { isGzip, MAX_MEMBER_BYTES, readGzipMember, UnreadableFileError } from '../../core/index.ts';
import { FileWindow } from './file-window.ts';
import { type HeaderFields, headerValue, parseHead } from './http-message.ts';
import { WarcError } from './warc-error.ts';

/** One record of a WARC file (ISO 28500). */
export interface WarcRecord {
  /** Byte offset in the file of the record, or of the gzip member that holds it. */
  readonly offset: number;
  /** Bytes it takes there, compressed. */
  readonly length: number;
  /** The only record of its gzip member, or a plain one: `recordAt` can read it again. */
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
 * Streams the records of a WARC file, plain or gzipped, in order. Memory: one record and a read buffer.
 * @throws WarcError at the first damage, after all the records before it were given
 * @throws UnreadableFileError `WARC_UNREADABLE` when the file cannot be opened or read
 */
export async function* readWarc(path: string, options: ReadWarcOptions = {}): AsyncGenerator<WarcRecord> {
  const file = await open(path).catch((cause: Error) => {
    throw unreadable(path, cause);
  });
  try {
    const window = new FileWindow(file);
    let records = 0;
    for (;;) {
      const step = await nextUnit(window).catch((cause: Error) => {
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
      const code = records === 0 && !step.likely ? 'WARC_INVALID' : step.truncated ? 'WARC_TRUNCATED' : 'WARC_DAMAGED';
      const error = new WarcError({ code, file: path, offset: window.offset, records, reason: step.reason });
      if (options.onDamage === undefined || code === 'WARC_INVALID') throw error;
      options.onDamage(error);
      await skipToRecord(window);
    }
  } finally {
    await file.close();
  }
}

/**
 * Parses one record from the bytes that its `offset` and `length` name; the record must be `alone` there.
 * @returns `undefined` when the bytes hold no record: the file has changed
 */
export function recordAt(bytes: Uint8Array): WarcRecord | undefined {
  const member = isGzip(bytes) ? readGzipMember(bytes) : { kind: 'member' as const, data: bytes, length: bytes.length };
  if (member.kind !== 'member') return undefined;
  const parsed = parseRecord(member.data, 0, { offset: 0, length: member.length, alone: true });
  return parsed.kind === 'record' ? parsed.record : undefined;
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
  readonly reason: string;
  readonly truncated: boolean;
  /** The bytes look like a WARC file all the same. */
  readonly likely: boolean;
};
type Unit = { readonly kind: 'end' } | { readonly kind: 'records'; readonly records: readonly WarcRecord[] } | Damage;

/** Reads one gzip member with its records, or one plain record, and drops it from the window. */
async function nextUnit(window: FileWindow): Promise<Unit> {
  if (window.bytes.length < 64 * 1024) await window.grow();
  if (window.bytes.length === 0) return { kind: 'end' };
  return isGzip(window.bytes) ? nextMember(window) : nextPlain(window);
}

async function nextMember(window: FileWindow): Promise<Unit> {
  let member = readGzipMember(window.bytes);
  while (member.kind === 'more' && !window.ended && window.bytes.length < MAX_MEMBER_BYTES) {
    await window.grow();
    member = readGzipMember(window.bytes);
  }
  if (member.kind === 'more' && !window.ended) return damage('a gzip member without an end', false, true);
  if (member.kind === 'more') return damage('the file ends within a gzip member', true, true);
  if (member.kind === 'damaged') return damage(`damaged gzip member (${member.reason})`, false, true);
  const records: WarcRecord[] = [];
  for (let at = skipBreaks(member.data, 0); at < member.data.length; ) {
    const parsed = parseRecord(member.data, at, { offset: window.offset, length: member.length, alone: true });
    if (parsed.kind !== 'record') return damage('no whole WARC record in the gzip member', false, false);
    records.push(parsed.record);
    at = skipBreaks(member.data, parsed.end);
  }
  window.drop(member.length);
  return { kind: 'records', records: records.length < 2 ? records : records.map((r) => ({ ...r, alone: false })) };
}

async function nextPlain(window: FileWindow): Promise<Unit> {
  window.drop(skipBreaks(window.bytes, 0));
  if (window.bytes.length === 0) return window.ended ? { kind: 'end' } : nextUnit(window);
  for (;;) {
    const parsed = parseRecord(window.bytes, 0, { offset: window.offset, length: 0, alone: true });
    if (parsed.kind === 'record') {
      // A copy, because the window's memory is given up piece by piece.
      const record = { ...parsed.record, length: parsed.end, block: parsed.record.block.slice() };
      window.drop(parsed.end);
      return { kind: 'records', records: [record] };
    }
    if (parsed.kind === 'invalid') return damage('no WARC record', false, false);
    if (window.ended) return damage('the file ends within a record', true, true);
    if (window.bytes.length > MAX_MEMBER_BYTES) return damage('a record of more than 512 MiB', false, true);
    await window.grow();
  }
}

function damage(reason: string, truncated: boolean, likely: boolean): Damage {
  return { kind: 'damage', reason, truncated, likely };
}

type Parsed =
  | { readonly kind: 'record'; readonly record: WarcRecord; readonly end: number }
  | { readonly kind: 'more' }
  | { readonly kind: 'invalid' };

function parseRecord(bytes: Uint8Array, at: number, place: Pick<WarcRecord, 'offset' | 'length' | 'alone'>): Parsed {
  const start = Buffer.from(bytes.subarray(at, at + VERSION.length)).toString('latin1');
  if (!VERSION.startsWith(start)) return { kind: 'invalid' };
  const head = parseHead(bytes, at);
  if (head === undefined) return { kind: bytes.length - at > MAX_RECORD_HEAD ? 'invalid' : 'more' };
  const length = headerValue(head.fields, 'content-length');
  if (!/^\d{1,15}$/.test(length)) return { kind: 'invalid' };
  const end = head.end + Number(length);
  if (end > bytes.length) return { kind: 'more' };
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

const VERSION = 'WARC/1.';
const MAX_RECORD_HEAD = 256 * 1024;

/** Skips the line breaks that part records. */
function skipBreaks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 13 || bytes[at] === 10) at++;
  return at;
}

/** Moves the window to the next place where a record may begin, or to the end of the file. */
async function skipToRecord(window: FileWindow): Promise<void> {
  for (let from = 1; ; ) {
    const at = nextStart(window.bytes, from);
    if (at !== undefined) return window.drop(at);
    if (window.ended) return window.drop(window.bytes.length);
    // The last bytes may be the beginning of a mark.
    window.drop(Math.max(0, window.bytes.length - MARK_BYTES));
    from = window.bytes.length === 0 ? 0 : 1;
    await window.grow();
  }
}

const MARK_BYTES = 12;

function nextStart(bytes: Uint8Array, from: number): number | undefined {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const plain = view.indexOf(`\n${VERSION}`, from - 1, 'latin1');
  const limit = plain < 0 ? bytes.length : plain;
  for (let at = bytes.indexOf(0x1f, from); at >= 0 && at < limit; at = bytes.indexOf(0x1f, at + 1)) {
    if (isGzip(bytes, at) && holdsRecord(bytes.subarray(at))) return at;
  }
  return plain < 0 ? undefined : plain + 1;
}

/** Compressed bytes can look like a gzip header by chance; a flags byte of known bits makes that rare enough to try. */
function holdsRecord(bytes: Uint8Array): boolean {
  if (((bytes[3] ?? 0) & 0xe0) !== 0) return false;
  const member = readGzipMember(bytes);
  return (
    member.kind === 'more' ||
    (member.kind === 'member' && Buffer.from(member.data.subarray(0, 5)).toString() === 'WARC/')
  );
}
