import { rmSync } from 'node:fs';

/**
 * Runs work that creates a file or folder under a temporary name. If it fails, or the process exits meanwhile, the
 * temporary file or folder is removed.
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
