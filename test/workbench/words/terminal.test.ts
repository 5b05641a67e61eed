import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  displayWidth,
  labelled,
  paint,
  sanitizeForTerminal,
  table,
  truncate,
  wrap,
} from '../../../src/workbench/words/terminal.ts';

describe('sanitizeForTerminal', () => {
  it.each([
    ['colours', '\x1b[31mred\x1b[0m', 'red'],
    ['a window title', '\x1b]0;you are hacked\x07page', 'page'],
    ['a hyperlink', '\x1b]8;;http://evil.example/\x1b\\click\x1b]8;;\x1b\\', 'click'],
    ['a cleared screen', 'a\x1b[2J\x1b[Hb', 'ab'],
    ['8-bit control sequences', 'a\x9b31mb', 'ab'],
    ['a device control string', 'a\x1bP+q544e\x1b\\b', 'ab'],
    ['a sequence that never ends', 'a\x1b]0;rest', 'a0;rest'],
    ['an override of the writing direction', 'a\u202egnp.exe', 'agnp.exe'],
    ['isolates and invisible marks', 'a\u2066b\u2069\u200b\ufeffc', 'abc'],
    ['tag characters', 'a\u{e0041}b', 'ab'],
    ['line breaks', 'two\r\nlines\u2028three', 'two lines three'],
    ['backspaces', 'safe\b\b\b\bevil', 'safe evil'],
    ['soft hyphens and fillers', 'so\u00adft\u3164\u115f\u034f\u180eend', 'softend'],
    ['what is no character', 'a\uffff\ufdd0\u{10ffff}b', 'ab'],
    ['heaps of marks, all but four', `Z\u0301${'\u0302'.repeat(400)}algo`, 'Z\u0301\u0302\u0302\u0302algo'],
    ['marks without a letter', '\u0301\u0302first', 'first'],
    [
      'what makes one sign of several, whose width differs',
      '👨\u200d👩\u200d👧 👩🏽\u200d🚒 🏳\ufe0f\u200d🌈 ❤\ufe0f',
      '👨👩👧 👩🚒 🏳🌈 ❤',
    ],
  ])('takes away %s', (_what, hostile, safe) => {
    expect(sanitizeForTerminal(hostile)).toBe(safe);
  });

  it('keeps letters of all scripts and emoji', () => {
    const text = 'Zürich, 東京, Москва, العربية, हिन्दी, שָׁלוֹם, نامه\u200cای, ක්\u200dෂ, Việt Nam 🚲';
    expect(sanitizeForTerminal(text)).toBe(text);
  });

  it('removes every control character', () => {
    const hostile = fc.string({
      unit: fc.oneof(fc.constantFrom('\x1b', '[', ']', '\x9b', '\x07', 'm', '\\', '\n'), fc.string()),
    });
    fc.assert(
      fc.property(hostile, (text) => {
        expect(sanitizeForTerminal(text)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
  });
});

describe('widths', () => {
  it('counts wide characters twice and combining marks not at all', () => {
    expect([displayWidth('abc'), displayWidth('東京'), displayWidth('e\u0301'), displayWidth('🚲')]).toEqual([
      3, 4, 1, 2,
    ]);
  });

  // Checked against the cursor of a terminal (tmux 3.3).
  it.each([
    ['vowel signs that stand beside their letter', 'நி हिन्दी', 8],
    ['Hangul written in parts', '\u1112\u1161\u11ab', 2],
    ['flags', '🇩🇪', 2],
    ['Tangut and old kana', '𗀀𛀀', 4],
  ])('counts %s as a terminal does', (_what, text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  it('cuts text to a width, wide characters included', () => {
    expect(truncate('東京都庁', 5)).toBe('東京…');
  });

  it('keeps short text unchanged', () => {
    expect(truncate('short', 5)).toBe('short');
  });

  it('never makes text wider than asked', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 20 }), (text, width) => {
        expect(displayWidth(truncate(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe('table', () => {
  const columns = [{ title: 'name' }, { title: 'n', align: 'right' as const }];

  it('aligns columns under their titles', () => {
    expect(
      table(
        columns,
        [
          ['one', '1'],
          ['three', '33'],
        ],
        40,
      ),
    ).toEqual(['name    n', '─────  ──', 'one     1', 'three  33']);
  });

  it('cuts the widest text column until it fits', () => {
    const lines = table(columns, [['x'.repeat(50), '12345']], 30);
    expect(Math.max(...lines.map(displayWidth))).toBe(30);
    expect(lines[2]).toMatch(/^x+… {2}12345$/);
  });

  it('prints no control characters of its cells', () => {
    expect(table(columns, [['\x1b[2Jevil', '1']], 40)[2]).toBe('evil  1');
  });
});

describe('wrap', () => {
  it('wraps at spaces and indents the following lines', () => {
    expect(wrap('one two three four', 9, '  ')).toEqual(['one two', '  three', '  four']);
  });

  it('counts no width for styles', () => {
    const two = paint(true).bold('two');
    expect(wrap(`one ${two} three four`, 13)).toEqual([`one ${two} three`, 'four']);
  });
});

describe('labelled', () => {
  it('follows its label, line by line, and wraps at spaces', () => {
    const terms = 'recovery 0.21, log 0.05, page 0.01';
    expect(labelled('for  ', terms, 20, /(?<=,) /)).toEqual([
      'for  recovery 0.21,',
      '     log 0.05,',
      '     page 0.01',
    ]);
    expect(labelled('for  ', terms, 22)).toEqual(['for  recovery 0.21,', '     log 0.05, page', '     0.01']);
  });

  it('is only the label if there is no text', () => {
    expect(labelled('for  ', '', 20)).toEqual(['for']);
  });
});

describe('paint', () => {
  it('changes nothing without colours', () => {
    expect(paint(false).bold('plain')).toBe('plain');
  });

  it('styles with colours', () => {
    expect(paint(true).bold('loud')).toBe('\x1b[1mloud\x1b[22m');
  });
});
