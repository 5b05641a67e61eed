import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../../kit/index.ts';

/** Root of the package: the folder that contains `bin`, `topics` and `dist`. */
export const PACKAGE_ROOT: string = fileURLToPath(packageFile(''));

/** The version of this package, as printed by `--version`. */
export function productVersion(): string {
  return (JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

/** Name of this program in the files that it writes. */
export const SOFTWARE = 'bingo-crawler';
