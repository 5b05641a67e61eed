import { BingoError } from '../core/index.ts';
import { VIEWS } from './views.ts';

export function readOnlyError(reason: string): BingoError {
  return new BingoError({
    code: 'SQL_READ_ONLY',
    message: `This console only reads: ${reason}.`,
    hint: 'Nothing was changed. Use one statement that begins with select, with, explain or show.',
  });
}

/** Returns the error of a failed query; an error that already has a hint stays unchanged. */
export function invalidSql(error: unknown): BingoError {
  if (error instanceof BingoError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  const missing = /no such table: (\S+)|table '(?:[^'.]*\.)?([^']+)' doesn't exist/i.exec(detail);
  const view = VIEWS.find((name) => name === (missing?.[1] ?? missing?.[2]));
  return new BingoError({
    code: 'SQL_INVALID',
    message: `The database does not understand this query: ${detail}`,
    hint:
      view === undefined
        ? `Tables and columns are in docs/schema.md; ready-made views: ${VIEWS.join(', ')}.`
        : `An older Bingo created this store, without the view ${view}. The next bingo crawl updates it.`,
    cause: error,
  });
}
