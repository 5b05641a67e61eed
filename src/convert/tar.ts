import { isTar } from '../analyze/index.ts';
import { ConversionError } from './outcome.ts';

const BLOCK_BYTES = 512;
/** Fields of a header that are read, as first byte and the one behind the last (POSIX.1-2024, `pax`: ustar interchange format). */
const NAME = [0, 100] as const;
const SIZE = [124, 136] as const;
const CHECKSUM = [148, 156] as const;
const TYPE = 156;
const VERSION = 262;
const PREFIX = [345, 500] as const;
/** Types whose content is a file's. */
const FILES = '0\x007';
/** The content is headers, or the name, of the entry behind it. */
const EXTENDED = 'x';
const GNU_LONG_NAME = 'L';
/** Set in a size that is written in binary and not in octal digits. */
const BINARY = 0x80;
const PAX_RECORD = /^(\d+) ([^=]+)=/;

interface Header {
  readonly name: string;
  readonly size: number;
  readonly type: string;
}

/** What an entry says of the one behind it, for which its own header is too narrow. */
interface Ahead {
  readonly name?: string | undefined;
  readonly size?: number | undefined;
}

/**
 * The files of a tar archive by their names: ustar, pax and GNU's format. Nothing is copied. An archive that is cut short has the
 * files that are whole. Of several files of one name the last one counts, as when it is unpacked.
 * @throws ConversionError `damaged` when not even the first header can be read
 */
export function readTar(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  let ahead: Ahead = {};
  for (let at = 0; at + BLOCK_BYTES <= bytes.length; ) {
    const header = readHeader(bytes.subarray(at, at + BLOCK_BYTES));
    if (header === undefined) {
      if (at === 0) throw new ConversionError('damaged', 'no readable header in the tar archive');
      break;
    }
    const { type } = header;
    const size = ahead.size ?? header.size;
    const from = at + BLOCK_BYTES;
    if (from + size > bytes.length) break;
    const content = bytes.subarray(from, from + size);
    if (type === EXTENDED) ahead = { ...ahead, ...paxRecords(content) };
    else if (type === GNU_LONG_NAME) ahead = { ...ahead, name: text(content, [0, size]) };
    else {
      if (FILES.includes(type)) files.set(ahead.name ?? header.name, content);
      ahead = {};
    }
    at = from + BLOCK_BYTES * Math.ceil(size / BLOCK_BYTES);
  }
  return files;
}

/** `undefined` for the zeros at the end, and for what is no header. */
function readHeader(block: Uint8Array): Header | undefined {
  const size = sizeOf(block);
  if (size === undefined || Number.parseInt(text(block, CHECKSUM), 8) !== checksumOf(block)) return undefined;
  // GNU's older format ends its mark with blanks, and has times where ustar has the beginning of a long name.
  const prefix = isTar(block) && block[VERSION] === 0 ? text(block, PREFIX) : '';
  const name = text(block, NAME);
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, type: String.fromCharCode(block[TYPE]!) };
}

function sizeOf(block: Uint8Array): number | undefined {
  const [from, to] = SIZE;
  let size: number;
  if ((block[from]! & BINARY) !== 0) {
    size = block[from]! & ~BINARY;
    for (let i = from + 1; i < to; i++) size = 256 * size + block[i]!;
  } else {
    size = Number.parseInt(text(block, SIZE), 8);
  }
  return Number.isSafeInteger(size) ? size : undefined;
}

/** The sum of a header's bytes, with blanks for the field that holds it. */
function checksumOf(block: Uint8Array): number {
  const [from, to] = CHECKSUM;
  return block.reduce((sum, byte, i) => sum + (i >= from && i < to ? 0x20 : byte), 0);
}

/** Name and size among the records of an extended header, each `length key=value` and a line feed. */
function paxRecords(content: Uint8Array): Ahead {
  const found = new Map<string, string>();
  for (let at = 0; at < content.length; ) {
    const start = Buffer.from(content.subarray(at, at + 100)).toString('latin1');
    const record = PAX_RECORD.exec(start);
    const length = Number(record?.[1]);
    if (record === null || length <= record[0].length || at + length > content.length) break;
    found.set(record[2]!, text(content, [at + record[0].length, at + length - 1]));
    at += length;
  }
  const size = Number(found.get('size') ?? Number.NaN);
  return { name: found.get('path'), size: Number.isSafeInteger(size) && size >= 0 ? size : undefined };
}

/** A field's text, up to its first NUL. */
function text(bytes: Uint8Array, [from, to]: readonly [number, number]): string {
  const field = bytes.subarray(from, to);
  const end = field.indexOf(0);
  return Buffer.from(end < 0 ? field : field.subarray(0, end)).toString('utf8');
}
