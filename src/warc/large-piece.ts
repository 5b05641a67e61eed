import { crc32, createInflateRaw, createZstdDecompress, type InflateRaw, type ZstdDecompress } from 'node:zlib';
import { gzipHeaderBytes } from '../kit/index.ts';
import type { FileWindow } from './file-window.ts';
import { packingAt } from './packing.ts';

/** The decompressed beginning of a piece that is too large to keep, and the length of the whole piece. */
export interface PassedPiece {
  readonly kind: 'passed';
  readonly head: Uint8Array;
  /** Bytes, decompressed. */
  readonly size: number;
}

export type Passing = PassedPiece | { readonly kind: 'more' } | { readonly kind: 'damaged'; readonly reason: string };

/** Number of bytes fed to a decoder at once. */
const FEED_BYTES = 256 * 1024;
/**
 * Node.js cannot separate a frame that ends at a chunk boundary from the next frame. Few frames have a multiple of a
 * prime length.
 */
const CHUNK_BYTES = 65_521;
const TRAILER_BYTES = 8;
const MARK_BYTES = 4;

/**
 * Decompresses the gzip member or zstd frame at the window's start step by step, and moves the window behind it.
 * Memory use: the kept bytes and the window.
 * @param keep - maximum length of `head`, in bytes
 */
export async function passPiece(
  window: FileWindow,
  dictionary: Uint8Array | undefined,
  keep: number,
): Promise<Passing> {
  const isGzip = packingAt(window.bytes) === 'gzip member';
  if (isGzip) window.drop(gzipHeaderBytes(window.bytes) ?? 0);
  const decoder = isGzip
    ? createInflateRaw({ chunkSize: CHUNK_BYTES })
    : createZstdDecompress({ chunkSize: CHUNK_BYTES, ...(dictionary && { dictionary }) });
  const seen = { head: [] as Uint8Array[], kept: 0, size: 0, crc: 0 };
  decoder.on('data', (data: Buffer) => {
    if (seen.kept < keep) seen.head.push(data.subarray(0, keep - seen.kept));
    seen.kept = Math.min(keep, seen.kept + data.length);
    seen.size += data.length;
    if (isGzip) seen.crc = crc32(data, seen.crc);
  });
  const end = await feed(decoder, window);
  if (end.kind !== 'end') return end;
  if (isGzip) {
    if (window.bytes.length < TRAILER_BYTES) await window.grow();
    if (window.bytes.length < TRAILER_BYTES) return { kind: 'more' };
    const trailer = Buffer.from(window.bytes.subarray(0, TRAILER_BYTES));
    window.drop(TRAILER_BYTES);
    if (trailer.readUInt32LE(0) !== seen.crc) return { kind: 'damaged', reason: 'wrong checksum' };
    if (trailer.readUInt32LE(4) !== seen.size % 2 ** 32) return { kind: 'damaged', reason: 'wrong size' };
  }
  return { kind: 'passed', head: Buffer.concat(seen.head), size: seen.size };
}

type End = { readonly kind: 'end' } | Exclude<Passing, PassedPiece>;

/** Drops the bytes that the decoder has consumed from the window; at the end of the piece, fewer than it was fed. */
function feed(decoder: InflateRaw | ZstdDecompress, window: FileWindow): Promise<End> {
  return new Promise((resolve, reject) => {
    let dropped = 0;
    const isFrame = packingAt(window.bytes) === 'zstd frame';
    const drop = (): void => {
      window.drop(decoder.bytesWritten - dropped);
      dropped = decoder.bytesWritten;
    };
    const settle = (end: End): void => {
      drop();
      decoder.destroy();
      resolve(end);
    };
    decoder.on('end', () => settle({ kind: 'end' }));
    decoder.on('error', (error: NodeJS.ErrnoException) =>
      settle(error.code === 'Z_BUF_ERROR' ? { kind: 'more' } : { kind: 'damaged', reason: error.message }),
    );
    const next = async (isFirst = false): Promise<void> => {
      drop();
      if (window.bytes.length < MARK_BYTES) await window.grow();
      // For a frame that ended exactly at the last bytes: the decoder would start with the next frame.
      const isOver = !isFirst && isFrame && packingAt(window.bytes) === 'zstd frame';
      if (isOver || window.bytes.length === 0) return void decoder.end();
      const given = window.bytes.subarray(0, FEED_BYTES);
      decoder.write(given, () => {
        const isRead = decoder.bytesWritten - dropped === given.length;
        if (isRead && !decoder.destroyed) next().catch(reject);
      });
    };
    next(true).catch(reject);
  });
}
