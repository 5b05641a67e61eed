import { EXIT, type Io } from './command.ts';

/** Resolves at the first Ctrl-C; the next one ends the process. */
export function untilInterrupt(io: Io): Promise<void> {
  return new Promise((resolve) => {
    const handBack = io.onInterrupt(() => {
      handBack();
      resolve();
    });
  });
}

/** Runs work while `onInterrupt` receives Ctrl-C; afterwards Ctrl-C ends the process again. */
export async function hearingInterrupts<T>(io: Io, onInterrupt: () => void, work: () => Promise<T>): Promise<T> {
  const handBack = io.onInterrupt(onInterrupt);
  try {
    return await work();
  } finally {
    handBack();
  }
}

/** Runs work that Ctrl-C ends at once by an exit of the process, so that exit handlers remove partial results. */
export function exitingAtInterrupt<T>(io: Io, work: () => Promise<T>): Promise<T> {
  return hearingInterrupts(io, () => io.exit(EXIT.stopped), work);
}

/**
 * Runs work on a server: Ctrl-C cancels it there, then ends the process; a second one does not wait for the server.
 * @param asked the server's store; if there is nothing to cancel, Ctrl-C ends the process as usual
 */
export async function abandoningAtInterrupt<T>(
  io: Io,
  asked: { readonly abandon?: (() => Promise<void>) | undefined },
  work: () => Promise<T>,
): Promise<T> {
  if (asked.abandon === undefined) return await work();
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) io.exit(EXIT.stopped);
    isStopping = true;
    void asked.abandon!().finally(() => io.exit(EXIT.stopped));
  };
  return await hearingInterrupts(io, stop, work);
}
