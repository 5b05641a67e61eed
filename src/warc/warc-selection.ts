import { closeSync, openSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { CanonicalUrl } from '../core/index.ts';
import type { CdxjEntry } from './cdxj.ts';
import { writeAll } from './line-sorter.ts';
import { unpacked } from './warc.ts';
import type { WarcArchive } from './warc-archive.ts';
import { infoRecord } from './warc-records.ts';

/** A record that was added, or was there already. */
export interface SelectedRecord {
  readonly capture: CdxjEntry;
  /** The HTTP message; for a repeated body that of the original record. */
  readonly block: Uint8Array;
}

/** Copies chosen records of an archive into a WARC file, each once, with one gzip member per record. */
export class WarcSelection {
  readonly #archive: WarcArchive;
  readonly #file: number;
  readonly #written = new Set<string>();

  /** @param path the file to write */
  constructor(archive: WarcArchive, path: string, software: string) {
    this.#archive = archive;
    this.#file = openSync(path, 'w');
    const info = { software, userAgent: '', contact: '', obeysRobots: true };
    writeAll(this.#file, gzipSync(infoRecord(info, Date.now()).record));
  }

  /**
   * Adds the best capture of a URL, and the record that it repeats; `undefined` if the archive lacks it.
   * @param at ms since 1970: the closest capture counts
   */
  add(url: CanonicalUrl, at: number): SelectedRecord | undefined {
    const [capture] = this.#archive.capturesOf(url, at);
    if (capture === undefined) return undefined;
    const { record } = this.#copy(capture);
    if (record.type !== 'revisit') return { capture, block: record.block };
    const original = this.#archive.originalOf(record);
    return { capture, block: original === undefined ? record.block : this.#copy(original).record.block };
  }

  close(): void {
    closeSync(this.#file);
  }

  #copy(capture: CdxjEntry): ReturnType<WarcArchive['record']> {
    const found = this.#archive.record(capture);
    const place = `${capture.filename} ${capture.offset}`;
    if (this.#written.has(place)) return found;
    this.#written.add(place);
    const isGzip = found.bytes[0] === 0x1f;
    writeAll(this.#file, isGzip ? found.bytes : gzipSync(unpacked(found.bytes, found.dictionary) ?? found.bytes));
    return found;
  }
}
