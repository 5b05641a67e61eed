import { readFileSync, statSync } from 'node:fs';

/** The byte of the lock table that a writer in WAL mode locks, and the first of those that lock the whole file. */
const WRITER_BYTE = 120;
const FILE_BYTES = 1_073_741_824;

/** A line of /proc/locks, such as `2: POSIX ADVISORY WRITE 21681 fe:00:2212658 120 120`. */
const LOCK = /^\d+:\s+POSIX\s+\S+\s+WRITE\s+(\d+)\s+[\da-f]+:[\da-f]+:(\d+)\s+(\d+)\s/gm;

/**
 * Returns the other process that holds a database locked for writing, such as `sqlite3 (pid 4711)`; `undefined` if it
 * is unknown. Only Linux tells.
 */
export function lockHolder(file: string): string | undefined {
  try {
    const inodes = new Map([inodeAt(`${file}-shm`, WRITER_BYTE), inodeAt(file, FILE_BYTES)]);
    for (const [, pid, inode = '', from] of readFileSync('/proc/locks', 'latin1').matchAll(LOCK)) {
      const least = inodes.get(inode);
      const isMeant = least === WRITER_BYTE ? Number(from) === least : least !== undefined && Number(from) >= least;
      if (isMeant && Number(pid) !== process.pid) return `${nameOf(pid!)} (pid ${pid})`;
    }
    return undefined;
  } catch {
    return undefined;
  }
}

function inodeAt(file: string, byte: number): readonly [inode: string, byte: number] {
  return [String(statSync(file, { throwIfNoEntry: false })?.ino ?? ''), byte];
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return 'a process';
  }
}
