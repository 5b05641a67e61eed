import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { BingoError } from '../core/index.ts';

/** A member of a zip file as written. */
export interface ZipMember {
  readonly name: string;
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
}

interface Listed extends ZipMember {
  readonly crc: number;
  /** Offset of its local header. */
  readonly at: number;
}

/** Greater numbers need the fields of zip64 (APPNOTE 4.3.9). */
const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;
/** Names are UTF-8 (APPNOTE 4.4.4). */
const FLAGS = 0x0800;
/** 1980-01-01: the same content gives the same bytes. */
const DOS_DATE = 0x0021;
const VERSION = 45;

/**
 * Writes a zip file whose members are stored without compression, so that readers can request parts of them. The file
 * appears under its name once it is complete.
 */
export class ZipWriter {
  readonly #path: string;
  readonly #making: string;
  readonly #file: FileHandle;
  readonly #members: Listed[] = [];
  #end = 0;

  /** @throws BingoError `WACZ_UNWRITABLE` */
  static async open(path: string): Promise<ZipWriter> {
    const making = `${path}.making-${process.pid}`;
    const file = await open(making, 'w').catch((cause: Error) => {
      throw unwritable(path, cause);
    });
    return new ZipWriter(path, making, file);
  }

  private constructor(path: string, making: string, file: FileHandle) {
    this.#path = path;
    this.#making = making;
    this.#file = file;
  }

  /** Bytes written so far. */
  get bytes(): number {
    return this.#end;
  }

  /**
   * Adds a member.
   * @param expected its size if it may be 4 GiB or more: the header needs another form then
   * @throws BingoError `WACZ_UNWRITABLE`
   */
  async add(name: string, content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, expected = 0): Promise<ZipMember> {
    const isLarge = expected >= MAX_32;
    const at = this.#end;
    const hash = createHash('sha256');
    let [bytes, crc] = [0, 0];
    // The sizes are known at the end: the header is written twice.
    await this.#write(localHeader({ name, bytes, crc, at, sha256: '' }, isLarge));
    for await (const piece of content) {
      hash.update(piece);
      crc = crc32(piece, crc);
      bytes += piece.length;
      await this.#write(piece);
    }
    const member: Listed = { name, bytes, crc, at, sha256: hash.digest('hex') };
    if (bytes >= MAX_32 && !isLarge) throw unwritable(this.#path, new Error(`${name} has 4 GiB or more`));
    const header = localHeader(member, isLarge);
    await this.#attempt(() => this.#file.write(header, 0, header.length, at));
    this.#members.push(member);
    return member;
  }

  /** Writes the directory, and gives the file its name. @throws BingoError `WACZ_UNWRITABLE` */
  async finish(): Promise<void> {
    const start = this.#end;
    for (const member of this.#members) await this.#write(directoryEntry(member));
    await this.#write(endRecords(this.#members.length, start, this.#end - start));
    await this.#attempt(async () => {
      await this.#file.sync();
      await this.#file.close();
      await rename(this.#making, this.#path);
    });
  }

  /** Removes the incomplete file. */
  async drop(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(this.#making, { force: true });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#attempt(() => this.#file.writev([bytes], this.#end));
    this.#end += bytes.length;
  }

  async #attempt(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      throw unwritable(this.#path, cause as Error);
    }
  }
}

/**
 * Returns the header before a member. It has an extra field only if that of the directory has one, too: ReplayWeb.page
 * does not look for it otherwise.
 */
function localHeader(member: Listed, isLarge: boolean): Buffer {
  const { name, bytes } = member;
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(0x04034b50, 0);
  const extra = isLarge ? zip64Field([bytes, bytes]) : Buffer.alloc(0);
  return Buffer.concat([signature, factsOf(member, isLarge ? MAX_32 : bytes, extra), Buffer.from(name), extra]);
}

function directoryEntry(member: Listed): Buffer {
  const { name, bytes, at } = member;
  const large = [...(bytes >= MAX_32 ? [bytes, bytes] : []), ...(at >= MAX_32 ? [at] : [])];
  const extra = large.length === 0 ? Buffer.alloc(0) : zip64Field(large);
  const before = Buffer.alloc(6);
  before.writeUInt32LE(0x02014b50, 0);
  before.writeUInt16LE(VERSION, 4);
  const after = Buffer.alloc(14);
  after.writeUInt32LE(Math.min(at, MAX_32), 10);
  const facts = factsOf(member, Math.min(bytes, MAX_32), extra);
  return Buffer.concat([before, facts, after, Buffer.from(name), extra]);
}

/** Returns the fields that a member's header and its entry in the directory share. */
function factsOf({ name, crc }: Listed, size: number, extra: Buffer): Buffer {
  const facts = Buffer.alloc(26);
  facts.writeUInt16LE(VERSION, 0);
  facts.writeUInt16LE(FLAGS, 2);
  facts.writeUInt16LE(DOS_DATE, 8);
  facts.writeUInt32LE(crc, 10);
  facts.writeUInt32LE(size, 14);
  facts.writeUInt32LE(size, 18);
  facts.writeUInt16LE(Buffer.byteLength(name), 22);
  facts.writeUInt16LE(extra.length, 24);
  return facts;
}

function zip64Field(numbers: readonly number[]): Buffer {
  const field = Buffer.alloc(4 + 8 * numbers.length);
  field.writeUInt16LE(1, 0);
  field.writeUInt16LE(8 * numbers.length, 2);
  for (const [i, number] of numbers.entries()) field.writeBigUInt64LE(BigInt(number), 4 + 8 * i);
  return field;
}

function endRecords(count: number, start: number, size: number): Buffer {
  const isLarge = count >= MAX_16 || start >= MAX_32 || size >= MAX_32;
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, MAX_16), 8);
  end.writeUInt16LE(Math.min(count, MAX_16), 10);
  end.writeUInt32LE(Math.min(size, MAX_32), 12);
  end.writeUInt32LE(Math.min(start, MAX_32), 16);
  return isLarge ? Buffer.concat([zip64Records(count, start, size), end]) : end;
}

function zip64Records(count: number, start: number, size: number): Buffer {
  const records = Buffer.alloc(56 + 20);
  records.writeUInt32LE(0x06064b50, 0);
  records.writeBigUInt64LE(44n, 4);
  records.writeUInt16LE(VERSION, 12);
  records.writeUInt16LE(VERSION, 14);
  records.writeBigUInt64LE(BigInt(count), 24);
  records.writeBigUInt64LE(BigInt(count), 32);
  records.writeBigUInt64LE(BigInt(size), 40);
  records.writeBigUInt64LE(BigInt(start), 48);
  records.writeUInt32LE(0x07064b50, 56);
  records.writeBigUInt64LE(BigInt(start + size), 64);
  records.writeUInt32LE(1, 72);
  return records;
}

function unwritable(path: string, cause: NodeJS.ErrnoException): BingoError {
  return new BingoError({
    code: 'WACZ_UNWRITABLE',
    message: `Cannot write ${path}: ${cause.message}`,
    hint: 'Check the folder, its permissions and the free disk space, or name another file.',
    cause,
  });
}
