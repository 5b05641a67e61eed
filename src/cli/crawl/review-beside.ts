import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PACKAGE_ROOT, quoted } from '../../workbench/index.ts';
import { EXIT, type Io } from '../command.ts';

/**
 * Runs a review in a separate process on this terminal, like `bingo review` beside a running crawl: the crawl's own
 * thread must never wait for it. Resolves with a message for the user.
 * @param groups the review begins with the groups of rejected pages
 */
export async function reviewBeside(dir: string, io: Io, { groups }: { readonly groups: boolean }): Promise<string> {
  // The review first reads the journal, which takes seconds after the dashboard has closed.
  io.err('Opening the review …\n');
  const words = [join(PACKAGE_ROOT, 'bin/bingo.js'), 'review', dir, ...(groups ? ['--rejected'] : [])];
  return await new Promise((resolve) => {
    const child = spawn(process.execPath, words, { stdio: 'inherit', env: io.env as NodeJS.ProcessEnv });
    child.once('error', (error) => resolve(`The review could not be started: ${error.message}`));
    child.once('exit', (code) => {
      resolve(
        code === EXIT.done || code === EXIT.stopped
          ? 'Back from the review.'
          : `The review failed. To see why: bingo review ${quoted(dir)}`,
      );
    });
  });
}
