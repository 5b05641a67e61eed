import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleTypes } from './bundle-types.ts';

/** The types of each entry of the package, by the name of its file. */
export interface LibraryTypes {
  readonly library: string;
  readonly client: string;
}

/**
 * Returns the types of the library and of the client, each as one text, so that a consumer's compiler needs no types of
 * our packages.
 * @param root folder of the repository
 */
export function libraryTypes(root: string): LibraryTypes {
  const dir = mkdtempSync(join(tmpdir(), 'bingo-types-'));
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.types.json'), '--outDir', dir]);
    return {
      library: bundleTypes(join(dir, 'workbench/library.d.ts')),
      client: bundleTypes(join(dir, 'server/client/client.d.ts')),
    };
  } finally {
    rmSync(dir, { recursive: true });
  }
}
