import { rmSync } from 'node:fs';

/**
 * Does work that makes a file or a folder under a name for the time being. Where it fails, or the process exits in the middle
 * of it, nothing under that name is left.
 */
export async function halfMade<T>(path: string, work: () => Promise<T>): Promise<T> {
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    return await work();
  } catch (error) {
    remove();
    throw error;
  } finally {
    process.off('exit', remove);
  }
}
