import { EXIT, type Io } from './command.ts';

/** Resolves at the first Ctrl-C, and hands the next one back to the process. */
export function untilInterrupt(io: Io): Promise<void> {
  return new Promise((resolve) => {
    const handBack = io.onInterrupt(() => {
      handBack();
      resolve();
    });
  });
}

/** Does work that Ctrl-C ends at once, by an exit of the process: so what it made by halves can be removed. */
export async function exitingAtInterrupt<T>(io: Io, work: () => Promise<T>): Promise<T> {
  const handBack = io.onInterrupt(() => io.exit(EXIT.stopped));
  try {
    return await work();
  } finally {
    handBack();
  }
}
