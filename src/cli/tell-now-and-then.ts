import type { Io } from './command.ts';

const QUIET_MS = 3000;

/**
 * Tells on stderr how far long work is, a line every few seconds; what is told in between is passed over.
 * @param quietMs - between two lines, and before the first one: what takes no longer needs no word
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
 * Tells on stderr how long one piece of work takes by now, a line every few seconds. What holds the thread, as SQLite does, is heard of
 * neither while it goes on nor here.
 */
export async function tellWhile<T>(
  io: Pick<Io, 'err'>,
  what: string,
  work: Promise<T>,
  quietMs: number = QUIET_MS,
): Promise<T> {
  const began = performance.now();
  const timer = setInterval(() => {
    io.err(`${what}: ${Math.round((performance.now() - began) / 1000)} s by now\n`);
  }, quietMs);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}
