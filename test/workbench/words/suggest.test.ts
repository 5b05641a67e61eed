import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, editDistance, suggest } from '../../../src/workbench/words/suggest.ts';

/** Levenshtein distance by its definition; never smaller than ours, which also knows swaps. */
function slowDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const replace = slowDistance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1);
  return Math.min(replace, slowDistance(a.slice(1), b) + 1, slowDistance(a, b.slice(1)) + 1);
}

describe('editDistance', () => {
  it('counts a swap of neighbours once', () => {
    expect(editDistance('bugdet', 'budget')).toBe(1);
  });

  it('counts insertions, deletions and replacements as by hand', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3);
  });

  it('is symmetric, zero only for equal words, and never above the Levenshtein distance', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(slowDistance(a, b));
      }),
    );
  });
});

describe('suggest', () => {
  it('finds the intended word, in any case', () => {
    expect(suggest('DELAYMS', ['budget', 'delayMs'])).toBe('delayMs');
  });

  it('suggests nothing if no word is similar', () => {
    expect(didYouMean('zebra', ['budget', 'learn'])).toBeUndefined();
  });
});
