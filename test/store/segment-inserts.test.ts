import { expect, test } from 'vitest';
import { packSorted } from '../../src/kit/index.ts';
import type { Sink } from '../../src/store/ports.ts';
import type { Row } from '../../src/store/schema.ts';
import { TermIndexWriter } from '../../src/store/term-index/writer.ts';

/** Keeps the two logs in memory, has no links, and passes other inserts to `insert`. */
function sinkOf(insert: (table: string, rows: readonly Row[]) => void): Sink {
  const logs: Record<string, Row[]> = { term_log: [], pair_log: [] };
  const sink: Pick<Sink, 'insert' | 'all' | 'run'> = {
    insert: async (table, rows) => void (logs[table] === undefined ? insert(table, rows) : logs[table].push(...rows)),
    all: async (statement, [after]) => {
      const log = logs[/ from (\w+)/.exec(statement)![1]!] ?? [];
      const rows = log.filter(([page]) => Number(page) > Number(after));
      // Copies the rows, as a driver does.
      return rows.slice(0, 64).map(([page, bytes]) => [page!, Uint8Array.from(bytes as Uint8Array)]);
    },
    run: async () => {},
  };
  return sink as Sink;
}

test('blocks of a segment are inserted while they are built, and freed', async () => {
  const inserted: Row[] = [];
  let most = 0;
  const writer = new TermIndexWriter(
    sinkOf((table, rows) => {
      if (!table.endsWith('_block')) return;
      most = Math.max(most, rows.length);
      inserted.push(...rows);
    }),
  );
  const entries = Array.from({ length: 1_025 }, (_, i) => ({
    page: i + 1,
    stems: Uint32Array.from({ length: 800 }, (_, k) => (k % 2 === 0 ? 1 : Math.imul(i * 400 + k, 0x9e3779b1))),
    pairs: packSorted(Uint32Array.from({ length: 200 }, (_, k) => k * 5_000 + i)),
  }));
  await writer.add(entries);
  expect(inserted.length).toBeGreaterThan(500);
  expect(most).toBeLessThanOrEqual(128);
  for (const row of inserted) expect(row.at(-1)).toHaveLength(0);
});
