import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { BingoError, type CanonicalUrl, hostOf, UnreadableFileError } from '../../core/index.ts';
import { LruMap } from '../../kit/index.ts';
import {
  dictionaryOf,
  type ReadWarcOptions,
  type RecordedPage,
  readWarc,
  recordAt,
  recordedPage,
} from '../../warc/index.ts';
import { type Entry, PageIndex, type Place } from './page-index.ts';

/** A response in the archive. */
export type FrozenPage = RecordedPage;

export interface OpenWebOptions extends ReadWarcOptions {
  /** Decoded pages kept in memory, in bytes. Default: 64 MiB. */
  readonly cacheBytes?: number;
}

const CACHE_BYTES = 64 * 1024 * 1024;

/** Returns the name of the frozen web in a WARC file. */
export function webName(path: string): string {
  return basename(path).replace(/\.warc(\.gz|\.zst)?$/i, '');
}

/**
 * The web of a WARC file: pages by canonical URL, read from the file on demand. Of several records of one URL, the
 * first proper response counts. Memory: an index entry per page and a bounded cache.
 */
export class FrozenWeb {
  readonly path: string;
  /** The file's name without `.warc.gz`. */
  readonly name: string;
  readonly #file: number;
  readonly #dictionary: Uint8Array | undefined;
  readonly #index: PageIndex;
  readonly #entries: ReadonlyMap<CanonicalUrl, Entry>;
  readonly #cache: LruMap<CanonicalUrl, FrozenPage>;

  /**
   * Reads the whole file once and indexes it.
   * @throws WarcError if the file is truncated or damaged and `onDamage` is missing, or if it is not a WARC file
   * @throws UnreadableFileError `WARC_EMPTY` if it contains no page
   */
  static async open(path: string, options: OpenWebOptions = {}): Promise<FrozenWeb> {
    const index = new PageIndex();
    for await (const record of readWarc(path, options)) index.add(record);
    if (index.pages.size === 0)
      throw new UnreadableFileError({
        code: 'WARC_EMPTY',
        message: `${path} has no page: no response record with an http(s) URL.`,
        hint: 'Name a WARC file with response records. Crawlers and `wget --warc-file` write such files.',
      });
    return new FrozenWeb(path, index, options.cacheBytes ?? CACHE_BYTES);
  }

  private constructor(path: string, index: PageIndex, cacheBytes: number) {
    this.path = path;
    this.name = webName(path);
    this.#file = openSync(path, 'r');
    this.#dictionary = dictionaryOf(path, this.#file);
    this.#index = index;
    this.#entries = index.pages;
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

  /** Hosts (with their port, if any), sorted. */
  hosts(): readonly string[] {
    return [...new Set([...this.#entries.keys()].map(hostOf))].sort();
  }

  /** Returns the URL as written in the archive and its labels; unknown URLs stay unchanged. */
  spelling(url: CanonicalUrl): string {
    return this.#entries.get(url)?.spelling ?? url;
  }

  /**
   * Returns the page of a URL, `undefined` if missing.
   * @throws BingoError `WARC_CHANGED` if the file has changed since it was opened
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
    const { url, recordedAt, place, cutFor, segments } = entry;
    const missing = 'missing' in place ? place.missing : 0;
    const isPart = segments?.isWhole === false;
    const blocks = [place, ...(segments?.places ?? [])].map((part) => this.#block(part));
    const block = blocks.length === 1 ? blocks[0]! : Buffer.concat(blocks);
    const repeats = entry.repeats && { original: this.#original(entry.repeats) };
    return recordedPage({
      ...{ url, recordedAt, block, missing, isPart, cutFor, repeats },
      resourceType: entry.resourceType,
    });
  }

  #original(referred: NonNullable<Entry['repeats']>): FrozenPage | undefined {
    const original = this.#index.originalOf(referred);
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
      message: `${this.path}: the record at byte ${place.offset} is gone.`,
      hint: 'The file has changed meanwhile. Run the same command again.',
    });
  }
}

/** Returns size and modification time of a file, to check whether a cache is still valid. */
export function fileStamp(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size}-${Math.round(mtimeMs)}`;
}
