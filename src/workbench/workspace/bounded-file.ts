import { BingoError, UnreadableFileError } from '../../core/index.ts';
import { readAtMost } from '../../kit/index.ts';
import { formatSize } from '../words/units.ts';

const MIB = 1024 * 1024;

/** Maximum sizes of the user's files, in bytes. */
export const FILE_LIMITS: { readonly [File in 'list' | 'workspace' | 'review']: number } = {
  /** A list of a million URLs has about 100 MB. */
  list: 256 * MIB,
  /** The YAML parser takes 30 bytes of memory for each byte of text. */
  workspace: 64 * MIB,
  /** Larger files are not a review. */
  review: 20 * MIB,
};

/**
 * Reads a file of the user's. No file of the user's is read in another way.
 * @param shown the file's name in messages
 * @throws UnreadableFileError `FILE_TOO_LARGE`, naming the file, its size and the limit
 * @throws Error of the file system
 */
export function readBounded(path: string, limit: number, shown: string = path): Buffer {
  const { bytes, size } = readAtMost(path, limit);
  if (bytes !== undefined) return bytes;
  const length = size === undefined ? `more than ${formatSize(limit)}` : formatSize(size);
  throw new UnreadableFileError({
    code: FILE_TOO_LARGE,
    message: `${shown} has ${length}; at most ${formatSize(limit)} are read.`,
    hint: 'Check that it is the right file. A list can be split into several.',
  });
}

const FILE_TOO_LARGE = 'FILE_TOO_LARGE';

/** Whether an error is that of {@link readBounded}, which already says what to do. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof BingoError && error.code === FILE_TOO_LARGE;
}
