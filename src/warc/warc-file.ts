import { closeSync, constants, fstatSync, ftruncateSync, openSync, type Stats, writeSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { BingoError } from '../core/index.ts';
import { LruMap } from '../kit/index.ts';
import type { Recording, RenderedRecording } from './recording.ts';
import { findWarcEnd } from './warc-end.ts';
import {
  exchangeRecords,
  infoRecord,
  type KnownPayload,
  rememberPayload,
  renderedRecord,
  type WarcInfo,
} from './warc-records.ts';

/** Responses to which the record of a rendered page can refer. More than the fetches that run at the same time. */
const RECENT_RESPONSES = 10_000;

/**
 * A WARC 1.1 file written record by record; each is a separate gzip member if the name ends in `.gz`. Existing
 * records are kept and new ones appended. A record that was cut off at the end is removed first.
 */
export class WarcFile {
  readonly #path: string;
  readonly #file: number;
  readonly #isCompressed: boolean;
  readonly #payloads: Map<string, KnownPayload>;
  readonly #infoId: string;
  /** Record ids of the last responses, by URL. */
  readonly #responses = new LruMap<string, string>(RECENT_RESPONSES);
  #end: number;
  /** Bytes of a cut record that were removed when the file was opened. */
  readonly repaired: number;

  /** @throws BingoError `WARC_UNWRITABLE`, `WARC_FOREIGN` */
  constructor(path: string, info: WarcInfo, now: number) {
    this.#path = path;
    this.#isCompressed = path.toLowerCase().endsWith('.gz');
    // Not in append mode: a cut record at the end is overwritten.
    this.#file = attempt(path, () => openSync(path, constants.O_RDWR | constants.O_CREAT, 0o644));
    const { size } = attempt(path, () => fileFacts(this.#file));
    const none = { end: 0, payloads: new Map<string, KnownPayload>() };
    const found = size === 0 ? none : attempt(path, () => findWarcEnd(this.#file, size, this.#isCompressed));
    if (found === undefined) {
      closeSync(this.#file);
      throw foreign(path);
    }
    this.#payloads = found.payloads;
    this.#end = found.end;
    this.repaired = size - found.end;
    if (this.repaired > 0) attempt(path, () => ftruncateSync(this.#file, found.end));
    const { id, record } = infoRecord(info, now);
    this.#infoId = id;
    this.#append([record]);
  }

  /** Length of the file in bytes. */
  get bytes(): number {
    return this.#end;
  }

  /**
   * Writes one exchange. Returns true if it became a `revisit` record.
   * @throws BingoError `WARC_UNWRITABLE`; the file still ends with a complete record
   */
  write(recording: Recording): boolean {
    const made = exchangeRecords(recording, this.#infoId, (digest) => this.#payloads.get(digest));
    this.#append(made.records);
    this.#responses.set(recording.url, made.id);
    if (made.payload !== undefined) rememberPayload(this.#payloads, made.digest, made.payload);
    return made.isRevisit;
  }

  /**
   * Writes a rendered page as a record that refers to its response.
   * @throws BingoError `WARC_UNWRITABLE`; the file still ends with a complete record
   */
  writeRendered(page: RenderedRecording): void {
    this.#append([renderedRecord(page, this.#infoId, this.#responses.get(page.url))]);
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(records: readonly Buffer[]): void {
    const bytes = Buffer.concat(this.#isCompressed ? records.map((record) => gzipSync(record)) : records);
    const { size } = attempt(this.#path, () => fstatSync(this.#file));
    if (size !== this.#end) throw unwritable(this.#path, trouble('EBUSY', 'another process changes the file'));
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at, bytes.length - at, this.#end + at);
    } catch (cause) {
      this.#cutBack();
      throw unwritable(this.#path, cause as Error);
    }
    this.#end += bytes.length;
  }

  /** Removes a half-written record: a file can be shortened even on a full disk. */
  #cutBack(): void {
    try {
      ftruncateSync(this.#file, this.#end);
    } catch {
      // The next run detects the cut record and repairs the file.
    }
  }
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unwritable(path, cause as Error);
  }
}

/** Requires a regular file, because a continued recording must read it again. */
function fileFacts(file: number): Stats {
  const facts = fstatSync(file);
  if (!facts.isFile()) throw trouble('ENXIO', 'it is not a file');
  return facts;
}

function trouble(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

const NOT_ALLOWED = 'Writing there is not permitted: check the permissions, or name another file.';
const HINTS: Readonly<Record<string, string>> = {
  EISDIR: 'It is a folder: name a file in it.',
  ENOENT: 'Its folder does not exist: create it, or name another file.',
  ENOTDIR: 'A part of the path is a file, not a folder: name another file.',
  ...{ EACCES: NOT_ALLOWED, EPERM: NOT_ALLOWED, EROFS: NOT_ALLOWED },
  EBUSY:
    'Another crawl may be recording into it: wait until it ends, or name another file. Everything recorded so far is kept.',
  ENXIO: 'Name a file: devices and pipes are not supported.',
};
const FULL =
  'Free disk space or name another file, then run the same command again. Everything recorded so far is kept.';

function unwritable(path: string, cause: NodeJS.ErrnoException): BingoError {
  return new BingoError({
    code: 'WARC_UNWRITABLE',
    message: `Cannot write the recording ${path}: ${cause.message}`,
    hint: HINTS[cause.code ?? ''] ?? FULL,
    cause,
  });
}

function foreign(path: string): BingoError {
  return new BingoError({
    code: 'WARC_FOREIGN',
    message: `${path} exists, but is damaged or holds no WARC records. It was not changed.`,
    hint: 'Name another file for the recording.',
  });
}
