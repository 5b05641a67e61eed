import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { OrderingName } from '../core/index.ts';
import type { Piece } from '../kit/index.ts';

/** What a checkpoint was made from. */
interface Header {
  readonly sequence: number;
  readonly record: string;
  readonly ordering: OrderingName;
  readonly basis: string;
}

interface Head extends Header {
  readonly program: string;
  /** Pieces, and the digest of their kinds, lengths and checksums. */
  readonly pieces: number;
  readonly digest: string;
}

const NAME = /^checkpoint-(\d{12})$/;
const DRAFT = 'checkpoint-draft';
const MAGIC = 'bingo checkpoint\n';
/** The head, as JSON, has this much room at the beginning. */
const HEAD_BYTES = 4096;
/** Of a piece: kind, length and checksum before its bytes. */
const FRAME_BYTES = 9;
const BLOCK_BYTES = 1 << 20;
/** The newest ones are kept. */
const KEPT = 2;

/**
 * Checkpoints of the folded state as files beside the store: `checkpoint-`, then the sequence of the last record.
 *
 *   head: magic, JSON, blanks | kind length checksum bytes | kind length checksum bytes | …
 *
 * Files, not a table: a checkpoint is large, written and read from end to end, and lost without harm. A table would write it twice
 * (log and database), hold up the journal's writer, and differ between SQLite and MariaDB.
 */
export class CheckpointFiles {
  readonly #dir: string;
  readonly #program: string;

  /** @param program its version: a checkpoint of another one is ignored */
  constructor(dir: string, program: string) {
    this.#dir = dir;
    this.#program = program;
  }

  /** Those with a whole head, of this program, the newest first. */
  async list(): Promise<readonly { readonly header: Header; read(): AsyncIterable<Piece> }[]> {
    const found = [];
    for (const name of await this.#names()) {
      const path = join(this.#dir, name);
      const head = await readHead(path).catch(() => undefined);
      if (head?.program === this.#program) found.push({ header: head, read: () => readPieces(path, head) });
    }
    return found;
  }

  async begin(): Promise<Draft> {
    const path = join(this.#dir, DRAFT);
    return new Draft(await open(path, 'w'), this.#program, async (sequence) => {
      await rename(path, join(this.#dir, `checkpoint-${String(sequence).padStart(12, '0')}`));
      for (const old of (await this.#names()).slice(KEPT)) await rm(join(this.#dir, old), { force: true });
    });
  }

  /** The newest first. */
  async #names(): Promise<string[]> {
    const names = (await readdir(this.#dir)).filter((name) => NAME.test(name));
    return names.sort().reverse();
  }
}

/** A checkpoint that is being written. */
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
    // Not synced: what a loss of power takes shows when it is read.
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

/** @throws RangeError if it is damaged, or a part is missing */
async function* readPieces(path: string, head: Head): AsyncGenerator<Piece> {
  const file = await open(path, 'r');
  const reader = new BlockReader(file, (await file.stat()).size);
  const digest = createHash('sha256');
  try {
    for (let left = head.pieces; left > 0; left--) yield await nextPiece(reader, digest);
    if (digest.digest('hex') !== head.digest) throw new RangeError('Not the pieces that the head tells of');
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

/** Reads a file from behind the head to its end, a block at a time. */
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

  /** Valid until the next call. */
  async next(length: number): Promise<Buffer> {
    if (this.#at + length > this.#block.length) await this.#fill(length);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  async #fill(length: number): Promise<void> {
    const rest = this.#block.subarray(this.#at);
    // A damaged length asks for more than there is.
    if (length > rest.length + this.#size - this.#end) throw new RangeError('It ends too early');
    const block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, length));
    rest.copy(block);
    let used = rest.length;
    while (used < length) {
      const { bytesRead } = await this.#file.read(block, used, block.length - used, this.#end);
      if (bytesRead === 0) throw new RangeError('It ends too early');
      used += bytesRead;
      this.#end += bytesRead;
    }
    this.#block = block.subarray(0, used);
    this.#at = 0;
  }
}
