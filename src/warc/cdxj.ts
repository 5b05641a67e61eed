import { STATUS_LINE } from '../core/index.ts';
import { headerValue, parseHead } from './http-message.ts';
import type { WarcRecord } from './warc-record.ts';

/** One line of a CDXJ index: a capture and where its record is. */
export interface CdxjEntry {
  /** See {@link surtOf}. */
  readonly key: string;
  /** 14 digits, UTC. */
  readonly timestamp: string;
  readonly url: string;
  /** Media type; `warc/revisit` for a record that repeats another one. */
  readonly mime: string;
  /** HTTP status as text; `''` if the record has none. */
  readonly status: string;
  /** Digest of the body as `sha1:…`; `''` if unknown. */
  readonly digest: string;
  /** Byte range of the record in its file, compressed. */
  readonly offset: number;
  readonly length: number;
  readonly filename: string;
}

/** Media type of `revisit` records in an index. */
export const REVISIT_MIME = 'warc/revisit';

/**
 * Returns the sort key of a URL: its host reversed, then path and sorted query, in lower case, without scheme and
 * `www.` (as warcio and ReplayWeb.page compute it). Other schemes stay unchanged.
 */
export function surtOf(address: string): string {
  if (!/^https?:/i.test(address)) return address;
  const url = URL.parse(address.replace(/^(https?:\/\/)www\d*\./i, '$1').toLowerCase());
  if (url === null) return address;
  const port = url.port === '' ? '' : `:${url.port}`;
  if (url.search !== '') url.searchParams.sort();
  // Sorting writes percent signs with capital letters again.
  return `${url.hostname.split('.').reverse().join(',')}${port})${url.pathname}${url.search}`.toLowerCase();
}

/** Formats a date as 14 digits; `''` for an invalid date. */
export function timestampOf(date: string): string {
  const digits = date.replace(/\D/g, '').slice(0, 14);
  return digits.length < 4 ? '' : digits.padEnd(14, '0');
}

/** Returns the time of 4 to 14 digits, in ms since 1970; NaN if they are no date. Missing parts are the first possible ones. */
export function timeOf(timestamp: string): number {
  const parts = /^(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?$/.exec(timestamp)?.slice(1);
  if (parts === undefined) return Number.NaN;
  // Zero stands for an unknown month or day.
  const [year = '', month, day, ...rest] = parts.map((part, i) => (i > 0 && i < 3 && part === '00' ? '01' : part));
  const [hour, minute, second] = rest.map((part) => part ?? '00');
  return Date.parse(`${year}-${month ?? '01'}-${day ?? '01'}T${hour}:${minute}:${second}Z`);
}

/** Formats an entry as a line without its break. */
export function cdxjLine({ key, timestamp, ...fields }: CdxjEntry): string {
  const { url, mime, status, digest, length, offset, filename } = fields;
  const block = {
    ...{ url, mime },
    ...(status !== '' && { status }),
    ...(digest !== '' && { digest }),
    ...{ length: String(length), offset: String(offset), filename },
  };
  return `${key} ${timestamp} ${JSON.stringify(block)}`;
}

/** Parses a line; `undefined` if it is not a CDXJ line with a place in a file. */
export function parseCdxjLine(line: string): CdxjEntry | undefined {
  const [, key = '', timestamp = '', json = ''] = /^(\S+) (\d{4,17}) (\{.*\})\s*$/.exec(line) ?? [];
  const block = jsonObject(json);
  if (block === undefined || typeof block.url !== 'string') return undefined;
  const [offset, length] = [Number(block.offset), Number(block.length)];
  if (!Number.isSafeInteger(offset) || offset < 0 || !Number.isSafeInteger(length) || length <= 0) return undefined;
  const text = (name: string): string => (block[name] === undefined ? '' : String(block[name]));
  return {
    ...{ key, timestamp: timestamp.slice(0, 14).padEnd(14, '0'), url: block.url, mime: text('mime') },
    ...{ status: text('status'), digest: text('digest'), offset, length, filename: text('filename') },
  };
}

/** Parses a JSON object; `undefined` for anything else. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

const INDEXED: readonly string[] = ['response', 'revisit', 'resource'];
/** Maximum offset of the status in the first line. */
const STATUS_BYTES = 64;

/**
 * Returns the index entry of a record; `undefined` for records that are not captures.
 * @param filename name of its file in the index
 */
export function entryOf(record: WarcRecord, filename: string): CdxjEntry | undefined {
  const { type, url, headers, block } = record;
  if (!INDEXED.includes(type) || !/^https?:/i.test(url)) return undefined;
  const isHttp = type !== 'resource';
  const start = Buffer.from(block.subarray(0, STATUS_BYTES)).toString('latin1');
  const status = isHttp ? (STATUS_LINE.exec(start)?.[1] ?? '') : '200';
  const mediaType = isHttp
    ? headerValue(parseHead(block)?.fields ?? [], 'content-type')
    : headerValue(headers, 'content-type');
  return {
    ...{ key: surtOf(url), timestamp: timestampOf(record.date), url },
    mime: type === 'revisit' ? REVISIT_MIME : (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase(),
    ...{ status, digest: headerValue(headers, 'warc-payload-digest') },
    ...{ offset: record.offset, length: record.length, filename },
  };
}
