import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { WORKSPACE_FILE } from './workspace.ts';

/** True for a folder that holds a workspace file. */
export function isWorkspace(dir: string): boolean {
  return statSync(join(dir, WORKSPACE_FILE), { throwIfNoEntry: false })?.isFile() === true;
}

/** The nearest workspace: `folder` itself or one that holds it, as an absolute path; `undefined` if there is no such workspace. */
export function workspaceAround(folder: string): string | undefined {
  for (let dir = resolve(folder); ; dir = dirname(dir)) {
    if (isWorkspace(dir)) return dir;
    if (dir === dirname(dir)) return undefined;
  }
}
