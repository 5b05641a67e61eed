import type { Io } from './command.ts';

const QUIET_MS = 3000;

/**
 * Prints the progress of long work on stderr, at most one line every few seconds; skips reports in between.
 * @param quietMs - between two lines, and before the first one: shorter work prints nothing
 */
export function tellNowAndThen(
  io: Pick<Io, 'err'>,
  now: () => number = () => performance.now(),
  quietMs: number = QUIET_MS,
): (line: string) => void {
  let toldAt = now();
  return (line) => {
    if (now() - toldAt < quietMs) return;
    toldAt = now();
    io.err(`${line}\n`);
  };
}

/**
 * Prints on stderr every few seconds how long some work has taken, until the returned function is called. Prints
 * nothing while work blocks the thread, as SQLite does.
 */
export function ticking(io: Pick<Io, 'err'>, what: string): () => void {
  const began = performance.now();
  const timer = setInterval(() => {
    io.err(`${what}: ${Math.round((performance.now() - began) / 1000)} s so far\n`);
  }, QUIET_MS);
  return () => clearInterval(timer);
}
