import { crc32, inflateRawSync } from 'node:zlib';

/** One decoded gzip member, or the reason for a failure: `more` bytes are needed, or it is damaged. */
export type GzipMember =
  | { readonly kind: 'member'; readonly data: Uint8Array; readonly length: number }
  | { readonly kind: 'more' }
  | { readonly kind: 'damaged'; readonly reason: string; readonly isTooLarge?: true };

/** Maximum inflated size of a member, in bytes. */
const MAX_MEMBER_BYTES = 512 * 1024 * 1024;

const FLAG = { headerCrc: 2, extra: 4, name: 8, comment: 16 } as const;
const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;

/** Returns true if a gzip member may start at `at`. */
export function isGzip(bytes: Uint8Array, at = 0): boolean {
  return bytes[at] === 0x1f && bytes[at + 1] === 0x8b && bytes[at + 2] === 8;
}

/**
 * Decodes the gzip member at the start of `bytes` (RFC 1952) and returns its compressed length, which `node:zlib`'s
 * gunzip does not report. The length makes single records of a WARC addressable. Verifies checksum and size.
 * @param maxBytes a member that inflates beyond this is `damaged`, and `isTooLarge`
 */
export function readGzipMember(bytes: Uint8Array, maxBytes: number = MAX_MEMBER_BYTES): GzipMember {
  if (bytes.length < HEADER_BYTES) return { kind: 'more' };
  if (!isGzip(bytes)) return { kind: 'damaged', reason: 'no gzip header' };
  const start = gzipHeaderBytes(bytes);
  if (start === undefined) return { kind: 'more' };
  const inflated = inflate(bytes.subarray(start), maxBytes);
  if (inflated.kind !== 'member') return inflated;
  const end = start + inflated.length;
  if (bytes.length < end + TRAILER_BYTES) return { kind: 'more' };
  const trailer = new DataView(bytes.buffer, bytes.byteOffset + end, TRAILER_BYTES);
  if (trailer.getUint32(0, true) !== crc32(inflated.data)) return { kind: 'damaged', reason: 'wrong checksum' };
  if (trailer.getUint32(4, true) !== inflated.data.length % 2 ** 32) return { kind: 'damaged', reason: 'wrong size' };
  return { kind: 'member', data: inflated.data, length: end + TRAILER_BYTES };
}

/** Returns the length of a gzip member's header with its optional fields; `undefined` if `bytes` is too short. */
export function gzipHeaderBytes(bytes: Uint8Array): number | undefined {
  const flags = bytes[3]!;
  let at: number | undefined = HEADER_BYTES;
  if (flags & FLAG.extra) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  if (flags & FLAG.name) at = afterZero(bytes, at);
  if (at !== undefined && flags & FLAG.comment) at = afterZero(bytes, at);
  if (at !== undefined && flags & FLAG.headerCrc) at += 2;
  return at !== undefined && at < bytes.length ? at : undefined;
}

function afterZero(bytes: Uint8Array, from: number): number | undefined {
  const zero = bytes.indexOf(0, from);
  return zero < 0 ? undefined : zero + 1;
}

function inflate(bytes: Uint8Array, maxBytes: number): GzipMember {
  try {
    const options = { info: true, maxOutputLength: maxBytes, chunkSize: 64 * 1024 };
    // With `info`, the call also returns the engine; its `bytesWritten` counts the consumed input. The types lack it.
    const result = inflateRawSync(bytes, options) as unknown as {
      readonly buffer: Buffer;
      readonly engine: { readonly bytesWritten: number };
    };
    return { kind: 'member', data: result.buffer, length: result.engine.bytesWritten };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'Z_BUF_ERROR') return { kind: 'more' };
    if (code === 'ERR_BUFFER_TOO_LARGE')
      return { kind: 'damaged', reason: `more than ${maxBytes} bytes`, isTooLarge: true };
    return { kind: 'damaged', reason: (error as Error).message };
  }
}
