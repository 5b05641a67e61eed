import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { utf8 } from '../../core/index.ts';

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
}

/** A head longer than this is none, in bytes. */
const MAX_HEAD_BYTES = 256 * 1024;
/** A body that decodes to more than this is kept in its content coding, in bytes. */
const MAX_BODY_BYTES = 256 * 1024 * 1024;

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

/** Parses an HTTP response; `undefined` when the bytes do not start like one. */
export function parseHttpResponse(bytes: Uint8Array): HttpResponse | undefined {
  const head = parseHead(bytes);
  const status = /^HTTP\/\d(?:\.\d)? (\d{3})(?: |$)/.exec(head?.first ?? '')?.[1];
  if (head === undefined || status === undefined) return undefined;
  return { status: Number(status), headers: head.fields, body: decodeBody(bytes.subarray(head.end), head.fields) };
}

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

function decodeBody(raw: Uint8Array, headers: HeaderFields): Uint8Array {
  const chunked = /\bchunked\b/i.test(headerValue(headers, 'transfer-encoding'));
  const body = chunked ? (joinChunks(raw) ?? raw) : raw;
  const codings = headerValue(headers, 'content-encoding').toLowerCase().split(',').reverse();
  return codings.reduce((bytes, coding) => undoCoding(bytes, coding.trim()), body);
}

/** Many archivers store the body already decoded but leave the header: what cannot be decoded is taken as it is. */
function undoCoding(bytes: Uint8Array, coding: string): Uint8Array {
  const decode = DECODERS.get(coding);
  if (decode === undefined) return bytes;
  try {
    return decode(bytes);
  } catch {
    return bytes;
  }
}

const LIMIT = { maxOutputLength: MAX_BODY_BYTES };
const gunzip = (bytes: Uint8Array): Uint8Array => gunzipSync(bytes, LIMIT);
const DECODERS: ReadonlyMap<string, (bytes: Uint8Array) => Uint8Array> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  // Servers send both zlib and raw deflate under this name; the low nibble 8 of the first byte tells zlib.
  ['deflate', (bytes) => (((bytes[0] ?? 0) & 15) === 8 ? inflateSync(bytes, LIMIT) : inflateRawSync(bytes, LIMIT))],
  ['br', (bytes) => brotliDecompressSync(bytes, LIMIT)],
  ['zstd', (bytes) => zstdDecompressSync(bytes, LIMIT)],
]);

/** Joins the chunks of a chunked body (RFC 9112 §7.1); `undefined` when it is not one. */
function joinChunks(bytes: Uint8Array): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf(LF, at);
    if (lineEnd < 0) return undefined;
    const line = Buffer.from(bytes.subarray(at, lineEnd)).toString('latin1');
    const size = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i.exec(line.trim())?.[1];
    if (size === undefined) return undefined;
    const length = Number.parseInt(size, 16);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(lineEnd + 1, lineEnd + 1 + length));
    at = lineEnd + 1 + length + 2;
  }
}
