import { during, type Watch } from '../watch.ts';
import type { JudgingOptions } from './feedback.ts';

/**
 * Runs work that judges stored pages again: reports its progress, and leaves the rest for later once the watch is
 * stopped.
 */
export async function judging<T>(watch: Watch, work: (options: JudgingOptions) => Promise<T>): Promise<T> {
  const onJudged = (pages: number, of: number): void => watch.onEvent?.({ kind: 'judged', pages, of });
  return await during(watch, 'judging', () =>
    work({ onJudged, ...(watch.signal === undefined ? {} : { signal: watch.signal }) }),
  );
}
