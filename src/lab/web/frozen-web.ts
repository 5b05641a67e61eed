import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import {
  BingoError,
  type CanonicalUrl,
  canonicalize,
  hash53,
  hostOf,
  isPassingStatus,
  LruMap,
  ownCopy,
  STATUS_LINE,
  UnreadableFileError,
} from '../../core/index.ts';
import { type HeaderFields, headerValue, parseHead, parseHttpResponse } from './http-message.ts';
import { dictionaryOf, type ReadWarcOptions, readWarc, recordAt, type WarcRecord } from './warc.ts';

/** A response as the archive keeps it. */
export interface FrozenPage {
  readonly url: CanonicalUrl;
  readonly status: number;
  /** As recorded; `body` is already freed of transfer and content coding. */
  readonly headers: HeaderFields;
  readonly body: Uint8Array;
  /** When it was recorded, in ms since 1970; 0 when the archive does not say. */
  readonly recordedAt: number;
  /**
   * The body broke off when it was recorded, or was not taken at all. One that was cut because it is long counts as whole: what web
   * archives keep of long pages is enough to read.
   */
  readonly breaksOff: boolean;
}

export interface OpenWebOptions extends ReadWarcOptions {
  /** Decoded pages kept in memory, in bytes. Default: 64 MiB. */
  readonly cacheBytes?: number;
}

/** Where a page lies: in the file, or, when what it is packed in holds others too, in memory, deflated. */
type Place = { readonly offset: number; readonly length: number } | { readonly deflated: Uint8Array };

interface Entry {
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
}

interface Referred {
  /** `undefined` when the archive does not say: Wget and old tools name the digest alone. */
  readonly url: CanonicalUrl | undefined;
  /** `WARC-Date` of the record meant; `''` when the archive does not say. */
  readonly date: string;
  /** See {@link digestOf}. */
  readonly digest: number | undefined;
}

interface Index {
  readonly entries: ReadonlyMap<CanonicalUrl, Entry>;
  /** Records that `revisit` records point to although another one counts for their URL, by URL and date. */
  readonly others: ReadonlyMap<string, Entry>;
  /** The first whole answer with each body, by its digest. */
  readonly bodies: ReadonlyMap<number, Entry>;
}

const CACHE_BYTES = 64 * 1024 * 1024;

/** The name of the frozen web in a WARC file. */
export function webName(path: string): string {
  return basename(path).replace(/\.warc(\.gz|\.zst)?$/i, '');
}

/**
 * The web of a WARC file: pages by canonical URL, read from the file when asked for. Of several records of one URL
 * the first counts that is an answer and no passing trouble. Memory: an index entry a page and a bounded cache.
 */
export class FrozenWeb {
  readonly path: string;
  /** The file's name without `.warc.gz`. */
  readonly name: string;
  readonly #file: number;
  readonly #dictionary: Uint8Array | undefined;
  readonly #index: Index;
  readonly #entries: ReadonlyMap<CanonicalUrl, Entry>;
  readonly #cache: LruMap<CanonicalUrl, FrozenPage>;

  /**
   * Reads the whole file once and indexes it.
   * @throws WarcError when the file is cut short or damaged and `onDamage` is not given, or when it is no WARC file
   * @throws UnreadableFileError `WARC_EMPTY` when no page is in it
   */
  static async open(path: string, options: OpenWebOptions = {}): Promise<FrozenWeb> {
    const entries = new Map<CanonicalUrl, Entry>();
    const others = new Map<string, Entry>();
    const bodies = new Map<number, Entry>();
    const givesWay = ({ isPoor, repeats }: Entry): boolean =>
      isPoor || (repeats !== undefined && originalOf(repeats, { entries, others, bodies }) === undefined);
    for await (const record of readWarc(path, options)) {
      const entry = entryOf(record);
      if (entry === undefined) continue;
      const before = entries.get(entry.url);
      const counts = before === undefined || (givesWay(before) && !givesWay(entry));
      if (counts) entries.set(entry.url, entry);
      else if (entry.repeats === undefined) others.set(ownCopy(`${entry.url} ${record.date}`), entry);
      const digest = entry.repeats === undefined && !entry.isPoor ? digestOf(record) : undefined;
      if (digest !== undefined && !bodies.has(digest)) bodies.set(digest, entry);
    }
    if (entries.size === 0)
      throw new UnreadableFileError({
        code: 'WARC_EMPTY',
        message: `${path} holds no page: no response record with an http(s) URL.`,
        hint: 'Name a WARC file with response records, as crawlers and `wget --warc-file` write them.',
      });
    return new FrozenWeb(path, { entries, others, bodies }, options.cacheBytes ?? CACHE_BYTES);
  }

