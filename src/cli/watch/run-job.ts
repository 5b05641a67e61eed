import { spawn } from 'node:child_process';
import { isAbsolute, join } from 'node:path';
import { BingoError } from '../../core/index.ts';
import {
  type JobEnd,
  type JobName,
  PACKAGE_ROOT,
  readingStore,
  sanitizeForTerminal,
  type Workspace,
  withJobOutput,
} from '../../workbench/index.ts';
import { EXIT, type Io } from '../command.ts';

/**
 * Runs a scheduled job in a process of its own: what it takes is free again afterwards, and its failure ends no other
 * job. Its output is in `watch/JOB.txt`. It is in a process group of its own, so Ctrl-C reaches it through us alone.
 */
export async function runJob(workspace: Workspace, job: JobName, io: Io, signal: AbortSignal): Promise<JobEnd> {
  let words: readonly string[];
  try {
    words = await wordsOf(workspace, job);
  } catch (error) {
    if (!(error instanceof BingoError)) throw error;
    io.err(`${sanitizeForTerminal(error.message)}\n`);
    return { code: EXIT.failed };
  }
  const program = [join(PACKAGE_ROOT, 'bin/bingo.js'), ...words];
  return await withJobOutput(workspace.dir, job, (output) => ended(program, output, { io, signal }));
}

function ended(
  program: readonly string[],
  output: number,
  { io, signal }: { readonly io: Io; readonly signal: AbortSignal },
): Promise<JobEnd> {
  return new Promise((resolve) => {
    const env = io.env as NodeJS.ProcessEnv;
    const child = spawn(process.execPath, program, { stdio: ['ignore', output, output], env, detached: true });
    const stop = (): void => void child.kill('SIGINT');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    const end = (code: number): void => {
      signal.removeEventListener('abort', stop);
      resolve({ code });
    };
    child.once('error', () => end(EXIT.failed));
    child.once('exit', (code) => end(code ?? EXIT.stopped));
  });
}

/** Returns the command line of a job. */
async function wordsOf(workspace: Workspace, job: JobName): Promise<readonly string[]> {
  const { dir, config } = workspace;
  const { crawlPages, portalFolder } = config.schedule;
  if (job === 'recheck') return ['crawl', dir, '--recheck', '--plain'];
  if (job === 'notify') return ['notify', dir];
  if (job === 'adapt') return ['adapt', dir];
  if (job === 'portal') return ['portal', dir, isAbsolute(portalFolder) ? portalFolder : join(dir, portalFolder)];
  const budget = crawlPages === 0 ? [] : ['--budget', String((await fetchedPages(workspace)) + crawlPages)];
  return ['crawl', dir, '--plain', ...budget];
}

/** Returns the pages that count against the budget. */
async function fetchedPages(workspace: Workspace): Promise<number> {
  try {
    return await readingStore(workspace, async (store) => (await store.status()).fetched);
  } catch (error) {
    if (error instanceof BingoError && error.code === 'STORE_MISSING') return 0;
    throw error;
  }
}
