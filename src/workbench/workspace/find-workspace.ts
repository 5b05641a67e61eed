import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { WORKSPACE_FILE } from './workspace.ts';

/** Whether a folder contains a workspace file. */
export function isWorkspace(dir: string): boolean {
  return statSync(join(dir, WORKSPACE_FILE), { throwIfNoEntry: false })?.isFile() === true;
}

/** Returns the absolute path of the nearest workspace: `folder` itself or a parent; `undefined` outside of workspaces. */
export function workspaceAround(folder: string): string | undefined {
  for (let dir = resolve(folder); ; dir = dirname(dir)) {
    if (isWorkspace(dir)) return dir;
    if (dir === dirname(dir)) return undefined;
  }
}
