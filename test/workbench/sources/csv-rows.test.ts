import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from '../../../src/postprocess/index.ts';
import { csvRows } from '../../../src/workbench/sources/csv-rows.ts';

describe('csvRows', () => {
  it('reads what csvLine wrote', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', ';', '=', '-') });
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 }), (rows) => {
        // The first line tells the separator.
        const text = csvLine(['a', 'b', 'c', 'd', 'e', 'f']) + rows.map((row) => csvLine(row)).join('');
        expect([...csvRows(text)].slice(1).map(({ cells }) => cells)).toEqual(rows);
      }),
    );
  });

  it('ends on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r') }), (text) => void [...csvRows(text)]),
    );
  });

  it('reads a cell of twenty million characters', () => {
    const [row] = csvRows(`"${'x'.repeat(20_000_000)}",a`);
    expect(row?.cells.map((cell) => cell.length)).toEqual([20_000_000, 1]);
  });
});
