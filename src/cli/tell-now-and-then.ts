import type { Io } from './command.ts';

/** Between two lines, and before the first one, in ms: what takes no longer needs no word. */
const QUIET_MS = 3000;

/** Tells on stderr how far long work is, a line every few seconds; what is told in between is passed over. */
export function tellNowAndThen(
  io: Pick<Io, 'err'>,
  now: () => number = () => performance.now(),
): (line: string) => void {
  let toldAt = now();
  return (line) => {
    if (now() - toldAt < QUIET_MS) return;
    toldAt = now();
    io.err(`${line}\n`);
  };
}
