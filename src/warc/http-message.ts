import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { decodeBodySync, STATUS_LINE } from '../core/index.ts';
import { ChunkReader, utf8 } from '../kit/index.ts';

/** Header fields in their original order and spelling. */
export type HeaderFields = readonly (readonly [name: string, value: string])[];

/** The head of a WARC record, or of an HTTP message in it: first line, fields, and the offset of the body. */
export interface MessageHead {
  readonly first: string;
  readonly fields: HeaderFields;
  /** Offset of the byte after the empty line. */
  readonly end: number;
}

/** An archived HTTP response, its body without transfer and content coding. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: Uint8Array;
  /** False: the body is incomplete, and this is the available part. */
  readonly isWhole: boolean;
}

/** Maximum length of a head in bytes. */
const MAX_HEAD_BYTES = 256 * 1024;
/** A body that decodes to more than this keeps its content coding, in bytes. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Statuses of responses without a body, whatever follows their head (RFC 9110 §6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
const NO_BYTES = new Uint8Array(0);

/** Parses the head of a message; `undefined` if `bytes` has no empty line. */
export function parseHead(bytes: Uint8Array, start = 0): MessageHead | undefined {
  const end = endOfHead(bytes, start);
  if (end === undefined) return undefined;
  const [first = '', ...lines] = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
    .toString('latin1')
    .split(/\r?\n/)
    .map(utf8);
  return { first, fields: parseFields(lines), end };
}

/** Returns the first value of a header field, `''` if it is absent. `name` in lower case. */
export function headerValue(fields: HeaderFields, name: string): string {
  return fields.find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
}

/** Returns all values of a header field, in order. `name` in lower case. */
export function headerValues(fields: HeaderFields, name: string): readonly string[] {
  return fields.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
}

/**
 * Parses an HTTP response. Returns `undefined` if the bytes do not start like one, or if only an interim response
 * (status 1xx) is there.
 */
export function parseHttpResponse(bytes: Uint8Array): HttpResponse | undefined {
  for (let head = parseHead(bytes); head !== undefined; head = parseHead(bytes, head.end)) {
    const status = Number(STATUS_LINE.exec(head.first)?.[1] ?? 0);
    if (status < 100) return undefined;
    const body = BODILESS.has(status) ? NO_BYTES : bytes.subarray(head.end);
    if (status >= 200) return { status, headers: head.fields, ...decoded(body, head.fields) };
  }
  return undefined;
}

/**
 * Returns the fields in the network's format: lower-case names, and values with one character per byte, as servers
 * send them.
 */
export function asReceived(fields: HeaderFields): IncomingHttpHeaders {
  const received = Map.groupBy(asSent(fields), ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...received].map(([name, own]) => [name, own.map(([, value]) => value)]),
  ) as IncomingHttpHeaders;
}

/**
 * Returns the fields with one character per byte, in UTF-8. Omits fields that HTTP does not allow, since archives
 * hold what servers really sent.
 */
export function asSent(fields: HeaderFields): HeaderFields {
  return fields
    .map(([name, value]) => [name, Buffer.from(value).toString('latin1')] as const)
    .filter(([name, value]) => FIELD_NAME.test(name) && FIELD_VALUE.test(value));
}

const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function endOfHead(bytes: Uint8Array, start: number): number | undefined {
  const limit = Math.min(bytes.length, start + MAX_HEAD_BYTES);
  for (let at = bytes.indexOf(LF, start); at >= 0 && at < limit; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return undefined;
}

const LF = 10;
const CR = 13;

/** Parses header fields. A line that starts with white space continues the previous one (obsolete folding, still found in archives). */
function parseFields(lines: readonly string[]): HeaderFields {
  const fields: [string, string][] = [];
  for (const line of lines) {
    const last = fields.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) last[1] = `${last[1]} ${line.trim()}`;
    const colon = line.indexOf(':');
    if (colon > 0 && !/^[ \t]/.test(line)) fields.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
  }
  return fields;
}

type Body = Pick<HttpResponse, 'body' | 'isWhole'>;

/** Decodes a body. Many archivers store it decoded but keep the header, so a body that cannot be decoded is used unchanged. */
function decoded(raw: Uint8Array, headers: HeaderFields): Body {
  const isChunked = /\bchunked\b/i.test(headerValue(headers, 'transfer-encoding'));
  const joined = (isChunked ? joinedChunks(raw) : undefined) ?? { body: raw, isWhole: true };
  const codings = headerValues(headers, 'content-encoding').join();
  if (codings === '') return joined;
  const { buffer, byteOffset, length } = joined.body;
  const result = decodeBodySync(Buffer.from(buffer, byteOffset, length), codings, MAX_BODY_BYTES);
  if (result.kind !== 'decoded') return joined;
  const { body, isWhole } = result;
  // Plain text can look like a coding without a magic number, but hardly ever decodes to the end.
  if ((!isWhole || body.length === 0) && isUtf8(joined.body)) return joined;
  return { body, isWhole: joined.isWhole && isWhole };
}

/** Joins the chunks of a chunked body; `undefined` if the body is not chunked. */
function joinedChunks(bytes: Uint8Array): Body | undefined {
  const reader = new ChunkReader();
  const chunks = reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  if (chunks === undefined || (chunks.length === 0 && !reader.isOver)) return undefined;
  return { body: Buffer.concat(chunks), isWhole: reader.isOver };
}
