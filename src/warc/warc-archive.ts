import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { BingoError, type CanonicalUrl, canonicalize } from '../core/index.ts';
import { LruMap } from '../kit/index.ts';
import { type IndexOptions, indexArchive } from './archive-index.ts';
import { type CdxjEntry, REVISIT_MIME, surtOf, timeOf } from './cdxj.ts';
import { CdxjFile } from './cdxj-file.ts';
import { headerValue } from './http-message.ts';
import { isPoorPage, isPoorStatus, type RecordedPage, recordedPage } from './recorded-page.ts';
import { dictionaryOf, recordAt } from './warc.ts';
import type { WarcRecord } from './warc-record.ts';

/** A page of an archive, and which capture it is. */
export interface CapturedPage {
  readonly page: RecordedPage;
  readonly capture: CdxjEntry;
}

/** A record with its bytes as stored, and the dictionary of their compression. */
export interface ReadRecord {
  readonly record: WarcRecord;
  readonly bytes: Buffer;
  readonly dictionary: Uint8Array | undefined;
}

interface OpenFile {
  readonly descriptor: number;
  readonly dictionary: Uint8Array | undefined;
}

/** Open files: an archive may have thousands. */
const OPEN_FILES = 64;
/** Recordings of one page that are read to find a good one. */
const MAX_TRIED = 8;

/**
 * The pages of WARC and WACZ files by URL, read from the files on demand. Of several captures the newest good one
 * counts, or the one closest to a date. Memory: a few blocks of the index.
 */
export class WarcArchive {
  readonly #index: CdxjFile;
  readonly #files = new LruMap<string, OpenFile>(OPEN_FILES);
  /** Number of captures. */
  readonly captures: number;

  /** @throws see {@link indexArchive} */
  static async open(paths: readonly string[], options: IndexOptions): Promise<WarcArchive> {
    const { index, captures } = await indexArchive(paths, options);
    return new WarcArchive(new CdxjFile(index), captures);
  }

  private constructor(index: CdxjFile, captures: number) {
    this.#index = index;
    this.captures = captures;
  }

  /**
   * Returns the page of a URL; `undefined` if the archive lacks it.
   * @param at ms since 1970: the closest capture counts. Default: the newest
   * @throws BingoError `WARC_CHANGED` if a file has changed since it was indexed
   */
  page(url: CanonicalUrl, at: number = Number.POSITIVE_INFINITY): CapturedPage | undefined {
    let poor: CapturedPage | undefined;
    for (const capture of this.capturesOf(url, at).slice(0, MAX_TRIED)) {
      const page = this.#read(url, capture);
      if (page === undefined) continue;
      if (!isPoorPage(page) && !isSelfRedirect(page)) return { page, capture };
      poor ??= { page, capture };
    }
    return poor;
  }

  /** Returns the captures of a URL, best first: good ones before errors, then by time. */
  capturesOf(url: CanonicalUrl, at: number = Number.POSITIVE_INFINITY): readonly CdxjEntry[] {
    const all = this.#index.entries(surtOf(url));
    const same = all.filter((entry) => canonicalize(entry.url) === url);
    // The other scheme, or with and without "www.", is mostly the same page.
    const found = same.length > 0 ? same : all.filter((entry) => bare(entry.url) === bare(url));
    return found.toSorted((a, b) => Number(isPoor(a)) - Number(isPoor(b)) || distance(a, at) - distance(b, at));
  }

  /** Yields all captures, sorted by address. */
  all(): Generator<CdxjEntry> {
    return this.#index.all();
  }

  /** Returns the record of a capture with its bytes as stored. @throws BingoError `WARC_CHANGED` */
  record(capture: CdxjEntry): ReadRecord {
    const { descriptor, dictionary } = this.#open(capture.filename);
    const bytes = Buffer.alloc(capture.length);
    const read = readSync(descriptor, bytes, 0, capture.length, capture.offset);
    const record = read === capture.length ? recordAt(bytes, dictionary) : undefined;
    if (record !== undefined && canonicalize(record.url) === canonicalize(capture.url))
      return { record, bytes, dictionary };
    throw new BingoError({
      code: 'WARC_CHANGED',
      message: `${capture.filename}: the record of ${capture.url} at byte ${capture.offset} is gone.`,
      hint: 'The file is damaged, or has changed meanwhile. Run the same command again.',
    });
  }

  /** Returns the capture that a `revisit` record repeats; `undefined` if the archive lacks it. */
  originalOf(record: WarcRecord): CdxjEntry | undefined {
    const named = headerValue(record.headers, 'warc-refers-to-target-uri').replace(/^<|>$/g, '');
    const date = headerValue(record.headers, 'warc-refers-to-date').replace(/\D/g, '').slice(0, 14);
    const digest = headerValue(record.headers, 'warc-payload-digest');
    const url = named === '' ? record.url : named;
    const all = this.#index.entries(surtOf(url)).filter(({ mime }) => mime !== REVISIT_MIME);
    const isSame = (entry: CdxjEntry): boolean => digest !== '' && entry.digest === digest;
    return all.find(({ timestamp }) => timestamp === date) ?? all.find(isSame);
  }

  close(): void {
    this.#index.close();
    for (const { descriptor } of this.#files.values()) closeSync(descriptor);
  }

  #read(url: CanonicalUrl, capture: CdxjEntry): RecordedPage | undefined {
    const { record } = this.record(capture);
    if (record.type !== 'revisit') return pageOfRecord(url, record);
    if (headerValue(record.headers, 'warc-profile').endsWith('/server-not-modified')) return undefined;
    const original = this.originalOf(record);
    const page = original && pageOfRecord(url, this.record(original).record);
    return pageOfRecord(url, record, { original: page });
  }

  #open(path: string): OpenFile {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const descriptor = openSync(path, 'r');
    const opened = { descriptor, dictionary: dictionaryOf(path, descriptor) };
    const [oldest] = this.#files.size >= OPEN_FILES ? this.#files.values() : [];
    if (oldest !== undefined) closeSync(oldest.descriptor);
    this.#files.set(path, opened);
    return opened;
  }
}

/** Returns the page in a record. */
export function pageOfRecord(
  url: CanonicalUrl,
  record: WarcRecord,
  repeats?: { readonly original: RecordedPage | undefined },
): RecordedPage {
  const { type, headers, block, missing, date } = record;
  const time = Date.parse(date);
  return recordedPage({
    ...{ url, block, missing, repeats, recordedAt: Number.isNaN(time) ? 0 : time },
    isPart: headerValue(headers, 'warc-segment-number') === '1',
    cutFor: type === 'response' ? headerValue(headers, 'warc-truncated').toLowerCase() : '',
    resourceType: type === 'resource' ? headerValue(headers, 'content-type') : undefined,
  });
}

/** Names the archive of a capture: the file without its folder. */
export function archiveName(capture: CdxjEntry): string {
  return basename(capture.filename);
}

function isPoor({ mime, status }: CdxjEntry): boolean {
  return mime !== REVISIT_MIME && isPoorStatus(Number(status));
}

function distance({ timestamp }: CdxjEntry, at: number): number {
  const time = timeOf(timestamp);
  return at === Number.POSITIVE_INFINITY ? -time : Math.abs(time - at);
}

function bare(address: string): string {
  return address.replace(/^https?:\/\/(?:www\d*\.)?/i, '').replace(/\/$/, '');
}

function isSelfRedirect({ url, status, headers }: RecordedPage): boolean {
  const target = status >= 300 && status < 400 ? headerValue(headers, 'location') : '';
  return target !== '' && canonicalize(target, url) === url;
}
