import { BingoError } from '../core/index.ts';

/** Formats an error as one line. */
export function messageOf(error: unknown): string {
  const hint = error instanceof BingoError ? ` ${error.hint ?? ''}` : '';
  return `${error instanceof Error ? error.message : String(error)}${hint}`;
}
