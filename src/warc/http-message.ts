import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { decodeBodySync, STATUS_LINE } from '../core/index.ts';
import { ChunkReader, utf8 } from '../kit/index.ts';

/** Header fields in the order and spelling they were sent. */
export type HeaderFields = readonly (readonly [name: string, value: string])[];

/** The head of a WARC record, or of an HTTP message in one: first line, fields, and where the rest begins. */
export interface MessageHead {
  readonly first: string;
  readonly fields: HeaderFields;
  /** Offset of the byte after the empty line. */
  readonly end: number;
}

/** An HTTP response as an archive keeps it, its body freed of transfer and content coding. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: Uint8Array;
  /** False: the body has no end, and this is what can be had of it. */
  readonly isWhole: boolean;
}

/** A head longer than this is none, in bytes. */
const MAX_HEAD_BYTES = 256 * 1024;
/** A body that decodes to more than this is kept in its content coding, in bytes. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Statuses of answers that have no body, whatever follows their head (RFC 9110 §6.4.1). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
const NO_BYTES = new Uint8Array(0);

/** Reads the head of a message; `undefined` when `bytes` holds no empty line. */
export function parseHead(bytes: Uint8Array, start = 0): MessageHead | undefined {
  const end = endOfHead(bytes, start);
  if (end === undefined) return undefined;
  const [first = '', ...lines] = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start)
    .toString('latin1')
    .split(/\r?\n/)
    .map(utf8);
  return { first, fields: parseFields(lines), end };
}

/** First value of a header field, `''` when it is absent. `name` in lower case. */
export function headerValue(fields: HeaderFields, name: string): string {
  return fields.find(([key]) => key.toLowerCase() === name)?.[1] ?? '';
}

/** All values of a header field, in order. `name` in lower case. */
export function headerValues(fields: HeaderFields, name: string): readonly string[] {
  return fields.filter(([key]) => key.toLowerCase() === name).map(([, value]) => value);
}

/** Parses an HTTP response; `undefined` when the bytes do not start like one, or nothing follows a word that one will come (status 1xx). */
export function parseHttpResponse(bytes: Uint8Array): HttpResponse | undefined {
  for (let head = parseHead(bytes); head !== undefined; head = parseHead(bytes, head.end)) {
    const status = Number(STATUS_LINE.exec(head.first)?.[1] ?? 0);
    if (status < 100) return undefined;
    const body = BODILESS.has(status) ? NO_BYTES : bytes.subarray(head.end);
    if (status >= 200) return { status, headers: head.fields, ...decoded(body, head.fields) };
  }
  return undefined;
}

/** The fields as the network gives them: by names in lower case, the values one character a byte, as servers send them. */
export function asReceived(fields: HeaderFields): IncomingHttpHeaders {
  const received = Map.groupBy(asSent(fields), ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...received].map(([name, own]) => [name, own.map(([, value]) => value)]),
  ) as IncomingHttpHeaders;
}

/** The fields one character a byte, in UTF-8 as servers write them. What HTTP does not allow is left out: archives hold what servers really sent. */
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

/** Lines that start with white space continue the one before (obsolete folding, still met in archives). */
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

/** Many archivers store the body already decoded but leave the header: what cannot be decoded is taken as it is. */
function decoded(raw: Uint8Array, headers: HeaderFields): Body {
  const isChunked = /\bchunked\b/i.test(headerValue(headers, 'transfer-encoding'));
  const joined = (isChunked ? joinedChunks(raw) : undefined) ?? { body: raw, isWhole: true };
  const codings = headerValues(headers, 'content-encoding').join();
  if (codings === '') return joined;
  const { buffer, byteOffset, length } = joined.body;
  const result = decodeBodySync(Buffer.from(buffer, byteOffset, length), codings, MAX_BODY_BYTES);
  if (result.kind !== 'decoded') return joined;
  const { body, isWhole } = result;
  // Codings without a mark of their own can be read into a plain text, but hardly ever to an end.
  if ((!isWhole || body.length === 0) && isUtf8(joined.body)) return joined;
  return { body, isWhole: joined.isWhole && isWhole };
}

/** Joins the chunks of a chunked body; `undefined` when it is not one. */
function joinedChunks(bytes: Uint8Array): Body | undefined {
  const reader = new ChunkReader();
  const chunks = reader.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  if (chunks === undefined || (chunks.length === 0 && !reader.isOver)) return undefined;
  return { body: Buffer.concat(chunks), isWhole: reader.isOver };
}
