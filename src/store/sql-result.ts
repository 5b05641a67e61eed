import { invalidSql } from './sql-errors.ts';

export type SqlValue = string | number | bigint | null | Uint8Array;

/** The answer to a query. `rows` can be walked once; walk it or `close` it. */
export interface SqlResult {
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<readonly SqlValue[]>;
  /** After the walk: there was more than `maxRows`. */
  readonly truncated: boolean;
  close(): Promise<void>;
}

/**
 * A result of at most `maxRows` rows, which come as they are asked for.
 * @param close frees what the query holds; called when the rows end, fail or are not wanted any more
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

/** An integer as a number where that is exact. */
export function exactInteger(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
