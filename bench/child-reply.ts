import type { ChildProcess } from 'node:child_process';

/** Resolves with the next message of a process. Rejects if it ends before. @param name of the process, for the error */
export function replyOf<T>(child: ChildProcess, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`${name} ended with exit code ${code}`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as T);
    });
  });
}