  private constructor(path: string, index: Index, cacheBytes: number) {
    this.path = path;
    this.name = webName(path);
    this.#file = openSync(path, 'r');
    this.#dictionary = dictionaryOf(path, this.#file);
    this.#index = index;
    this.#entries = index.entries;
    this.#cache = new LruMap(cacheBytes, (page) => page.body.length + 512);
  }

  /** Number of pages. */
  get size(): number {
    return this.#entries.size;
  }

  has(url: CanonicalUrl): boolean {
    return this.#entries.has(url);
  }

  /** All URLs, in the order of the archive. */
  urls(): IterableIterator<CanonicalUrl> {
    return this.#entries.keys();
  }

  /** Hosts (with port where one is given), sorted. */
  hosts(): readonly string[] {
    return [...new Set([...this.#entries.keys()].map(hostOf))].sort();
  }

  /** The URL as the archive and its labels write it; a URL that is not in the archive comes back as it is. */
  spelling(url: CanonicalUrl): string {
    return this.#entries.get(url)?.spelling ?? url;
  }

  /**
   * The page of a URL, `undefined` when the archive has none.
   * @throws BingoError `WARC_CHANGED` when the file was changed since it was opened
   */
  page(url: CanonicalUrl): FrozenPage | undefined {
    const entry = this.#entries.get(url);
    if (entry === undefined) return undefined;
    const cached = this.#cache.get(url);
    if (cached !== undefined) return cached;
    const page = this.#load(entry);
    this.#cache.set(url, page);
    return page;
  }

  /** Closes the file; pages can no longer be read. */
  close(): void {
    closeSync(this.#file);
  }

  #load(entry: Entry): FrozenPage {
    const { url, recordedAt, cutFor } = entry;
    const block = this.#block(entry.place);
    const known = { url, recordedAt, breaksOff: false };
    if (entry.resourceType !== undefined)
      return { ...known, status: 200, headers: [['Content-Type', entry.resourceType]], body: block };
    const original = entry.repeats === undefined ? undefined : this.#original(entry.repeats);
    const response = parseHttpResponse(block);
    // A record that repeats another one need not have a head of its own.
    if (response === undefined && original !== undefined) return { ...original, url, recordedAt };
    if (response === undefined) return { ...known, status: 502, headers: [], body: new Uint8Array(0) };
    const { status, headers } = response;
    const { body, isWhole } = entry.repeats === undefined ? response : bodyOf(original);
    const isCut = cutFor !== '' || !isWhole;
    return { ...known, status, headers, body, breaksOff: isCut && (cutFor !== 'length' || body.length === 0) };
  }

  #original(referred: Referred): FrozenPage | undefined {
    const original = originalOf(referred, this.#index);
    if (original === undefined) return undefined;
    return this.#entries.get(original.url) === original ? this.page(original.url) : this.#load(original);
  }

  #block(place: Place): Uint8Array {
    if ('deflated' in place) return inflateRawSync(place.deflated);
    const bytes = new Uint8Array(place.length);
    const read = readSync(this.#file, bytes, 0, place.length, place.offset);
    const record = read === place.length ? recordAt(bytes, this.#dictionary) : undefined;
    if (record !== undefined) return record.block;
    throw new BingoError({
      code: 'WARC_CHANGED',
      message: `${this.path}: expected a record at byte ${place.offset}, where there was one when the file was opened.`,
      hint: 'The file was changed meanwhile; start again.',
    });
  }
}

/** Size and time of change of a file: what tells that a cache made from it still fits. */
export function fileStamp(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size}-${Math.round(mtimeMs)}`;
}

const PAGE_TYPES = ['response', 'resource', 'revisit'];

function entryOf(record: WarcRecord): Entry | undefined {
  const canonical = PAGE_TYPES.includes(record.type) ? canonicalize(record.url) : undefined;
  if (canonical === undefined || isNotModified(record)) return undefined;
  const url = ownCopy(canonical) as CanonicalUrl;
  const time = Date.parse(record.date);
  const place = record.alone
    ? { offset: record.offset, length: record.length }
    : { deflated: deflateRawSync(record.block) };
  return {
    url,
    spelling: record.url === url ? url : ownCopy(record.url),
    recordedAt: Number.isNaN(time) ? 0 : time,
    place,
    resourceType: record.type === 'resource' ? ownCopy(headerValue(record.headers, 'content-type')) : undefined,
    repeats: record.type === 'revisit' ? referred(record) : undefined,
    isPoor: record.type === 'response' && isPoor(record, url),
    cutFor: record.type === 'response' ? headerValue(record.headers, 'warc-truncated').toLowerCase() : '',
  };
}

/** "Unchanged since then" is no page without the page of then, which has a record of its own. */
function isNotModified(record: WarcRecord): boolean {
  return record.type === 'revisit' && headerValue(record.headers, 'warc-profile').endsWith('/server-not-modified');
}

/** No first line has its status further behind. */
const STATUS_LINE_BYTES = 64;

function isPoor({ block, headers }: WarcRecord, url: CanonicalUrl): boolean {
  if (headerValue(headers, 'warc-truncated') !== '') return true;
  const start = Buffer.from(block.buffer, block.byteOffset, Math.min(block.length, STATUS_LINE_BYTES)).toString(
    'latin1',
  );
  const status = Number(STATUS_LINE.exec(start)?.[1] ?? 0);
  // "Unchanged" is the answer to a question about a version, not the page.
  if (status < 100 || isPassingStatus(status) || status === 304) return true;
  if (status < 300 || status >= 400) return false;
  const target = headerValue(parseHead(block)?.fields ?? [], 'location');
  return target !== '' && canonicalize(target, url) === url;
}

function referred(record: WarcRecord): Referred {
  const { headers } = record;
  const url = canonicalize(headerValue(headers, 'warc-refers-to-target-uri').replace(/^<|>$/g, ''));
  const date = ownCopy(headerValue(headers, 'warc-refers-to-date'));
  return { url: url && (ownCopy(url) as CanonicalUrl), date, digest: digestOf(record) };
}

/** The record that a `revisit` record points to; one step, so that records cannot point in a circle. */
function originalOf({ url, date, digest }: Referred, { entries, others, bodies }: Index): Entry | undefined {
  const named = url === undefined ? [] : [others.get(`${url} ${date}`), entries.get(url)];
  const same = digest === undefined ? undefined : bodies.get(digest);
  return [...named, same].find((entry) => entry !== undefined && entry.repeats === undefined);
}

/** Stands for `WARC-Payload-Digest`, in less memory; `undefined` when the archive has none. */
function digestOf({ headers }: WarcRecord): number | undefined {
  const digest = headerValue(headers, 'warc-payload-digest').toLowerCase();
  return digest === '' ? undefined : hash53(digest);
}

/** A body that is not in the archive was not taken. */
function bodyOf(original: FrozenPage | undefined): { readonly body: Uint8Array; readonly isWhole: boolean } {
  return original === undefined
    ? { body: new Uint8Array(0), isWhole: false }
    : { body: original.body, isWhole: !original.breaksOff };
}
