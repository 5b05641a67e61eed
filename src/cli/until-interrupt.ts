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

/** Does work while Ctrl-C is heard by `onInterrupt`, and hands it back to the process afterwards. */
export async function hearingInterrupts<T>(io: Io, onInterrupt: () => void, work: () => Promise<T>): Promise<T> {
  const handBack = io.onInterrupt(onInterrupt);
  try {
    return await work();
  } finally {
    handBack();
  }
}

/** Does work that Ctrl-C ends at once, by an exit of the process: so what it made by halves can be removed. */
export function exitingAtInterrupt<T>(io: Io, work: () => Promise<T>): Promise<T> {
  return hearingInterrupts(io, () => io.exit(EXIT.stopped), work);
}

/**
 * Does work that a server does for us: Ctrl-C ends it there, and then the process; a second one does not wait for the server.
 * @param asked whom it is asked of; where nothing is to be abandoned, Ctrl-C ends the process as always
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
