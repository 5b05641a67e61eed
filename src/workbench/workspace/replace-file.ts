import { copyFileSync, existsSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { UsageError } from '../../core/index.ts';

/**
 * Replaces a file's text atomically; keeps the file's permissions, and a symbolic link to it.
 * @param backup path for the previous file
 * @throws UsageError if one of the paths is a folder, Error of the file system
 */
export function replaceFile(path: string, text: string, backup?: string): void {
  for (const file of [path, ...(backup === undefined ? [] : [backup])])
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${file} is a folder; it should be a file.`, 'Rename or remove it.');
  const file = existsSync(path) ? realpathSync(path) : path;
  const next = `${file}.${process.pid}.new`;
  try {
    writeFileSync(next, text, { mode: statSync(file, { throwIfNoEntry: false })?.mode });
    if (backup !== undefined) copyFileSync(path, backup);
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  }
}
