import { UnreadableFileError } from '../core/index.ts';

/** Kind and place of the damage in a WARC file. */
export interface WarcDamage {
  readonly code: 'WARC_TRUNCATED' | 'WARC_DAMAGED' | 'WARC_INVALID' | 'WARC_TOO_LARGE' | 'WARC_DICTIONARY';
  readonly file: string;
  /** Byte offset in the file where the first unreadable record begins. */
  readonly offset: number;
  /** Number of records before it, all of them intact. */
  readonly records: number;
  readonly reason: string;
  readonly cause?: unknown;
}

/** Thrown for a WARC file that is cut short, damaged, or not a WARC file. */
export class WarcError extends UnreadableFileError {
  readonly file: string;
  readonly offset: number;
  readonly records: number;

  constructor(damage: WarcDamage) {
    const good = damage.records === 1 ? '1 record before it is good' : `${damage.records} records before it are good`;
    super({
      code: damage.code,
      message: `${damage.file}: ${damage.reason} at byte ${damage.offset}; ${good}.`,
      hint: HINTS[damage.code],
      cause: damage.cause,
    });
    this.file = damage.file;
    this.offset = damage.offset;
    this.records = damage.records;
  }
}

const HINTS: Record<WarcDamage['code'], string> = {
  WARC_TRUNCATED:
    'Fetch the file again; a recording of your own is mended by the next run of bingo crawl DIR --warc FILE. To go on with its good records alone: --skip-damaged',
  WARC_DAMAGED: 'Fetch the file again. To go on with its good records alone: --skip-damaged',
  WARC_TOO_LARGE:
    'A file that was packed as one: unpack it (gunzip, zstd -d) and name the .warc that comes of it. To go on with all records but these: --skip-damaged',
  WARC_INVALID:
    'Name a WARC file: plain, or compressed with one gzip member, or zstd frame, a record. A .wacz file is a zip that holds some: unzip it.',
  WARC_DICTIONARY: 'Fetch the file again: no record can be read without its dictionary.',
};
