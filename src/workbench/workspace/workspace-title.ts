import { basename } from 'node:path';
import { sanitizeForTerminal } from '../words/terminal.ts';
import type { Workspace } from './workspace.ts';

/** What a screen calls a workspace: its folder's name. */
export function workspaceTitle({ dir }: Workspace): string {
  return sanitizeForTerminal(basename(dir)) || 'bingo';
}
