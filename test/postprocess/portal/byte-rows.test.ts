import { expect, test } from 'vitest';
import { ByteRows } from '../../../src/postprocess/portal/byte-rows.ts';

test('returns each row as added, in whichever block it is', () => {
  const rows = new ByteRows();
  const lengths = [3, 0, 700_000, 500_000, 3_000_000, 1, 1_048_576, 2];

  for (const [n, length] of lengths.entries()) rows.push(new Uint8Array(length).fill(n), Uint8Array.of(200 + n));

  const found = [...rows];
  expect(found.map((row) => row.length)).toEqual(lengths.map((length) => length + 1));
  expect(found.every((row, n) => row.at(-1) === 200 + n && row.subarray(0, -1).every((byte) => byte === n))).toBe(true);
});

test('is empty at first', () => {
  expect([...new ByteRows()]).toEqual([]);
});
