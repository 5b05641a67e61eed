import { expect, test } from 'vitest';
import { hasMarks } from '../../../src/analyze/words/char-class.ts';

/** U+2019, the apostrophe of English texts: a high code point that is not a combining mark. */
const APOSTROPHE = 0x2019;
const ACUTE = 0x301;
const JAMO = 0x1112;

/** Lengths around the number of units that are examined together. */
const LENGTHS = [1, 2, 3, 127, 128, 129, 130, 255, 256, 257, 300];

test.each([ACUTE, JAMO])('finds a mark (%i) at any position, in texts of any length', (mark) => {
  for (const length of LENGTHS)
    for (let at = 0; at < length; at++) {
      const chars = new Uint16Array(length).fill(97);
      chars[length >>> 1] = APOSTROPHE;
      chars[at] = mark;
      expect(hasMarks(chars, length), `unit ${at} of ${length}`).toBe(true);
    }
});

test('ignores characters after the text, and signs that are not marks', () => {
  for (const length of LENGTHS) {
    const chars = new Uint16Array(length + 2).fill(APOSTROPHE);
    chars.fill(ACUTE, length);
    expect(hasMarks(chars, length), `${length} units`).toBe(false);
  }
  expect(hasMarks(new Uint16Array([ACUTE]), 0)).toBe(false);
});
