import type { LoadedExtension } from '../../core/index.ts';
import type { Notice } from '../alarms.ts';
import { extensionPlace } from './load.ts';

/** Failures in a row after which an extension is switched off. */
export const MAX_FAILURES = 5;

/**
 * Counts the failures of extensions, reports them, and switches off an extension that fails several times in a row.
 * A failure is reported only if their number has doubled, because an extension may fail on every second page.
 */
export class Faults {
  readonly #report: (notice: Notice) => void;
  readonly #counts = new Map<string, { all: number; row: number }>();

  constructor(report: (notice: Notice) => void) {
    this.#report = report;
  }

  isOff({ extension: { name } }: LoadedExtension): boolean {
    return (this.#counts.get(name)?.row ?? 0) >= MAX_FAILURES;
  }

  worked({ extension: { name } }: LoadedExtension): void {
    const counts = this.#counts.get(name);
    if (counts !== undefined && counts.row < MAX_FAILURES) counts.row = 0;
  }

  /** @param what what happened, without a full stop */
  failed(loaded: LoadedExtension, what: string): void {
    if (this.isOff(loaded)) return;
    const { name } = loaded.extension;
    const counts = this.#counts.get(name) ?? { all: 0, row: 0 };
    this.#counts.set(name, counts);
    counts.all++;
    counts.row++;
    const place = extensionPlace(loaded);
    if (this.isOff(loaded))
      this.#report({
        code: 'extension-off',
        message: `${place} failed ${MAX_FAILURES} times in a row and is switched off. The last time: ${what}.`,
        remedy: 'The crawl continues without it. Correct it, stop the crawl and start it again.',
      });
    else if (isPowerOfTwo(counts.all))
      this.#report({
        code: 'extension-failed',
        message: `${place} failed: ${what}.`,
        remedy: 'The crawl continues without this result. Correct it, stop the crawl and start it again.',
      });
  }
}

function isPowerOfTwo(n: number): boolean {
  return (n & (n - 1)) === 0;
}
