import type { Io } from './command.ts';

/** Resolves at the first Ctrl-C, and hands the next one back to the process. */
export function untilInterrupt(io: Io): Promise<void> {
  return new Promise((resolve) => {
    const handBack = io.onInterrupt(() => {
      handBack();
      resolve();
    });
  });
}
