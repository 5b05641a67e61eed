import { basename } from 'node:path';
import { sanitizeForTerminal } from '../words/terminal.ts';
import type { Workspace } from './workspace.ts';

/** Returns the display name of a workspace: the name of its folder. */
export function workspaceTitle({ dir }: Workspace): string {
  return sanitizeForTerminal(basename(dir)) || 'bingo';
}
