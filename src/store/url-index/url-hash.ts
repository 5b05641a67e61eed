/** `hash53` without its lowest 22 bits. */
const LOWEST = 2 ** 22;
const HIGHEST = 2 ** 31;

/** Returns the bits of a hash that decide its part, < 2^31. */
export function highBits(hash: number): number {
  return Math.floor(hash / LOWEST);
}

/**
 * Returns which of so many equal parts of all hashes has this one; never decreases with the hash. SQL computes the
 * same in integers, see `read/find-url.ts`.
 */
export function partOf(hash: number, parts: number): number {
  return Math.floor((highBits(hash) * parts) / HIGHEST);
}

/** Returns the bytes of a typed array, not a copy. */
export function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
