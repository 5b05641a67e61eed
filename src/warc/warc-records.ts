import { createHash, randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Recording, RenderedRecording } from './recording.ts';

/** The record that a `revisit` record refers to. */
export interface KnownPayload {
  readonly id: string;
  readonly url: string;
  /** In the format of `WARC-Date`. */
  readonly date: string;
}

/** Maximum number of payloads remembered for `revisit` records; about 200 bytes each. */
const MAX_PAYLOADS = 100_000;

/** Adds a payload by its digest; replaces the oldest one if there are too many. */
export function rememberPayload(payloads: Map<string, KnownPayload>, digest: string, payload: KnownPayload): void {
  if (payloads.size >= MAX_PAYLOADS) payloads.delete(payloads.keys().next().value!);
  payloads.set(digest, payload);
}

/** Content of the first record of a run. */
export interface WarcInfo {
  readonly software: string;
  readonly userAgent: string;
  readonly contact: string;
  readonly obeysRobots: boolean;
}

/** The records of one exchange, and the payload that later copies may refer to. */
export interface ExchangeRecords {
  readonly records: readonly Buffer[];
  /** Record id of the response. */
  readonly id: string;
  readonly digest: string;
  /** Absent for responses that later ones must not refer to. */
  readonly payload?: KnownPayload;
  readonly isRevisit: boolean;
}

type Field = readonly [name: string, value: string];

const PROFILE = 'http://netpreserve.org/warc/1.1/revisit';
const CONFORMS = 'http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/';
/** For a shorter payload, a reference would be longer than the payload. */
const MIN_REVISIT_BYTES = 32;

/** Returns the record that starts a run (ISO 28500 §6.2), and the id that the other records refer to. */
export function infoRecord(info: WarcInfo, at: number): { readonly id: string; readonly record: Buffer } {
  const id = newId();
  const lines: Field[] = [
    ['software', info.software],
    ['format', 'WARC File Format 1.1'],
    ['conformsTo', CONFORMS],
    ['http-header-user-agent', info.userAgent],
    ['robots', info.obeysRobots ? 'obey' : 'ignore'],
    ...(info.contact === '' ? [] : [['operator', info.contact] as const]),
  ];
  const block = Buffer.from(lines.map(fieldLine).join(''));
  const fields: Field[] = [
    ['WARC-Type', 'warcinfo'],
    ['WARC-Record-ID', id],
    ['WARC-Date', warcDate(at)],
    ['Content-Type', 'application/warc-fields'],
  ];
  return { id, record: warcRecord(fields, block) };
}

/**
 * Returns the records of a response and its request (ISO 28500 §6.3–6.5). If `known` already has the payload, the
 * response becomes a `revisit` record without body (§6.7).
 */
export function exchangeRecords(
  recording: Recording,
  infoId: string,
  known: (digest: string) => KnownPayload | undefined,
): ExchangeRecords {
  const { url, status, body, cut, isBrokenOff = false } = recording;
  const [id, date, digest] = [newId(), warcDate(recording.fetchedAt), sha1(body)];
  const isPage = status >= 200 && status < 300 && !cut && !isBrokenOff && body.length >= MIN_REVISIT_BYTES;
  const original = isPage ? known(digest) : undefined;
  const head = Buffer.from(responseHead(recording), 'latin1');
  const block = original === undefined ? Buffer.concat([head, body]) : head;
  const fields: Field[] = [
    ['WARC-Target-URI', url],
    ['WARC-Date', date],
    ['WARC-Warcinfo-ID', infoId],
    ...(recording.address === '' ? [] : [['WARC-IP-Address', recording.address] as const]),
  ];
  const response: Field[] = [
    ['WARC-Type', status === 304 || original !== undefined ? 'revisit' : 'response'],
    ['WARC-Record-ID', id],
    ...fields,
    ...revisitFields(recording, original),
    ...(status === 304 ? [] : [['WARC-Payload-Digest', digest] as const]),
    ...(cut || isBrokenOff ? [['WARC-Truncated', cut ? 'length' : 'disconnect'] as const] : []),
    ['Content-Type', 'application/http; msgtype=response'],
  ];
  const request: Field[] = [
    ['WARC-Type', 'request'],
    ['WARC-Record-ID', newId()],
    ...fields,
    ['WARC-Concurrent-To', id],
    ['Content-Type', 'application/http; msgtype=request'],
  ];
  return {
    records: [warcRecord(response, block), warcRecord(request, Buffer.from(requestHead(recording), 'latin1'))],
    id,
    digest,
    ...(isPage && original === undefined ? { payload: { id, url, date } } : {}),
    isRevisit: original !== undefined,
  };
}

