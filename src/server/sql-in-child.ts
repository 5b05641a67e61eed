import { fork } from 'node:child_process';
import { BingoError } from '../core/index.ts';
import { builtFile } from '../kit/index.ts';
import type { SqlRows } from '../workbench/index.ts';
import type { ErrorReply } from './errors.ts';

/** A query may use this much memory. */
const MAX_HEAP_MB = 512;
/** A child that does not end by itself is killed. */
const GRACE_MS = 2_000;

/** A query, as the child receives it. */
export interface SqlRequest {
  readonly dir: string;
  readonly query: string;
  readonly limit: number;
}

/** What the child answers. */
export type SqlReply = { readonly rows: SqlRows } | { readonly error: ErrorReply };

/**
 * Runs a read-only query in a child process: one statement may take hours, and cannot be interrupted in its process.
 * @throws BingoError `SQL_TIMEOUT` after the time limit, and as {@link OpenWorkspace.sql} does
 */
export async function sqlInChild(
  request: SqlRequest,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<SqlRows> {
  const child = fork(builtFile('sql-child'), {
    execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const answer = new Promise<SqlReply>((resolve) => {
    const fail = (message: string, hint: string): void => resolve({ error: { code: 'SQL_FAILED', message, hint } });
    child.once('message', (message) => resolve(message as SqlReply));
    child.once('exit', (code) => {
      // Without memory, the process ends by a signal.
      if (code === null) fail('The query needs too much memory.', 'Select fewer rows or columns.');
      else fail(`The process of the query ended with exit code ${code}.`, 'Ask again.');
    });
    child.once('error', ({ message }) => fail(`The query cannot be run: ${message}`, 'Ask again.'));
  });
  const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const ended = new Promise<'late'>((resolve) => late.addEventListener('abort', () => resolve('late'), { once: true }));
  try {
    child.send(request);
    const reply = await Promise.race([answer, ended]);
    if (reply === 'late')
      throw sqlError(
        'SQL_TIMEOUT',
        `The query took longer than ${timeoutMs / 1_000} s.`,
        'Narrow it, or use bingo sql.',
      );
    if ('error' in reply) throw new BingoError(reply.error);
    return reply.rows;
  } finally {
    // A database server is asked to give up the query first.
    if (child.connected) child.send('end', () => {});
    setTimeout(() => child.kill('SIGKILL'), GRACE_MS).unref();
  }
}

function sqlError(code: string, message: string, hint: string): BingoError {
  return new BingoError({ code, message, hint });
}
