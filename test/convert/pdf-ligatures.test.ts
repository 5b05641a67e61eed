import { expect, test } from 'vitest';
import { glyphsOf, withLigatures } from '../../src/convert/pdf-ligatures.ts';

/** Glyphs of a line in drawing order, from left to right. */
function drawn(...logical: readonly string[]): readonly string[] {
  return glyphsOf([[logical.toReversed().map((unicode) => ({ unicode }))]]);
}

/** The text that pdf.js extracts: all letters reversed. */
function turned(glyphs: readonly string[]): string {
  return Array.from(glyphs.join('')).reverse().join('');
}

test.each([
  ['السلام', drawn('ا', 'ل', 'س', 'لا', 'م')],
  ['العالم', drawn('ا', 'ل', 'ع', 'ا', 'ل', 'م')],
  ['الإسلام', drawn('ا', 'لإ', 'س', 'لا', 'م')],
  ['السلام', drawn('ا', 'ل', 'س', '\ufefb', 'م')],
  ['خلال', drawn('خ', 'لا', 'ل')],
])('%s is read with lam and alef in their order', (word, glyphs) => {
  expect(withLigatures([turned(glyphs)], glyphs)).toEqual([word]);
});

test('left-to-right pieces and glyphs outside of pieces change nothing', () => {
  const glyphs = [...glyphsOf([[[{ unicode: 'x' }, 3, { unicode: ' ' }]]]), ...drawn('س', 'لا', 'م')];
  expect(withLigatures([undefined, 'سالم'], glyphs)).toEqual([undefined, 'سلام']);
  expect(withLigatures(['غير'], glyphs)).toEqual(['غير']);
});
