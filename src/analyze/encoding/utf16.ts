/**
 * Decodes little-endian UTF-16 bytes; ignores an odd byte at the end. Use this for every slice of a document: Node's
 * own `toString('utf16le')` writes one byte past its buffer for an odd length at an odd address. The bytes are copied
 * to an even address.
 */
export function utf16Text(bytes: Uint8Array): string {
  const even = new Uint8Array(bytes.length - (bytes.length % 2));
  even.set(bytes.subarray(0, even.length));
  return Buffer.from(even.buffer).toString('utf16le');
}
