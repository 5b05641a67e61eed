import { deflateRawSync } from 'node:zlib';
import { type CanonicalUrl, canonicalize, isPartial, PART_STATUS, STATUS_LINE } from '../../core/index.ts';
import { hash53, ownCopy } from '../../kit/index.ts';
import {
  asReceived,
  headerValue,
  headerValues,
  isPoorStatus,
  MAX_RECORD_BYTES,
  parseHead,
  type WarcRecord,
} from '../../warc/index.ts';

/**
 * Location of a block: in the file or, if it is compressed together with others, deflated in memory. Of a block too
 * long to store, only the HTTP header and the length of the body are kept.
 */
export type Place =
  | { readonly offset: number; readonly length: number }
  | { readonly deflated: Uint8Array; readonly missing: number };

/** A page of an archive. */
export interface Entry {
  readonly url: CanonicalUrl;
  /** The URL as written in the archive. */
  readonly spelling: string;
  readonly recordedAt: number;
  readonly place: Place;
  /** A `resource` record has no HTTP header; its own content type is used. */
  readonly resourceType: string | undefined;
  /** For a `revisit` record: the record with the same body. */
  readonly repeats: Referred | undefined;
  /** A server error, a redirect loop, or a truncated response: any other response is preferred. */
  readonly isPoor: boolean;
  /** `WARC-Truncated`: why the response is incomplete, `''` if complete. */
  readonly cutFor: string;
  /** Digest of its body, see {@link hashOf}. */
  readonly digest: number | undefined;
  /** Set if its record is the first of several segments (ISO 28500 §5.15). */
  readonly segments: Segments | undefined;
}

/** The later segments of a page. */
export interface Segments {
  /** In order. */
  readonly places: Place[];
  /** Total size, decompressed. */
  bytes: number;
  /** True if the last segment and all before it are present. */
  isWhole: boolean;
}

/** The target of a `revisit` record. */
interface Referred {
  /** `undefined` if missing: Wget and old tools write only the digest. */
  readonly url: CanonicalUrl | undefined;
  /** `WARC-Date` of the target; `''` if missing. */
  readonly date: string;
  /** Id of the target, see {@link hashOf}. */
  readonly id: number | undefined;
  /** Digest of its body, see {@link hashOf}. */
  readonly digest: number | undefined;
}

/** Selects the record of each URL: the first proper response to GET. Also indexes the targets of other records. */
export class PageIndex {
  readonly #pages = new Map<CanonicalUrl, Entry>();
  /** Targets of `revisit` records that are not the selected record of their URL, by URL and date. */
  readonly #others = new Map<string, Entry>();
  /** First complete response with each body, by its digest. */
  readonly #bodies = new Map<number, Entry>();
  /** All records, by id. */
  readonly #ids = new Map<number, Entry>();
  /** Requests other than GET, and their responses, by id. */
  readonly #strange = new Set<number>();

  /** By canonical URL, in the order of the archive. */
  get pages(): ReadonlyMap<CanonicalUrl, Entry> {
    return this.#pages;
  }

