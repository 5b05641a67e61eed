import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withAccents } from '../../src/convert/accents.ts';
import { convertPdf } from '../../src/convert/pdf.ts';
import { withoutRunningHeads } from '../../src/convert/pdf-heads.ts';
import { type PdfPiece, pageText } from '../../src/convert/pdf-text.ts';
import { withoutRadicals } from '../../src/convert/radicals.ts';
import { CHROMIUM } from '../support/chromium.ts';

const RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;

/** A piece, ten points wide per character. */
function piece(text: string, x: number, y = 700, endsLine = false): PdfPiece {
  return { text, x, y, width: 10 * text.length, height: 12, isRightToLeft: RIGHT.test(text), endsLine };
}

/** Pieces side by side, from left to right. */
function fromLeft(...texts: readonly string[]): PdfPiece[] {
  return texts.map((text, i) => piece(text, 10 * texts.slice(0, i).join('').length));
}

describe('the text of a PDF page', () => {
  it('has its lines, separate words, and empty lines at vertical gaps', () => {
    const lines = [piece('left', 0), piece('right', 100), piece('below', 0, 715), piece('far below', 0, 760)];
    expect(pageText([...lines, piece('', 0, 760, true), piece('end', 0, 775)])).toBe(
      'left\tright\nbelow\nfar below\nend',
    );
  });

  it.each([
    ['from left to right', fromLeft('העיר', '  ', 'ספריית')],
    ['as they are read', [piece('ספריית', 100), piece('העיר', 40)]],
  ])('is read from the right where its pieces stand %s', (_, pieces) => {
    expect(pageText(pieces)).toMatch(/^ספריית\s+העיר$/);
  });

  it('keeps numbers and words of the other direction, and mirrors brackets', () => {
    const line = fromLeft('(', 'מלונדון', ')', ' ', 'Bicycle', ' ', 'Club', ' ', 'עם');
    expect(pageText([...line, piece('זהו מאמר קצר על אופניים', 0, 720)])).toBe(
      'עם Bicycle Club (מלונדון)\nזהו מאמר קצר על אופניים',
    );
    expect(pageText(fromLeft('קילומטרים', ' ', '120', ' ', 'באורך'))).toBe('באורך 120 קילומטרים');
    expect(pageText(fromLeft('The words', ' ', 'עולם', ' ', 'שלום', ' ', 'mean peace.'))).toBe(
      'The words שלום עולם mean peace.',
    );
  });

  it('has Arabic letters, not their presentation forms', () => {
    expect(pageText(fromLeft('ﺔ', 'ﺒ', 'ﺘ', 'ﻜ', 'ﻣ'))).toBe('مكتبة');
    expect(pageText(fromLeft('م', 'ﻼ', 'ﺳ'))).toBe('سلام');
  });
});

describe('repeated page headers and footers', () => {
  const page = (n: number, ...lines: string[]): string =>
    [`${n}`, 'Journal of Crawling', ...lines, `June 2003, page ${n}`].join('\n');

  it('are read once, at their first place, whatever page number they contain', () => {
    const pages = [page(1, 'Of hubs'), page(2, 'Of authorities'), page(3, 'The end')];
    expect(withoutRunningHeads(pages)).toEqual([pages[0], 'Of authorities', 'The end']);
  });

  it('may differ between left and right pages', () => {
    const pages = [1, 2, 3, 4, 5, 6].map((n) => `${n % 2 === 0 ? `${n} J. Doe` : `Of hubs ${n}`}\n${'abcdef'[n - 1]}`);
    expect(withoutRunningHeads(pages)).toEqual([pages[0], pages[1], 'c', 'd', 'e', 'f']);
  });

  it('exclude lines on fewer than three pages, lines inside a page, and table rows', () => {
    const lines = ['a', 'b', 'c'];
    const twice = [page(1, ...lines), page(2, ...lines)];
    const within = lines.map((line) =>
      [`${line}1`, `x${line}`, `y${line}`, 'see above', `z${line}`, `u${line}`, `v${line}`].join('\n'),
    );
    const rows = ['1 2\na', '3 4\nb', '5 6\nc'];
    expect(withoutRunningHeads(twice)).toEqual(twice);
    expect(withoutRunningHeads(within)).toEqual(within);
    expect(withoutRunningHeads(rows)).toEqual(rows);
  });
});

describe.skipIf(CHROMIUM === undefined)('a PDF printed by a browser', () => {
  it('has the text of the page, also in Arabic, and its links in place', async () => {
    const text = 'هذه مقالة قصيرة عن الدراجات الهوائية، كتبها أحمد سنة 2019 مع Bicycle Club من لندن. اقرأ';
    const folder = mkdtempSync(join(tmpdir(), 'bingo-pdf-'));
    const [page, pdf] = [join(folder, 'page.html'), join(folder, 'page.pdf')];
    writeFileSync(page, `<meta charset=utf-8><body dir=rtl>${text} <a href="http://b.test/roads">صفحة الطرق</a> الآن`);
    const print = ['--headless', '--no-sandbox', '--disable-gpu', '--no-pdf-header-footer', `--print-to-pdf=${pdf}`];
    spawnSync(CHROMIUM!, [...print, `--user-data-dir=${folder}`, `file://${page}`]);
    const limits = {
      maxPdfPages: 9,
      maxTextChars: 200_000,
      maxHtmlChars: 10_000,
      maxInflatedBytes: 1e6,
      maxMembers: 9,
    };
    const { body } = await convertPdf(readFileSync(pdf), limits);
    rmSync(folder, { recursive: true, force: true });
    // A machine without Arabic fonts prints boxes.
    if (!RIGHT.test(body)) return;
    expect(body).toBe(`<p>${text} <a href="http://b.test/roads">صفحة الطرق</a> الآن</p>`);
  });
});

describe('radicals of Chinese characters, as browsers print them', () => {
  it('are read as the characters that they look like', () => {
    expect(withoutRadicals('⾃転⾞の歴史, ⼈⺠⽇报, ⻋⻔⻓⻄, plain 自転車')).toBe(
      '自転車の歴史, 人民日报, 车门长西, plain 自転車',
    );
  });
});

describe("accents that TeX's old fonts draw over a letter", () => {
  it('are joined with the letter, and other accents are kept', () => {
    expect(withAccents('M¨uller f¨ur na¨ıve caf´e, l´ıneas, se˜nor, ˇSkoda ˇcesky, ˚Arhus, fa¸cade, fˆete')).toBe(
      'Müller für naïve café, líneas, señor, Škoda česky, Århus, façade, fête',
    );
    expect(withAccents('don´t, geht´s, 3¨, ¨ a, x ˆ 2')).toBe('don´t, geht´s, 3¨, ¨ a, x ˆ 2');
  });
});
