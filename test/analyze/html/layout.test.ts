import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../src/analyze/html/entities.ts';
import { Layout } from '../../../src/analyze/html/layout.ts';

/** Folds white space and removes invisible characters. */
function folded(text: string): string {
  return text
    .replace(/[\u007f-\u009f\u00ad\u200b\u200e]/g, (c) => (c === '\u00ad' || c === '\u200e' ? '' : ' '))
    .replace(/[\u0000-\u0020\u00a0\u2003]+/g, ' ')
    .replace(/^ | $/g, '');
}

describe('layout', () => {
  it('copies text with folded white space, however it is split into pieces', () => {
    const parts = [
      'word',
      'é',
      '漢',
      ' ',
      '  ',
      '\n',
      '\t ',
      '\0',
      '\u00a0',
      '\u2003',
      '\u00ad',
      '\u0085',
      '~',
      '\u007f',
    ];
    const references = ['&amp;', '&nbsp;', '&#8212;', '&', '&shy;', '&lt;b&gt;', '&#32;&#32;', '"', '!'];
    const pieces = fc.array(fc.array(fc.constantFrom(...parts, ...references)), { maxLength: 6 });
    fc.assert(
      fc.property(pieces, (pieces) => {
        const layout = new Layout();
        const texts = pieces.map((piece) => piece.join(''));
        layout.open(texts.join(''));
        let at = 0;
        for (const text of texts) {
          layout.write(at, at + text.length, false);
          at += text.length;
        }
        layout.boundary('own');
        for (const text of texts) layout.writeText(text);
        layout.finish();
        const line = folded(texts.join(''));
        expect(layout.blocks.map(({ start, end }) => layout.slice(start, end))).toEqual(
          line === '' ? [] : [line, line],
        );
        layout.reset();
        layout.open(texts.join('.'));
        layout.write(0, texts.join('.').length, true);
        layout.finish();
        expect(layout.slice(0, Math.max(0, layout.length - 1))).toBe(folded(decodeText(texts.join('.'))));
      }),
      { numRuns: 1000 },
    );
  });

  it('has room for a text of any length', () => {
    const layout = new Layout();
    for (const length of [1, 40_000, 300_000]) {
      const text = '&amp; so on, '.repeat(length / 13 + 1).trim();
      layout.reset();
      layout.open(text);
      layout.write(0, text.length, true);
      layout.finish();
      expect(layout.slice(0, layout.length - 1)).toBe(text.replaceAll('&amp;', '&'));
    }
  });
});
