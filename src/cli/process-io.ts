import { BingoError } from '../core/index.ts';
import { EXIT, type Io } from './command.ts';

/** Ctrl-C may arrive twice, from the terminal and from a parent process: signals within this time count as one. */
const SAME_INTERRUPT_MS = 80;

/**
 * Returns the streams and signals of this process.
 * @param describe formats an error as text for stderr
 */
export function processIo(describe: (error: Error) => string): Io {
  const { stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The terminal was closed: output is lost, but the work continues, or ends by the signal that follows.
      if (error.code !== 'EIO' || stream.isTTY !== true) endWithout(error, describe);
    });
  return {
    out: (text) =>
      new Promise((resolve) => {
        if (stdout.write(text, () => resolve())) resolve();
      }),
    err: (text) => {
      stderr.write(text);
    },
    stdin,
    stdinIsTerminal: stdin.isTTY === true,
    stdoutIsTerminal: stdout.isTTY === true,
    stderrIsTerminal: stderr.isTTY === true,
    columns: () => (stdout.isTTY === true ? screenOf(stdout).columns : Number.POSITIVE_INFINITY),
    screen: () => screenOf(stderr),
    env: process.env,
    cwd: process.cwd(),
    onInterrupt,
    exit: (code) => process.exit(code),
  };
}

/** Size of a terminal; some report 0 by 0 (`script`, a container's console). Default: 80 by 24. */
export function screenOf(stream: { readonly columns?: number; readonly rows?: number }): {
  readonly columns: number;
  readonly rows: number;
} {
  return { columns: stream.columns || 80, rows: stream.rows || 24 };
}

/** A closed pipe (`bingo export … | head`) is not an error: the process ends silently. A full disk is an error. */
function endWithout(cause: NodeJS.ErrnoException, describe: (error: Error) => string): never {
  if (cause.code === 'EPIPE') process.exit(EXIT.done);
  const message = `The output cannot be written: ${cause.message}.`;
  process.stderr.write(describe(new BingoError({ code: 'OUTPUT_FAILED', message, cause })));
  process.exit(EXIT.failed);
}

function onInterrupt(listener: () => void): () => void {
  let last = Number.NEGATIVE_INFINITY;
  const onSignal = (): void => {
    const now = performance.now();
    if (now - last >= SAME_INTERRUPT_MS) listener();
    last = now;
  };
  const onHangup = (): void => {
    // Shell and system may both signal a closed terminal. The second signal must not abort the shutdown.
    process.on('SIGHUP', () => {});
    if (last === Number.NEGATIVE_INFINITY) onSignal();
  };
  const listeners = { SIGINT: onSignal, SIGTERM: onSignal, SIGHUP: onHangup } as const;
  for (const [signal, onThis] of Object.entries(listeners)) process.on(signal, onThis);
  return () => {
    for (const [signal, onThis] of Object.entries(listeners)) process.off(signal, onThis);
  };
}

/** Whether a stream gets colour: a terminal that is not dumb, without `NO_COLOR`. */
export function wantsColour(io: Io, isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0') return true;
  return isTerminal && TERM !== 'dumb';
}
