import { type HeaderFields, headerValue, parseHead } from './http-message.ts';

/** Maximum record length, compressed or not, for which the whole block is kept, in bytes. */
export const MAX_RECORD_BYTES: number = 64 * 1024 * 1024;

/** Bytes kept of a longer record: its head, and that of an HTTP message in it. */
export const MAX_HEADS_BYTES: number = 512 * 1024;

/** One record of a WARC file (ISO 28500). */
export interface WarcRecord {
  /** Byte offset in the file of the record, or of the gzip member or zstd frame that holds it. */
  readonly offset: number;
  /** Length of the record in the file, compressed, in bytes. */
  readonly length: number;
  /**
   * The only record of its gzip member or zstd frames, or an uncompressed one, and not too long: `recordAt` can read
   * it again.
   */
  readonly alone: boolean;
  /** `response`, `request`, `warcinfo`, … in lower case. */
  readonly type: string;
  /** `WARC-Target-URI` without angle brackets, `''` if it is absent. */
  readonly url: string;
  /** `WARC-Date` as written. */
  readonly date: string;
  readonly headers: HeaderFields;
  /** The record's block: for a response, the HTTP message. */
  readonly block: Uint8Array;
  /**
   * Number of block bytes that were not kept: for records of more than {@link MAX_RECORD_BYTES} only the beginning
   * is.
   */
  readonly missing: number;
}

export type Parsed =
  | { readonly kind: 'record'; readonly record: WarcRecord; readonly end: number }
  /**
   * At least `needed` bytes are required; `begun` is set once the head is there, with the available part of the
   * block.
   */
  | { readonly kind: 'more'; readonly needed: number; readonly begun?: WarcRecord }
  | { readonly kind: 'invalid' };

/** Parses the record at `at`. Its block is a view of `bytes`, not a copy. */
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

/** Returns true if a record starts there, even if its first word is incomplete. */
export function startsRecord(bytes: Uint8Array, at: number): boolean {
  return VERSION.startsWith(Buffer.from(bytes.subarray(at, at + VERSION.length)).toString('latin1'));
}

/** Start of every record. */
export const VERSION = 'WARC/1.';
/** Maximum length of a head, in bytes. */
const MAX_RECORD_HEAD = 256 * 1024;

/** Skips the line breaks between records. */
export function skipBreaks(bytes: Uint8Array, from: number): number {
  let at = from;
  while (bytes[at] === 13 || bytes[at] === 10) at++;
  return at;
}
