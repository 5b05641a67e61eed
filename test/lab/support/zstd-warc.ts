import { constants, zstdCompressSync } from 'node:zlib';
import { type MadePage, warcRecord } from './warc-writer.ts';

/** Made by `zstd --train` from records like those of `warcRecord`. */
export const DICTIONARY: Buffer = Buffer.from(
  'N6Qw7K3BT0YcENhKkg4MwzAMw0ppNKZDUVZj7723lDKVSYVaG3MCAAAAAABO3Q0AAASAAECBGxMENQAAADQAAAAWGwUAAAAAAAAAAAAZFwIawM' +
    'sggDcAAAAAAAA0dpMxIpUEAAAAAAAAAAAAAAAAAQAAAAQAAAAIAAAAOi8veC50ZXN0Lzg5Ly94LnRlc3QvOTUNCldBUkMtRGF0ZTogMjAyNi0w' +
    'MS0wMlQwMzowNDozNVoNCkNvbnQveC50ZXN0LzEwNg0KV0FSQy1EYXRlOiAyMDI2LTAxLTAyVDAzOjA0OjQ2Wg0KQ29udC8veC50ZXN0LzcyDQ' +
    'pXQVJDLURhdGU6IDIwMjYtMDEtMDJUMDM6MDQ6MTJaDQpDb250DQoNCjwhRE9DVFlQRSBodG1sPjxodG1sPjx0aXRsZT5QYWdlIDE1MzE1Mzwv' +
    'dGl0bGVQRSBodG1sPjxodG1sPjx0aXRsZT5QYWdlIDk5PC90aXRsZT5XQVJDLzEuMA0KV0FSQzM6MDQ6NTlaDQpDb250ZW50LVR5cGU6IGFwcG' +
    'xpY2F0aW9uL2h0dHA7IG1zZ3R5cGU9Oi8veC50ZXN0LzEyMA0KV0FSQy1EYXRlOiAyMDI2LTAxLTAyVDAzOjA0OjAwWg0KQ28KV0FSQy1UeXBl' +
    'OiByZXNwb25zZQ0KV0FSQy0=',
  'base64',
);

/**
 * Returns a frame that zstd readers skip. With `mark` 0x184d2a5d at the start of a file it is the dictionary of all
 * others.
 */
export function skippableFrame(mark: number, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(mark, 0);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data]);
}

export function zstdFrame(bytes: Uint8Array, dictionary?: Uint8Array): Buffer {
  const params = { [constants.ZSTD_c_checksumFlag]: 1 };
  return zstdCompressSync(bytes, { params, ...(dictionary && { dictionary }) });
}

/** Returns a WARC file with one zstd frame per record. */
export function zstdWarc(pages: readonly MadePage[]): Buffer {
  return Buffer.concat(pages.map((page) => zstdFrame(warcRecord(page))));
}

/** Returns the same, compressed with a dictionary that precedes the records as `stored`. */
export function zstdWarcWith(pages: readonly MadePage[], stored: Uint8Array = DICTIONARY): Buffer {
  return Buffer.concat([
    skippableFrame(0x184d2a5d, stored),
    ...pages.map((page) => zstdFrame(warcRecord(page), DICTIONARY)),
  ]);
}
