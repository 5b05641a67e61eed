import type { Socket } from 'node:net';
import { STATUS_LINE } from '../core/index.ts';
import { ChunkReader } from '../kit/index.ts';
import { type Exchange, NoHttpError, OTHER_PROTOCOL } from './exchange.ts';

/** The readable part of a response head. */
export interface AnswerHead {
  readonly status: number;
  /** Header fields: name, value, name, value, … */
  readonly fields: readonly string[];
  /** Bytes of the body; `undefined`: the body ends with the connection or the last chunk. */
  readonly length: number | undefined;
  /** The body is chunked, although HTTP/1.0 does not allow that. */
  readonly isChunked: boolean;
}

/** Matches a field name and its value. Browsers accept blanks before the colon and skip lines that are not fields. */
const FIELD = /^([!#$%&'*+.^_`|~\w-]+)[ \t]*:(.*)$/;
const FOLD = /\r?\n[ \t]+/g;
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/g;
/** Empty lines before a head do not end it. */
const HEAD_END = /(?<=[^\r\n])\r?\n\r?\n/;
/** The limit of undici. */
const MAX_HEAD_BYTES = 32 * 1024;
/** Maximum number of interim responses (RFC 9110 §15.2) before the final one; regular servers send fewer. */
const MAX_INTERIM = 16;

/**
 * Parses a response head as leniently as browsers do. Accepts bare line feeds, folded fields, invalid lines, a repeated equal
 * length, and a length beside chunked coding (RFC 9112 §6.3: the chunks count).
 * @param text - without the final empty line, one character per byte
 * @returns `undefined` if the text is not HTTP, or has several different lengths
 */
export function readAnswerHead(text: string): AnswerHead | undefined {
  const [statusLine = '', ...lines] = text.replace(FOLD, ' ').split(/\r?\n/);
  const status = Number(STATUS_LINE.exec(statusLine)?.[1]);
  const fields = lines.flatMap((line) => {
    const [, name, value = ''] = FIELD.exec(line) ?? [];
    return name === undefined ? [] : [name, value.replace(CONTROLS, ' ').trim()];
  });
  const valuesOf = (wanted: string): string[] =>
    fields.filter((_, i) => i % 2 === 1 && fields[i - 1]!.toLowerCase() === wanted);
  const lengths = valuesOf('content-length').flatMap((value) => value.split(',').map((part) => part.trim()));
  const numbers = new Set(lengths.filter((part) => /^\d{1,15}$/.test(part)).map(Number));
  const isBare = status === 204 || status === 304;
  const isChunked = !isBare && /chunked/i.test(valuesOf('transfer-encoding').join());
  if (!(status >= 100) || (numbers.size > 1 && !isChunked)) return undefined;
  if (isChunked) return { status, fields, length: undefined, isChunked };
  return { status, fields, length: isBare ? 0 : [...numbers][0], isChunked };
}

/** Returns why a head is unreadable. @param head - a head that could not be parsed */
function whyNoHttp(head: string): string {
  const [line = ''] = head.split(/\r?\n/);
  const [, status] = /^HTTP\/\d+(?:\.\d+)?[ \t]+([\w.+-]{1,20})/i.exec(line) ?? [];
  if (status === undefined) return 'its first line names no status';
  return /^[1-9]\d\d$/.test(status) ? 'its body has several lengths' : `status ${status}`;
}

/** Returns fields by lower-case name; repeated fields become a list. */
function byName(fields: readonly string[]): Record<string, string | string[]> {
  const found = new Map<string, string[]>();
  for (let i = 0; i < fields.length; i += 2) {
    const name = fields[i]!.toLowerCase();
    found.set(name, [...(found.get(name) ?? []), fields[i + 1]!]);
  }
  return Object.fromEntries([...found].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]));
}

/**
 * Sends one request on its own connection and parses the response leniently. That is safe because the connection is
 * not reused: data after the end of the response cannot be mistaken for another response.
 * @param question - an HTTP/1.0 request, so that the server should not use chunks
 */
export function converse(socket: Socket, question: string, exchange: Exchange): void {
  let received = Buffer.alloc(0);
  let head: AnswerHead | undefined;
  let left = Number.POSITIVE_INFINITY;
  let chunks: ChunkReader | undefined;
  let interim = 0;
  const rawHeaders: string[] = [];
  const control = { abort: () => void socket.destroy(), rawHeaders };
  const fail = (error: Error): void => {
    exchange.onResponseError(control, error);
    socket.destroy();
  };
  const end = (): void => {
    exchange.onResponseEnd();
    socket.destroy();
  };
  const hearChunks = (bytes: Buffer, reader: ChunkReader): void => {
    const pieces = reader.read(bytes);
    for (const piece of pieces ?? []) exchange.onResponseData(control, piece);
    if (pieces === undefined) fail(new NoHttpError('a chunk without a length'));
    else if (reader.isOver) end();
  };
  const hearPlain = (chunk: Buffer): void => {
    const wanted = chunk.subarray(0, left);
    left -= wanted.length;
    if (wanted.length > 0) exchange.onResponseData(control, wanted);
    if (left === 0) end();
  };
  const hearBody = (bytes: Buffer): void => {
    if (chunks === undefined) hearPlain(bytes);
    else hearChunks(bytes, chunks);
  };
  const hearHead = (): void => {
    const text = received.toString('latin1');
    const headEnd = HEAD_END.exec(text);
    if (headEnd === null) {
      if (received.length > MAX_HEAD_BYTES) fail(new NoHttpError('a head without an end'));
      return;
    }
    const headText = text.slice(0, headEnd.index).trimStart();
    const found = readAnswerHead(headText);
    received = received.subarray(headEnd.index + headEnd[0].length);
    if (found === undefined) fail(new NoHttpError(whyNoHttp(headText)));
    else if (found.status === 101) fail(new NoHttpError(OTHER_PROTOCOL));
    else if (found.status >= 200) hearAnswer(found);
    else if (++interim > MAX_INTERIM) fail(new NoHttpError('interim answers without an end'));
    else hearHead();
  };
  const hearAnswer = (found: AnswerHead): void => {
    head = found;
    left = found.length ?? Number.POSITIVE_INFINITY;
    if (found.isChunked) chunks = new ChunkReader();
    rawHeaders.push(...found.fields);
    exchange.onResponseStart(control, found.status, byName(found.fields));
    hearBody(received);
  };
  exchange.onRequestStart(control);
  socket.on('data', (chunk: Buffer) => {
    if (head === undefined) {
      received = Buffer.concat([received, chunk]);
      hearHead();
    } else hearBody(chunk);
  });
  socket.on('error', fail);
  socket.on('close', () => {
    if (head !== undefined && left === Number.POSITIVE_INFINITY && chunks === undefined) exchange.onResponseEnd();
    else fail(Object.assign(new Error('other side closed'), { code: 'ECONNRESET' }));
  });
  socket.write(question, 'latin1');
}
