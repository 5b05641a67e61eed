import { BingoError } from '../core/index.ts';
import { EXIT, type Io } from './command.ts';

/** Ctrl-C may arrive twice, from the terminal and from a parent process: what follows this soon is the same one. */
const SAME_INTERRUPT_MS = 80;

/**
 * The streams and signals of this process.
 * @param describe an error as text for stderr
 */
export function processIo(describe: (error: Error) => string): Io {
  const { stdin, stdout, stderr } = process;
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // The terminal was closed: nobody reads on, but the work goes on, or ends by the signal that tells so.
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

/** The size of a terminal; one that does not know its own (`script`, a container's console) says 0 by 0. Default: 80 by 24. */
export function screenOf(stream: { readonly columns?: number; readonly rows?: number }): {
  readonly columns: number;
  readonly rows: number;
} {
  return { columns: stream.columns || 80, rows: stream.rows || 24 };
}

/** A reader that went away (`bingo export … | head`) is no error: there is nobody left to tell. A full disk is one. */
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
    // Shell and system may each tell that the terminal was closed, and nobody means "at once" by it; not while all is put away, either.
    process.on('SIGHUP', () => {});
    if (last === Number.NEGATIVE_INFINITY) onSignal();
  };
  const listeners = { SIGINT: onSignal, SIGTERM: onSignal, SIGHUP: onHangup } as const;
  for (const [signal, onThis] of Object.entries(listeners)) process.on(signal, onThis);
  return () => {
    for (const [signal, onThis] of Object.entries(listeners)) process.off(signal, onThis);
  };
}

/** True when colour is welcome on a stream: a terminal, no `NO_COLOR`, not a dumb one. */
export function wantsColour(io: Io, isTerminal: boolean): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = io.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0') return true;
  return isTerminal && TERM !== 'dumb';
}
