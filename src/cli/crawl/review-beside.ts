import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PACKAGE_ROOT, quoted } from '../../workbench/index.ts';
import { EXIT, type Io } from '../command.ts';

/**
 * Reviews in a process of its own on this terminal, as `bingo review` does beside a crawl that runs: the crawl's own thread
 * must never wait for it. Resolves with what to tell the person.
 */
export async function reviewBeside(dir: string, io: Io): Promise<string> {
  // The review reads the journal first: seconds, in which the dashboard is not there any more.
  io.err('Opening the review …\n');
  const words = [join(PACKAGE_ROOT, 'bin/bingo.js'), 'review', dir];
  return await new Promise((resolve) => {
    const child = spawn(process.execPath, words, { stdio: 'inherit', env: io.env as NodeJS.ProcessEnv });
    child.once('error', (error) => resolve(`The review could not be started: ${error.message}`));
    child.once('exit', (code) => {
      resolve(
        code === EXIT.done || code === EXIT.stopped
          ? 'Back from the review.'
          : `The review failed; it says why: bingo review ${quoted(dir)}`,
      );
    });
  });
}
