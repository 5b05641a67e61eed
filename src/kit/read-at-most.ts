import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** What a file holds; `bytes` is missing if it holds more than allowed, `size` is then known for ordinary files. */
export interface BoundedRead {
  readonly bytes?: Buffer;
  readonly size?: number;
}

const PIECE = 1024 * 1024;

/**
 * Reads a file, unless it holds more than `limit` bytes. Memory is bounded for pipes and devices too: their size is
 * unknown until they end.
 * @throws Error of the file system
 */
export function readAtMost(path: string, limit: number): BoundedRead {
  const file = openSync(path, 'r');
  try {
    const facts = fstatSync(file);
    if (facts.isFile() && facts.size > limit) return { size: facts.size };
    const pieces: Buffer[] = [];
    let total = 0;
    // Files of /proc state a size of 0, so only an empty read ends the file.
    for (;;) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, limit + 1 - total));
      const length = readSync(file, piece, 0, piece.length, null);
      if (length === 0) return { bytes: Buffer.concat(pieces, total), size: total };
      total += length;
      if (total > limit) return {};
      pieces.push(length < piece.length / 2 ? Buffer.from(piece.subarray(0, length)) : piece.subarray(0, length));
    }
  } finally {
    closeSync(file);
  }
}
