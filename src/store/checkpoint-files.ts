import { createHash, type Hash } from 'node:crypto';
import { copyFile, type FileHandle, link, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { OrderingName } from '../core/index.ts';
import type { Piece } from '../kit/index.ts';

/** Header of a checkpoint file. */
interface Header {
  readonly sequence: number;
  readonly record: string;
  readonly ordering: OrderingName;
  readonly basis: string;
}

interface Head extends Header {
  readonly program: string;
  /** Number of pieces, and a digest of their kinds, lengths and checksums. */
  readonly pieces: number;
  readonly digest: string;
}

/** A checkpoint file that was read to its end. */
export type CheckedFile =
  | { readonly name: string; readonly header: Header; readonly isOfThisProgram: boolean; readonly damage?: undefined }
  | { readonly name: string; readonly damage: string };

/** Checkpoints of a crawl, wherever they are kept. */
export interface Checkpoints {
  /** Returns checkpoints of this program with an intact header, newest first. */
  list(): Promise<readonly { readonly header: Header; read(): AsyncIterable<Piece> }[]>;
  begin(): Promise<Pick<Draft, 'add' | 'keep' | 'drop'>>;
}

const NAME = /^checkpoint-(\d{12})$/;
const DRAFT = 'checkpoint-draft';
const MAGIC = 'bingo checkpoint\n';
/** Bytes reserved at the start of the file for the JSON header. */
const HEAD_BYTES = 4096;
/** Bytes before each piece: its kind, length and checksum. */
const FRAME_BYTES = 9;
const BLOCK_BYTES = 1 << 20;
/** Number of checkpoints kept; older ones are deleted. */
const KEPT = 2;

/**
 * Checkpoints of the folded state, as files beside the store. A name is `checkpoint-` and the sequence of the last
 * record.
 *
 *   head: magic, JSON, blanks | kind length checksum bytes | kind length checksum bytes | …
 *
 * Files, not a table: a checkpoint is large, is written and read from end to end, and can be lost without harm. A
 * table would write it twice (log and database), block the journal's writer, and differ between SQLite and MariaDB.
 */
export class CheckpointFiles implements Checkpoints {
  readonly #dir: string;
  readonly #program: string;

  /** @param program version of this program; checkpoints of other versions are ignored */
  constructor(dir: string, program: string) {
    this.#dir = dir;
    this.#program = program;
  }

  /** Returns checkpoints of this program with an intact header, newest first. */
  async list(): Promise<readonly { readonly header: Header; read(): AsyncIterable<Piece> }[]> {
    const found = [];
    for (const name of await namesIn(this.#dir)) {
      const path = join(this.#dir, name);
      const head = await readHead(path).catch(() => undefined);
      if (head?.program === this.#program) found.push({ header: head, read: () => readPieces(path, head) });
    }
    return found;
  }

  /** Reads every checkpoint file to its end, newest first. */
  async *check(): AsyncGenerator<CheckedFile> {
    for (const name of await namesIn(this.#dir)) {
      const path = join(this.#dir, name);
      try {
        const head = await readHead(path);
        if (head === undefined) throw new RangeError('The head is damaged');
        for await (const _ of readPieces(path, head));
        yield { name, header: head, isOfThisProgram: head.program === this.#program };
      } catch (error) {
        yield { name, damage: (error as Error).message };
      }
    }
  }

  async begin(): Promise<Draft> {
    const path = join(this.#dir, DRAFT);
    return new Draft(await open(path, 'w'), this.#program, async (sequence) => {
      await rename(path, join(this.#dir, checkpointName(sequence)));
      for (const old of (await namesIn(this.#dir)).slice(KEPT)) await rm(join(this.#dir, old), { force: true });
    });
  }
}

/**
 * Gives a copy of a store the newest checkpoint of the original: the copy begins with the same records. Checkpoints are
 * never changed, so both folders can have the same file.
 */
export async function copyCheckpoint(from: string, to: string): Promise<void> {
  const newest = (await namesIn(from))[0];
  if (newest === undefined) return;
  const [original, copy] = [join(from, newest), join(to, newest)];
  await link(original, copy).catch(() => copyFile(original, copy));
}

/** Returns the sequence of the last record of the newest checkpoint; 0 if the folder has none. */
export async function newestCheckpoint(dir: string): Promise<number> {
  const [newest = ''] = await namesIn(dir);
  return Number(NAME.exec(newest)?.[1] ?? 0);
}

/** Returns the name of a checkpoint file. */
export function checkpointName(sequence: number): string {
  return `checkpoint-${String(sequence).padStart(12, '0')}`;
}

/** Returns the names of checkpoint files, newest first. */
async function namesIn(dir: string): Promise<string[]> {
  const names = (await readdir(dir)).filter((name) => NAME.test(name));
  return names.sort().reverse();
}

/** A checkpoint while it is being written. */
class Draft {
  readonly #file: FileHandle;
  readonly #program: string;
  readonly #onKept: (sequence: number) => Promise<void>;
  readonly #digest = createHash('sha256');
  #pieces = 0;
  #block: Buffer = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  #used = 0;
  #end = HEAD_BYTES;

  constructor(file: FileHandle, program: string, onKept: (sequence: number) => Promise<void>) {
    this.#file = file;
    this.#program = program;
    this.#onKept = onKept;
  }

  add({ kind, bytes }: Piece): Promise<void> | undefined {
    const frame = frameOf({ kind, bytes });
    this.#digest.update(frame);
    this.#pieces++;
    if (this.#used + frame.length + bytes.length <= this.#block.length) {
      this.#put(frame);
      this.#put(bytes);
      return undefined;
    }
    return this.#addBehind(frame, bytes);
  }

  async keep(header: Header): Promise<void> {
    await this.#flush();
    const head: Head = { ...header, program: this.#program, pieces: this.#pieces, digest: this.#digest.digest('hex') };
    const text = Buffer.alloc(HEAD_BYTES, ' ');
    text.write(MAGIC + JSON.stringify(head));
    // Not synced: the checksums reveal bytes lost in a power failure.
    await this.#file.write(text, 0, HEAD_BYTES, 0);
    await this.#file.close();
    await this.#onKept(header.sequence);
  }

  async drop(): Promise<void> {
    await this.#file.truncate(0);
    await this.#file.close();
  }

  async #addBehind(frame: Buffer, bytes: Uint8Array): Promise<void> {
    await this.#flush();
    if (frame.length + bytes.length <= this.#block.length) {
      this.#put(frame);
      this.#put(bytes);
      return;
    }
    await this.#write(frame);
    await this.#write(bytes);
  }

  #put(bytes: Uint8Array): void {
    this.#block.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  async #flush(): Promise<void> {
    await this.#write(this.#block.subarray(0, this.#used));
    this.#used = 0;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#end);
      at += bytesWritten;
      this.#end += bytesWritten;
    }
  }
}

function frameOf({ kind, bytes }: Piece): Buffer {
  const frame = Buffer.alloc(FRAME_BYTES);
  frame.writeUInt8(kind, 0);
  frame.writeUInt32LE(bytes.length, 1);
  frame.writeUInt32LE(crc32(bytes), 5);
  return frame;
}

async function readHead(path: string): Promise<Head | undefined> {
  const file = await open(path, 'r');
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(bytes, 0, HEAD_BYTES, 0);
    const text = bytes.toString('utf8', 0, bytesRead);
    return text.startsWith(MAGIC) ? (JSON.parse(text.slice(MAGIC.length)) as Head) : undefined;
  } finally {
    await file.close();
  }
}

/** @throws RangeError if the file is damaged or incomplete */
async function* readPieces(path: string, head: Head): AsyncGenerator<Piece> {
  const file = await open(path, 'r');
  const reader = new BlockReader(file, (await file.stat()).size);
  const digest = createHash('sha256');
  try {
    for (let left = head.pieces; left > 0; left--) yield await nextPiece(reader, digest);
    if (digest.digest('hex') !== head.digest) throw new RangeError('The pieces do not match the head');
  } finally {
    await reader.close();
  }
}

async function nextPiece(reader: BlockReader, digest: Hash): Promise<Piece> {
  const frame = Buffer.from(await reader.next(FRAME_BYTES));
  digest.update(frame);
  const bytes = await reader.next(frame.readUInt32LE(1));
  if (crc32(bytes) !== frame.readUInt32LE(5)) throw new RangeError('A damaged piece');
  return { kind: frame.readUInt8(0), bytes };
}

/** Reads a file block by block, from after the header to the end. */
class BlockReader {
  readonly #file: FileHandle;
  readonly #size: number;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = HEAD_BYTES;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Returns the next `length` bytes. The buffer is valid until the next call. */
  async next(length: number): Promise<Buffer> {
    if (this.#at + length > this.#block.length) await this.#fill(length);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  async #fill(length: number): Promise<void> {
    const rest = this.#block.subarray(this.#at);
    // A damaged length can exceed the rest of the file.
    if (length > rest.length + this.#size - this.#end) throw new RangeError('The file ends too early');
    const block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, length));
    rest.copy(block);
    let used = rest.length;
    while (used < length) {
      const { bytesRead } = await this.#file.read(block, used, block.length - used, this.#end);
      if (bytesRead === 0) throw new RangeError('The file ends too early');
      used += bytesRead;
      this.#end += bytesRead;
    }
    this.#block = block.subarray(0, used);
    this.#at = 0;
  }
}
