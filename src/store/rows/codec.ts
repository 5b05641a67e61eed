import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

const FRAME = { params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 } };
/** Compresses bytes into a zstd frame. */
export function packBytes(bytes: Uint8Array): Buffer {
  return zstdCompressSync(bytes, FRAME);
}

export function unpackBytes(blob: Uint8Array): Buffer {
  return zstdDecompressSync(blob);
}

/** Returns a simhash's two halves as 16 hex digits. */
export function simhashText([high, low]: readonly [number, number]): string {
  return hex32(high) + hex32(low);
}

export function parseSimhash(text: string): readonly [number, number] {
  return [Number.parseInt(text.slice(0, 8), 16), Number.parseInt(text.slice(8), 16)];
}

function hex32(n: number): string {
  return (n >>> 0).toString(16).padStart(8, '0');
}
