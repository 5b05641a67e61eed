import { inScratch, type Scratch } from '../store/index.ts';
import type { Workspace } from '../workbench/index.ts';
import type { Io } from './command.ts';
import { abandoningAtInterrupt } from './until-interrupt.ts';

/**
 * Runs SQL work on the store of a workspace. Informs the user if a lost database server makes it start again.
 * @param isWriting the work creates or changes tables of the store; the caller holds the workspace's lock
 */
export async function workInSql<T>(
  { config, dir, io, isWriting }: Pick<Workspace, 'config' | 'dir'> & { readonly io: Io; readonly isWriting: boolean },
  work: (scratch: Scratch) => Promise<T>,
): Promise<T> {
  const tell = (): void =>
    io.err('The connection to the database server was lost. The work begins again when the server is back.\n');
  return await inScratch(
    { url: config.store.url, workspace: dir, readOnly: !isWriting },
    (scratch) => abandoningAtInterrupt(io, scratch, () => work(scratch)),
    tell,
  );
}
