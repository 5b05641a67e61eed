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
    const good =
      damage.records === 1 ? '1 record before it is intact' : `${damage.records} records before it are intact`;
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
    'Fetch the file again. Your own recording is repaired by the next bingo crawl DIR --warc FILE. To read only the intact records: --skip-damaged',
  WARC_DAMAGED: 'Fetch the file again. To read only the intact records: --skip-damaged',
  WARC_TOO_LARGE:
    'Compressed as a whole? Decompress the file (gunzip, zstd -d) and name the resulting .warc. To skip these records: --skip-damaged',
  WARC_INVALID:
    'Name a WARC file: uncompressed, or with one gzip member or zstd frame per record. A .wacz file is read by bingo init DIR --archive FILE; for other commands, unzip it.',
  WARC_DICTIONARY: 'Fetch the file again: its records cannot be read without the dictionary.',
};
