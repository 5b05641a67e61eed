import { closeSync, openSync, readSync } from 'node:fs';
import { UnreadableFileError } from '../core/index.ts';

/** A stored or compressed member of a zip file. */
export interface ZipPlace {
  readonly name: string;
  /** Byte range of its content in the file, as stored. */
  readonly offset: number;
  readonly length: number;
  readonly isCompressed: boolean;
}

const LOCAL_HEADER_BYTES = 30;

/**
 * Returns where the members of a zip file are.
 * @throws UnreadableFileError `WACZ_DAMAGED` if the file has no readable directory
 */
export async function zipPlaces(path: string): Promise<readonly ZipPlace[]> {
  // Loaded for WACZ files alone: it brings much with it.
  const { Open } = await import('unzipper');
  const directory = await Open.file(path).catch((cause: Error) => {
    throw damaged(path, /EACCES|ENOENT|EISDIR/.test(cause.message) ? cause.message : 'no directory at its end', cause);
  });
  const file = openSync(path, 'r');
  try {
    return directory.files
      .filter(({ type }) => type === 'File')
      .map(({ path: name, offsetToLocalFileHeader: at, compressedSize: length, compressionMethod }) => {
        const header = Buffer.alloc(LOCAL_HEADER_BYTES);
        const read = readSync(file, header, 0, header.length, at);
        if (read < header.length || header.readUInt32LE(0) !== 0x04034b50)
          throw damaged(path, `its directory names no content for ${name}`);
        const offset = at + header.length + header.readUInt16LE(26) + header.readUInt16LE(28);
        return { name, offset, length, isCompressed: compressionMethod !== 0 };
      });
  } finally {
    closeSync(file);
  }
}

function damaged(path: string, why: string, cause?: Error): UnreadableFileError {
  return new UnreadableFileError({
    code: 'WACZ_DAMAGED',
    message: `Cannot read ${path} as a WACZ file: ${why}.`,
    hint: 'It may be cut short: fetch it again. A WACZ file is a zip file with WARC files in "archive/".',
    cause,
  });
}

/** Returns the content of a member that is stored without compression and at most `maxBytes` long. */
export function readStored(path: string, { offset, length }: ZipPlace, maxBytes: number): Buffer | undefined {
  if (length > maxBytes) return undefined;
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(length);
    const read = readSync(file, bytes, 0, length, offset);
    return bytes.subarray(0, read);
  } finally {
    closeSync(file);
  }
}