/**
 * Returns the record of a page as a browser showed it: a `conversion` (ISO 28500 §6.8) of its response, which an index of
 * captures leaves out.
 * @param responseId record id of the response; `undefined` if it is no longer known
 */
export function renderedRecord(
  { url, renderedAt, html }: RenderedRecording,
  infoId: string,
  responseId: string | undefined,
): Buffer {
  const fields: Field[] = [
    ['WARC-Type', 'conversion'],
    ['WARC-Record-ID', newId()],
    ['WARC-Target-URI', url],
    ['WARC-Date', warcDate(renderedAt)],
    ['WARC-Warcinfo-ID', infoId],
    ...(responseId === undefined ? [] : [['WARC-Refers-To', responseId] as const]),
    ['Content-Type', 'text/html; charset=utf-8'],
  ];
  return warcRecord(fields, Buffer.from(html));
}

function revisitFields({ url, status }: Recording, original: KnownPayload | undefined): Field[] {
  if (status === 304)
    return [
      ['WARC-Profile', `${PROFILE}/server-not-modified`],
      ['WARC-Refers-To-Target-URI', url],
    ];
  if (original === undefined) return [];
  return [
    ['WARC-Profile', `${PROFILE}/identical-payload-digest`],
    ['WARC-Refers-To', original.id],
    ['WARC-Refers-To-Target-URI', original.url],
    ['WARC-Refers-To-Date', original.date],
  ];
}

function responseHead({ status, responseFields }: Recording): string {
  const lines: string[] = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`];
  for (let i = 0; i + 1 < responseFields.length; i += 2) {
    const name = responseFields[i]!;
    // The chunked coding was removed, so readers must not expect it.
    const kept = /^transfer-encoding$/i.test(name) ? `X-Archive-Orig-${name}` : name;
    lines.push(fieldLine([kept, responseFields[i + 1]!]));
  }
  return `${lines.join('')}\r\n`;
}

function requestHead({ url, requestFields }: Recording): string {
  const slash = url.indexOf('/', 8);
  const lines = [`GET ${url.slice(slash)} HTTP/1.1\r\n`, fieldLine(['host', url.slice(url.indexOf('//') + 2, slash)])];
  for (let i = 0; i + 1 < requestFields.length; i += 2)
    lines.push(fieldLine([requestFields[i]!, requestFields[i + 1]!]));
  return `${lines.join('')}\r\n`;
}

function warcRecord(fields: readonly Field[], block: Buffer): Buffer {
  const digest: Field = ['WARC-Block-Digest', sha1(block)];
  const lines = [...fields, digest, ['Content-Length', String(block.length)] as const].map(fieldLine);
  return Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines.join('')}\r\n`), block, Buffer.from('\r\n\r\n')]);
}

/** Formats a header field. A line break inside a value would start another field. */
function fieldLine([name, value]: Field): string {
  return `${name}: ${value.replace(/[\r\n\0]+/g, ' ')}\r\n`;
}

function newId(): string {
  return `<urn:uuid:${randomUUID()}>`;
}

function warcDate(at: number): string {
  return new Date(at).toISOString();
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns a SHA-1 digest in base 32, the format of WARC files. 160 bits are 32 letters without padding. */
function sha1(bytes: Uint8Array): string {
  let text = 'sha1:';
  let bits = 0;
  let value = 0;
  for (const byte of createHash('sha1').update(bytes).digest()) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(value >> (bits - 5)) & 31];
  }
  return text;
}
