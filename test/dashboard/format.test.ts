import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { folded } from '../../src/dashboard/format.ts';
import { displayWidth } from '../../src/kit/index.ts';

describe('a long line', () => {
  test('is wrapped at spaces, with the later lines indented', () => {
    expect(folded('one two three four', 9, '  ')).toEqual(['one two', '  three', '  four']);
  });

  test('of wide characters is wrapped by columns, and nothing is cut off', () => {
    expect(folded('自転車は二輪の乗り物', 10, '  ')).toEqual(['自転車は', '  二輪の', '  乗り物']);
  });

  test('never gets wider than asked, and keeps its characters', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '車', '🚲', 'é', 'ि') });
    fc.assert(
      fc.property(text, fc.integer({ min: 10, max: 40 }), (line, columns) => {
        const parts = folded(line, columns, '    ');
        for (const part of parts) expect(displayWidth(part)).toBeLessThanOrEqual(columns);
        expect(parts.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
      }),
    );
  });
});
