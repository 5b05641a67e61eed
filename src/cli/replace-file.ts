import { copyFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Puts a text in the place of a file, whole or not at all; the file's rights stay.
 * @param backup where the file as it was is kept
 * @throws Error of the file system
 */
export function replaceFile(path: string, text: string, backup?: string): void {
  const next = `${path}.${process.pid}.new`;
  try {
    writeFileSync(next, text, { mode: statSync(path, { throwIfNoEntry: false })?.mode });
    if (backup !== undefined) copyFileSync(path, backup);
    renameSync(next, path);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
