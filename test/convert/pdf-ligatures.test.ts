import { expect, test } from 'vitest';
import { glyphsOf, withLigatures } from '../../src/convert/pdf-ligatures.ts';

/** Glyphs of a line as they are drawn, from left to right. */
function drawn(...logical: readonly string[]): readonly string[] {
  return glyphsOf([[logical.toReversed().map((unicode) => ({ unicode }))]]);
}

/** What pdf.js makes of it: all letters turned round. */
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

test('pieces that are read from the left, and glyphs of no piece, change nothing', () => {
  const glyphs = [...glyphsOf([[[{ unicode: 'x' }, 3, { unicode: ' ' }]]]), ...drawn('س', 'لا', 'م')];
  expect(withLigatures([undefined, 'سالم'], glyphs)).toEqual([undefined, 'سلام']);
  expect(withLigatures(['غير'], glyphs)).toEqual(['غير']);
});
