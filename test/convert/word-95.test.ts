import { describe, expect, it } from 'vitest';
import { word95Paragraphs } from '../../src/convert/word-95.ts';

const TEXT_AT = 0x300;
const TABLE_AT = 0x800;

/** A document of Word 6 or 95. @param pieces - places and lengths of its text; in one piece without them */
function wordOf(
  bytes: Buffer,
  language: number,
  pieces: readonly (readonly [at: number, length: number])[] = [],
): Buffer {
  const words = Buffer.alloc(0x1000);
  words.writeUInt16LE(0xa5dc, 0);
  words.writeUInt16LE(language, 0x06);
  words.writeUInt32LE(TEXT_AT, 0x18);
  words.writeUInt32LE(TEXT_AT + bytes.length, 0x1c);
  words.writeUInt32LE(bytes.length, 0x34);
  bytes.copy(words, TEXT_AT);
  if (pieces.length === 0) return words;
  words.writeUInt16LE(0x0004, 0x0a);
  words.writeUInt32LE(TABLE_AT, 0x160);
  words.writeUInt32LE(0x200, 0x164);
  // A property of two bytes stands before the table.
  words.set([1, 2, 0, 0, 0, 2], TABLE_AT);
  words.writeUInt32LE(4 + 12 * pieces.length, TABLE_AT + 6);
  const table = TABLE_AT + 10;
  let from = 0;
  for (const [i, [at, length]] of pieces.entries()) {
    from += length;
    words.writeUInt32LE(from, table + 4 * (i + 1));
    words.writeUInt32LE(TEXT_AT + at, table + 4 * (pieces.length + 1) + 8 * i + 2);
  }
  return words;
}

describe('documents of Word 6 and 95', () => {
  it.each([
    ['Russian', 0x0419, Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]), 'Привет'],
    ['Czech', 0x0405, Buffer.from([0x9e, 0x6c, 0x75, 0x9d]), 'žluť'],
    ['Japanese', 0x0411, Buffer.from([0x93, 0xfa, 0x96, 0x7b]), '日本'],
    ['traditional Chinese', 0x0404, Buffer.from([0xa4, 0xa4, 0xa4, 0xe5]), '中文'],
    ['German', 0x0407, Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65]), 'Grüße'],
  ])('are read by the letters of their language: %s', (_, language, bytes, text) => {
    expect(word95Paragraphs(wordOf(Buffer.concat([bytes, Buffer.from('\r')]), language))).toEqual([text]);
  });

  it('are read in the order of their pieces if they were saved quickly', () => {
    const words = wordOf(Buffer.from('last\rfirst\r'), 0x0409, [
      [5, 6],
      [0, 5],
    ]);
    expect(word95Paragraphs(words)).toEqual(['first', 'last']);
  });

  it('keep their links', () => {
    const field = '\x13 HYPERLINK "http://b.test/" \x14the link\x15\r';
    expect(word95Paragraphs(wordOf(Buffer.from(field), 0x0409))).toEqual(['<a href="http://b.test/">the link</a>']);
  });

  it('reject places outside the stream', () => {
    expect(() => word95Paragraphs(Buffer.from([0xdc, 0xa5, 0, 0]))).toThrow(RangeError);
  });
});
