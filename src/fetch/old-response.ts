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
  const response = new OldResponse(socket, exchange);
  socket.on('data', (bytes) => response.receive(bytes));
  socket.on('error', (error) => response.fail(error));
  socket.on('close', () => response.close());
  socket.write(question, 'latin1');
}

class OldResponse {
  readonly #socket: Socket;
  readonly #exchange: Exchange;
  readonly #control: { readonly abort: () => void; readonly rawHeaders: string[] };
  /** What has arrived of the head; `undefined` behind it. */
  #head: Buffer | undefined = Buffer.alloc(0);
  /** Missing bytes of the body; infinite if its length is unknown. */
  #left = Number.POSITIVE_INFINITY;
  #chunks: ChunkReader | undefined;
  #interim = 0;

  constructor(socket: Socket, exchange: Exchange) {
    this.#socket = socket;
    this.#exchange = exchange;
    this.#control = { abort: () => void socket.destroy(), rawHeaders: [] };
    exchange.onRequestStart(this.#control);
  }

  receive(bytes: Buffer): void {
    if (this.#head === undefined) this.#receiveBody(bytes);
    else this.#receiveHead(Buffer.concat([this.#head, bytes]));
  }

  fail(error: Error): void {
    this.#exchange.onResponseError(this.#control, error);
    this.#socket.destroy();
  }

  /** A body without a length ends with the connection. */
  close(): void {
    const isEnd = this.#head === undefined && this.#left === Number.POSITIVE_INFINITY && this.#chunks === undefined;
    if (isEnd) this.#exchange.onResponseEnd();
    else this.fail(Object.assign(new Error('other side closed'), { code: 'ECONNRESET' }));
  }

  #receiveHead(received: Buffer): void {
    this.#head = received;
    const text = received.toString('latin1');
    const end = HEAD_END.exec(text);
    if (end === null) {
      if (received.length > MAX_HEAD_BYTES) this.fail(new NoHttpError('a head without an end'));
      return;
    }
    const headText = text.slice(0, end.index).trimStart();
    const head = readAnswerHead(headText);
    const rest = received.subarray(end.index + end[0].length);
    if (head === undefined) this.fail(new NoHttpError(whyNoHttp(headText)));
    else if (head.status === 101) this.fail(new NoHttpError(OTHER_PROTOCOL));
    else if (head.status >= 200) this.#beginBody(head, rest);
    else if (++this.#interim > MAX_INTERIM) this.fail(new NoHttpError('interim answers without an end'));
    else this.#receiveHead(rest);
  }

  #beginBody({ status, fields, length, isChunked }: AnswerHead, rest: Buffer): void {
    this.#head = undefined;
    this.#left = length ?? Number.POSITIVE_INFINITY;
    if (isChunked) this.#chunks = new ChunkReader();
    this.#control.rawHeaders.push(...fields);
    this.#exchange.onResponseStart(this.#control, status, byName(fields));
    this.#receiveBody(rest);
  }

  #receiveBody(bytes: Buffer): void {
    if (this.#chunks === undefined) this.#receivePlain(bytes);
    else this.#receiveChunks(bytes, this.#chunks);
  }

  #receivePlain(bytes: Buffer): void {
    const wanted = bytes.subarray(0, this.#left);
    this.#left -= wanted.length;
    if (wanted.length > 0) this.#exchange.onResponseData(this.#control, wanted);
    if (this.#left === 0) this.#end();
  }

  #receiveChunks(bytes: Buffer, chunks: ChunkReader): void {
    const pieces = chunks.read(bytes);
    for (const piece of pieces ?? []) this.#exchange.onResponseData(this.#control, piece);
    if (pieces === undefined) this.fail(new NoHttpError('a chunk without a length'));
    else if (chunks.isOver) this.#end();
  }

  #end(): void {
    this.#exchange.onResponseEnd();
    this.#socket.destroy();
  }
}
