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
