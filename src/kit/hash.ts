/** Initial FNV-1a value, as a signed number, so that the loop over text stays within 32 bits. */
export const HASH_START: number = 0x811c9dc5 | 0;

/** Adds one code unit to an FNV-1a hash. */
export function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

/**
 * 32-bit FNV-1a over UTF-16 code units, finished with murmur3's mixer. Fast, stable across runs and platforms;
 * for hashed features and tables, not for security.
 */
export function hash32(text: string, seed: number = HASH_START): number {
  let h = seed | 0;
  for (let i = 0; i < text.length; i++) h = hashStep(h, text.charCodeAt(i));
  return mix32(h);
}

/** Returns {@link hash32} of ASCII text in the first `length` bytes. */
export function hashAscii(bytes: Uint8Array, length: number, seed: number = HASH_START): number {
  let h = seed | 0;
  for (let i = 0; i < length; i++) h = hashStep(h, bytes[i]!);
  return mix32(h);
}

/** Murmur3's mixer: every bit of the result depends on every bit of the hash. @returns unsigned */
export function mix32(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Returns a share in [0,1) that is always the same for a text, as a repeatable substitute for chance. */
export function hashedShare(text: string): number {
  return hash32(text) / 2 ** 32;
}

/** Seed for the second of two hashes of one string. */
export const SECOND_SEED = 0x9e3779b9;

/**
 * Returns a 53-bit integer hash of a string, from two {@link hash32} with different seeds. The chance of any
 * collision among 10 million URLs is 1 in 180.
 */
export function hash53(text: string): number {
  // Computes both hashes in one pass over the text.
  let a = HASH_START;
  let b = SECOND_SEED | 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = hashStep(a, unit);
    b = hashStep(b, unit);
  }
  return joined53(a, b);
}

/** Returns {@link hash53} of the text with these character codes, one per byte. */
export function hash53Bytes(bytes: Uint8Array): number {
  let a = HASH_START;
  let b = SECOND_SEED | 0;
  for (let i = 0; i < bytes.length; i++) {
    a = hashStep(a, bytes[i]!);
    b = hashStep(b, bytes[i]!);
  }
  return joined53(a, b);
}

function joined53(a: number, b: number): number {
  return mix32(a) * 0x200000 + (mix32(b) >>> 11);
}
