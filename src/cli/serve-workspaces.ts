import { BingoError } from '../core/index.ts';
import { type OpenWorkspace, openWorkspace, paint } from '../workbench/index.ts';
import type { Args, Io } from './command.ts';
import { describeError } from './report-error.ts';

/**
 * Opens the workspaces of a command, passes them to a function, and closes them: crawls stop, and everything is stored.
 * A store that cannot be read is reported before anything is served; a missing one can be filled by a crawl.
 */
export async function withWorkspaces<T>(
  args: Pick<Args, 'positionals' | 'has'>,
  io: Io,
  work: (workspaces: readonly OpenWorkspace[], onError: (error: unknown) => void) => Promise<T>,
): Promise<T> {
  const style = { json: args.has('json'), debug: args.has('debug'), paint: paint(false) };
  const settings = args.has('log') ? { 'search.log': true } : {};
  const workspaces = await Promise.all(args.positionals.map((dir) => openWorkspace(dir, { env: io.env, settings })));
  try {
    for (const workspace of workspaces) await workspace.status().catch(unlessMissing);
    return await work(workspaces, (error) => io.err(describeError(error, style)));
  } finally {
    await Promise.all(workspaces.map((workspace) => workspace.close()));
  }
}

function unlessMissing(error: unknown): void {
  if (!(error instanceof BingoError) || error.code !== 'STORE_MISSING') throw error;
}
