import { deflateRawSync } from 'node:zlib';
import {
  type CanonicalUrl,
  canonicalize,
  isPartial,
  isPassingStatus,
  PART_STATUS,
  STATUS_LINE,
} from '../../core/index.ts';
import { hash53, ownCopy } from '../../kit/index.ts';
import {
  asReceived,
  headerValue,
  headerValues,
  MAX_RECORD_BYTES,
  parseHead,
  type WarcRecord,
} from '../../warc/index.ts';

/**
 * Where a block lies: in the file, or, when what it is packed in holds others too, in memory, deflated. Of one that is too long to be kept
 * only the head of the answer is, and how many bytes its body has.
 */
export type Place =
  | { readonly offset: number; readonly length: number }
  | { readonly deflated: Uint8Array; readonly missing: number };

/** A page of an archive. */
export interface Entry {
  readonly url: CanonicalUrl;
  /** The URL as the archive writes it. */
  readonly spelling: string;
  readonly recordedAt: number;
  readonly place: Place;
  /** A `resource` record has no HTTP head: its own content type stands in. */
  readonly resourceType: string | undefined;
  /** A `revisit` record: the record whose body this one repeats. */
  readonly repeats: Referred | undefined;
  /** The server was in trouble, sent the asker round in a circle, or was cut off: any other answer is better. */
  readonly isPoor: boolean;
  /** `WARC-Truncated`: why the recording has not all of the answer, `''` where it has. */
  readonly cutFor: string;
  /** Of its body, see {@link hashOf}. */
  readonly digest: number | undefined;
  /** Its record is the first of several that the page is parted into (ISO 28500 §5.15). */
  readonly segments: Segments | undefined;
}

/** What follows the first record of a page that is parted into several. */
export interface Segments {
  /** In their order. */
  readonly places: Place[];
  /** Of all of them, unpacked. */
  bytes: number;
  /** The last one is there, and so are all before it. */
  isWhole: boolean;
}

/** The record that a `revisit` record means. */
interface Referred {
  /** `undefined` when the archive does not say: Wget and old tools name the digest alone. */
  readonly url: CanonicalUrl | undefined;
  /** `WARC-Date` of the record meant; `''` when the archive does not say. */
  readonly date: string;
  /** Its id, see {@link hashOf}. */
  readonly id: number | undefined;
  /** Of its body, see {@link hashOf}. */
  readonly digest: number | undefined;
}

/**
 * Which record of an archive is the page of a URL: of several the first that is an answer to GET, and no passing trouble. Also what other
 * records point to.
 */
export class PageIndex {
  readonly #pages = new Map<CanonicalUrl, Entry>();
  /** Records that `revisit` records point to although another one counts for their URL, by URL and date. */
  readonly #others = new Map<string, Entry>();
  /** The first whole answer with each body, by its digest. */
  readonly #bodies = new Map<number, Entry>();
  /** All of them, by their ids. */
  readonly #ids = new Map<number, Entry>();
  /** Requests other than GET, and the answers that they name, by their ids. */
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

  /** The record that a `revisit` record points to; one step, so that records cannot point in a circle. */
  originalOf({ url, date, id, digest }: Referred): Entry | undefined {
    const same = digest === undefined ? undefined : this.#bodies.get(digest);
    const named = url === undefined ? undefined : this.#pages.get(url);
    // The address alone may be that of another version, when the one that is meant lies in another file.
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

  /** What a form or a script was answered, or a question for the head alone, is not the page. */
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

/** No method is longer. */
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

/** "Unchanged since then" is no page without the page of then, which has a record of its own. */
function isNotModified({ type, headers }: WarcRecord): boolean {
  return type === 'revisit' && headerValue(headers, 'warc-profile').endsWith('/server-not-modified');
}

/** No first line has its status further behind. */
const STATUS_LINE_BYTES = 64;

function isPoor({ block, headers }: WarcRecord, url: CanonicalUrl): boolean {
  if (headerValue(headers, 'warc-truncated') !== '') return true;
  const start = Buffer.from(block.subarray(0, STATUS_LINE_BYTES)).toString('latin1');
  const status = Number(STATUS_LINE.exec(start)?.[1] ?? 0);
  // "Unchanged" is the answer to a question about a version, not the page.
  if (status < 100 || isPassingStatus(status) || status === 304) return true;
  if (status !== PART_STATUS && (status < 300 || status >= 400)) return false;
  const fields = parseHead(block)?.fields ?? [];
  // Browsers ask for films, and for some documents, piece by piece.
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

/** Stands for an id or a digest in a field, in less memory; `undefined` when the record has none. */
function hashOf({ headers }: WarcRecord, field: string): number | undefined {
  return hashed(headerValue(headers, field));
}

function hashed(text: string): number | undefined {
  return text === '' ? undefined : hash53(text.toLowerCase());
}
