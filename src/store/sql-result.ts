import { invalidSql } from './sql-errors.ts';
import type { SqlResult, SqlValue } from './store.ts';

/**
 * A result of at most `maxRows` rows, fetched on demand.
 * @param close frees the query's resources; called if the rows end, fail or are no longer wanted
 */
export function sqlResult(
  columns: readonly string[],
  found: Iterable<unknown> | AsyncIterable<unknown>,
  maxRows: number,
  close: () => void,
): SqlResult {
  let truncated = false;
  async function* rows(): AsyncGenerator<readonly SqlValue[]> {
    try {
      let n = 0;
      for await (const row of found) {
        truncated = n === maxRows;
        if (truncated) return;
        n++;
        yield row as SqlValue[];
      }
    } catch (error) {
      throw invalidSql(error);
    } finally {
      close();
    }
  }
  return {
    columns,
    rows: rows(),
    get truncated() {
      return truncated;
    },
    close: async () => close(),
  };
}

/** Returns an integer as a number if that is exact. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
