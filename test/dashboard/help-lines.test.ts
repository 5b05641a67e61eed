import { expect, test } from 'vitest';
import { helpLines, KEY_COLUMNS, reviewHelpLines } from '../../src/dashboard/help-lines.ts';

test('the help of a key is complete in a narrow terminal, on separate lines', () => {
  for (const linesAt of [(columns: number) => helpLines([], columns), reviewHelpLines]) {
    const wordsAt = (columns: number): string[] => linesAt(columns).flatMap(({ text }) => text.trim().split(/\s+/));
    const widths = linesAt(40).map(({ key, text }) => text.length + (key === '' ? 0 : KEY_COLUMNS));
    expect(Math.max(...widths)).toBeLessThanOrEqual(40);
    expect(wordsAt(40)).toEqual(wordsAt(200));
    expect(linesAt(40).length).toBeGreaterThan(linesAt(200).length);
  }
});
