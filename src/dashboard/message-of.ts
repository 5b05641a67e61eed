import { BingoError } from '../core/index.ts';

/** An error as a line of the screen. */
export function messageOf(error: unknown): string {
  const hint = error instanceof BingoError ? ` ${error.hint ?? ''}` : '';
  return `${error instanceof Error ? error.message : String(error)}${hint}`;
}