  add(record: WarcRecord): void {
    if (record.type === 'request') this.#addRequest(record);
    else if (record.type === 'continuation') this.#addSegment(record);
    else if (!this.#isStrange(record)) this.#addPage(record);
  }

  /** Returns the target of a `revisit` record. Follows one step, so that records cannot form a cycle. */
  originalOf({ url, date, id, digest }: Referred): Entry | undefined {
    const same = digest === undefined ? undefined : this.#bodies.get(digest);
    const named = url === undefined ? undefined : this.#pages.get(url);
    // With only the address, the record may be another version, if the target is in another file.
    const isOther = digest !== undefined && named?.digest !== undefined && named.digest !== digest;
    const meant = id === undefined ? undefined : this.#ids.get(id);
    const found = [this.#others.get(`${url} ${date}`), meant, same, isOther ? undefined : named];
    return found.find((entry) => entry !== undefined && entry.repeats === undefined);
  }

  #givesWay({ isPoor, repeats, segments }: Entry): boolean {
    if (isPoor || segments?.isWhole === false) return true;
    return repeats !== undefined && this.originalOf(repeats) === undefined;
  }

  #addPage(record: WarcRecord): void {
    const entry = entryOf(record);
    if (entry === undefined) return;
    const { url, repeats } = entry;
    const before = this.#pages.get(url);
    const counts = before === undefined || (this.#givesWay(before) && !this.#givesWay(entry));
    if (counts) this.#pages.set(url, entry);
    else if (repeats === undefined) this.#others.set(ownCopy(`${url} ${record.date}`), entry);
    const id = hashOf(record, 'warc-record-id');
    if (id !== undefined) this.#ids.set(id, entry);
    const isBody = repeats === undefined && !entry.isPoor && entry.segments === undefined;
    const { digest } = entry;
    if (isBody && digest !== undefined && !this.#bodies.has(digest)) this.#bodies.set(digest, entry);
  }

  /** Responses to forms, scripts or HEAD requests are not the page. */
  #addRequest(record: WarcRecord): void {
    const { block } = record;
    const method = /^([A-Z]+) /.exec(Buffer.from(block.subarray(0, METHOD_BYTES)).toString('latin1'))?.[1] ?? 'GET';
    if (method === 'GET') return;
    for (const id of [hashOf(record, 'warc-record-id'), ...answersOf(record)]) {
      if (id === undefined) continue;
      this.#strange.add(id);
      const entry = this.#ids.get(id);
      if (entry !== undefined && this.#pages.get(entry.url) === entry) this.#pages.delete(entry.url);
    }
  }

  #isStrange(record: WarcRecord): boolean {
    if (this.#strange.size === 0) return false;
    const ids = [hashOf(record, 'warc-record-id'), ...answersOf(record)];
    return ids.some((id) => id !== undefined && this.#strange.has(id));
  }

  #addSegment(record: WarcRecord): void {
    const origin = hashOf(record, 'warc-segment-origin-id');
    const segments = origin === undefined ? undefined : this.#ids.get(origin)?.segments;
    const number = Number(headerValue(record.headers, 'warc-segment-number'));
    if (segments === undefined || number !== segments.places.length + 2) return;
    segments.bytes += record.block.length + record.missing;
    if (segments.bytes > MAX_RECORD_BYTES) return;
    segments.places.push(placeOf(record));
    segments.isWhole = headerValue(record.headers, 'warc-segment-total-length') !== '';
  }
}

/** Maximum length of a method. */
const METHOD_BYTES = 20;

function answersOf({ headers }: WarcRecord): readonly (number | undefined)[] {
  return headerValues(headers, 'warc-concurrent-to').map(hashed);
}

const PAGE_TYPES = ['response', 'resource', 'revisit'];

function entryOf(record: WarcRecord): Entry | undefined {
  const canonical = PAGE_TYPES.includes(record.type) ? canonicalize(record.url) : undefined;
  if (canonical === undefined || isNotModified(record)) return undefined;
  const url = ownCopy(canonical) as CanonicalUrl;
  const time = Date.parse(record.date);
  const { headers, type, block } = record;
  const isFirst = type !== 'revisit' && headerValue(headers, 'warc-segment-number') === '1';
  return {
    url,
    spelling: record.url === url ? url : ownCopy(record.url),
    recordedAt: Number.isNaN(time) ? 0 : time,
    place: placeOf(record),
    resourceType: type === 'resource' ? ownCopy(headerValue(headers, 'content-type')) : undefined,
    repeats: type === 'revisit' ? referred(record) : undefined,
    isPoor: type === 'response' && isPoor(record, url),
    cutFor: type === 'response' ? ownCopy(headerValue(headers, 'warc-truncated').toLowerCase()) : '',
    digest: hashOf(record, 'warc-payload-digest'),
    segments: isFirst ? { places: [], bytes: block.length, isWhole: false } : undefined,
  };
}

function placeOf({ alone, offset, length, block, missing, type }: WarcRecord): Place {
  if (alone) return { offset, length };
  if (missing === 0) return { deflated: deflateRawSync(block), missing };
  const head = type === 'resource' ? 0 : (parseHead(block)?.end ?? 0);
  return { deflated: deflateRawSync(block.subarray(0, head)), missing: missing + block.length - head };
}

/** "Not modified" is not a page; the earlier version has its own record. */
function isNotModified({ type, headers }: WarcRecord): boolean {
  return type === 'revisit' && headerValue(headers, 'warc-profile').endsWith('/server-not-modified');
}

/** Maximum offset of the status in the first line. */
const STATUS_LINE_BYTES = 64;

function isPoor({ block, headers }: WarcRecord, url: CanonicalUrl): boolean {
  if (headerValue(headers, 'warc-truncated') !== '') return true;
  const start = Buffer.from(block.subarray(0, STATUS_LINE_BYTES)).toString('latin1');
  const status = Number(STATUS_LINE.exec(start)?.[1] ?? 0);
  if (isPoorStatus(status)) return true;
  if (status !== PART_STATUS && (status < 300 || status >= 400)) return false;
  const fields = parseHead(block)?.fields ?? [];
  // Browsers request films and some documents in ranges.
  if (status === PART_STATUS) return isPartial(status, asReceived(fields));
  const target = headerValue(fields, 'location');
  return target !== '' && canonicalize(target, url) === url;
}

function referred(record: WarcRecord): Referred {
  const { headers } = record;
  const url = canonicalize(headerValue(headers, 'warc-refers-to-target-uri').replace(/^<|>$/g, ''));
  return {
    url: url && (ownCopy(url) as CanonicalUrl),
    date: ownCopy(headerValue(headers, 'warc-refers-to-date')),
    id: hashOf(record, 'warc-refers-to'),
    digest: hashOf(record, 'warc-payload-digest'),
  };
}

/** Returns a compact number for an id or digest in a field; `undefined` if missing. */
function hashOf({ headers }: WarcRecord, field: string): number | undefined {
  return hashed(headerValue(headers, field));
}

function hashed(text: string): number | undefined {
  return text === '' ? undefined : hash53(text.toLowerCase());
}
