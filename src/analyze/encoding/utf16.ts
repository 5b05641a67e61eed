/**
 * Returns the text of little-endian UTF-16 bytes; an odd byte at the end is left out. Use this for every slice of a document: for an odd length at an
 * odd address Node's own `toString('utf16le')` writes one byte past its buffer. The bytes are copied to an even address.
 */
export function utf16Text(bytes: Uint8Array): string {
  const even = new Uint8Array(bytes.length - (bytes.length % 2));
  even.set(bytes.subarray(0, even.length));
  return Buffer.from(even.buffer).toString('utf16le');
}
