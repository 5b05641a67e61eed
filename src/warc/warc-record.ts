import { type HeaderFields, headerValue, parseHead } from './http-message.ts';

/** Of a longer record the block is not kept, packed or not, in bytes. */
export const MAX_RECORD_BYTES: number = 64 * 1024 * 1024;

/** What is kept of such a record, in bytes: its head, and that of an HTTP message in it. */
export const MAX_HEADS_BYTES: number = 512 * 1024;

/** One record of a WARC file (ISO 28500). */
export interface WarcRecord {
  /** Byte offset in the file of the record, or of the gzip member or zstd frame that holds it. */
  readonly offset: number;
  /** Bytes it takes there, compressed. */
  readonly length: number;
  /** The only record of its gzip member or zstd frames, or a plain one, and not too long: `recordAt` can read it again. */
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
  /** Bytes of the block that are not in it: of a record of more than {@link MAX_RECORD_BYTES} it is the beginning. */
  readonly missing: number;
}

export type Parsed =
  | { readonly kind: 'record'; readonly record: WarcRecord; readonly end: number }
  /** Of so many bytes, at the least; `begun` as soon as its head is there, with what there is of its block. */
  | { readonly kind: 'more'; readonly needed: number; readonly begun?: WarcRecord }
  | { readonly kind: 'invalid' };

/** Parses the record at `at`. Its block is a part of `bytes`, no copy. */
export function parseRecord(
  bytes: Uint8Array,
  at: number,
  place: Pick<WarcRecord, 'offset' | 'length' | 'alone'>,
): Parsed {
  if (!startsRecord(bytes, at)) return { kind: 'invalid' };
  const head = parseHead(bytes, at);
  if (head === undefined)
    return bytes.length - at > MAX_RECORD_HEAD ? { kind: 'invalid' } : { kind: 'more', needed: bytes.length + 1 };
  const length = headerValue(head.fields, 'content-length');
  if (!/^\d{1,15}$/.test(length)) return { kind: 'invalid' };
  const end = head.end + Number(length);
  const record: WarcRecord = {
    ...place,
    type: headerValue(head.fields, 'warc-type').toLowerCase(),
    url: headerValue(head.fields, 'warc-target-uri').replace(/^<|>$/g, ''),
    date: headerValue(head.fields, 'warc-date'),
    headers: head.fields,
    block: bytes.subarray(head.end, end),
    missing: Math.max(0, end - bytes.length),
  };
  return end > bytes.length ? { kind: 'more', needed: end, begun: record } : { kind: 'record', record, end };
}

/** Also true for less than a whole first word. */
export function startsRecord(bytes: Uint8Array, at: number): boolean {
  return VERSION.startsWith(Buffer.from(bytes.subarray(at, at + VERSION.length)).toString('latin1'));
}

/** How a record begins. */
export const VERSION = 'WARC/1.';
/** A longer head is none, in bytes. */
const MAX_RECORD_HEAD = 256 * 1024;

/** Skips the line breaks that part records. */
export function skipBreaks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 13 || bytes[at] === 10) at++;
  return at;
}
