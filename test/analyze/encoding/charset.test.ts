import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeBody, encodingOf, sniffEncoding } from '../../../src/analyze/encoding/charset.ts';
import { documentOf } from '../pages.ts';

const VECTORS = new URL('../../../../shared/vectors/encoding/', import.meta.url);
const FILES = ['tests1.dat', 'tests2.dat', 'test-yahoo-jp.dat'];

interface Vector {
  readonly data: Buffer;
  readonly encoding: string;
}

/** Reads the format of html5lib: `#data`, bytes, `#encoding`, a name, an empty line. */
function vectorsIn(file: string): Vector[] {
  const text = readFileSync(new URL(file, VECTORS)).toString('latin1');
  return text
    .split(/(?:^|\n)#data\n/)
    .filter((part) => part.includes('\n#encoding\n'))
    .map((part) => {
      const [data = '', encoding = ''] = part.split('\n#encoding\n');
      return { data: Buffer.from(data, 'latin1'), encoding: encoding.trim().split('\n')[0]!.toLowerCase() };
    });
}

/** Decides whether the decoding is right: the expected one, or another encoding with the same letters (pure ASCII). */
function passes({ data, encoding }: Vector): boolean {
  const expected = encodingOf(encoding);
  return (
    sniffEncoding(data, '', true).encoding === expected ||
    decodeBody(data, '', true) === decodeBody(data, expected, true)
  );
}

/** Encodes a text in an encoding with one byte per letter. */
function encoded(text: string, encoding: string): Buffer {
  const letters = new TextDecoder(encoding).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  return Buffer.from(Array.from(text, (letter) => letters.indexOf(letter)));
}

describe('encoding of a page', () => {
  const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);

  it.each([
    ['a byte order mark before everything', Buffer.from('\ufeff<meta charset=koi8-r>ü'), 'latin1', 'utf-8', 'bom'],
    ['the header before the page', Buffer.from('<meta charset=koi8-r>x'), 'ISO-8859-2', 'iso-8859-2', 'header'],
    ['the page when the header says nothing', Buffer.from('<meta charset=koi8-r>x'), '', 'koi8-r', 'meta'],
    ['the page when the header names an unknown one', Buffer.from('<meta charset=koi8-r>x'), 'none', 'koi8-r', 'meta'],
    ['valid UTF-8 without any label', Buffer.from('Größe'), '', 'utf-8', 'valid-utf8'],
  ])('%s', (_, body, header, encoding, source) => {
    expect(sniffEncoding(body, header, true)).toEqual({ encoding, source });
  });

  it.each([
    ['utf-16le', Buffer.from('<title>Bees</title><p>Größe, Привет', 'utf16le')],
    ['utf-16be', Buffer.from('<title>Bees</title><p>Größe, Привет', 'utf16le').swap16()],
    ['iso-2022-jp', Buffer.from('<title>\x1b$B%G\x1b(B</title>', 'latin1')],
  ])('%s without any label by its zeros or escapes', (encoding, body) => {
    expect(sniffEncoding(body, '', true)).toEqual({ encoding, source: 'guess' });
  });

  it('is not UTF-8 if it leaves more gaps than letters, whatever is declared', () => {
    const russian = Buffer.concat(Array.from({ length: 20 }, () => Buffer.concat([cyrillic, Buffer.from(' ')])));
    const old = Buffer.concat([Buffer.from('<meta charset=windows-1251>'), russian]);
    expect(sniffEncoding(old, 'utf-8', true)).toEqual({ encoding: 'windows-1251', source: 'meta' });
    const liar = Buffer.concat([Buffer.from('<meta charset=utf-8>'), russian]);
    expect(sniffEncoding(liar, '', true)).toEqual({ encoding: 'windows-1251', source: 'guess' });
    const slip = Buffer.concat([Buffer.from('Größe, Привет '), Buffer.from([0xe9])]);
    expect(sniffEncoding(slip, 'utf-8', true)).toEqual({ encoding: 'utf-8', source: 'header' });
    const cut = Buffer.concat([Buffer.from(`${'x'.repeat(16 * 1024 - 1)}ü`), Buffer.from([0xe9])]);
    expect(sniffEncoding(cut, 'utf-8', true)).toEqual({ encoding: 'utf-8', source: 'header' });
  });

  it('is not UTF-8 for Japanese escapes or zeros in every other byte', () => {
    const japanese = Buffer.from('<title>\x1b$BF|K\\8l\x1b(B</title>', 'latin1');
    expect(sniffEncoding(japanese, 'utf-8', true)).toEqual({ encoding: 'iso-2022-jp', source: 'guess' });
    const wide = Buffer.from('<title>Plain letters</title>', 'utf16le');
    expect(sniffEncoding(wide, 'utf-8', true)).toEqual({ encoding: 'utf-16le', source: 'guess' });
    const coloured = Buffer.from('<p>\x1b$B is an escape, it says in größer letters');
    expect(sniffEncoding(coloured, 'utf-8', true)).toEqual({ encoding: 'utf-8', source: 'header' });
  });

  it('is not UTF-16 for letters of one byte, whatever is declared', () => {
    const page = '<!doctype html><title>Größe</title><p>Größe der Räder';
    expect(decodeBody(Buffer.from(page), 'utf-16', true)).toBe(page);
    expect(decodeBody(Buffer.from(page, 'utf16le'), 'utf-16', true)).toBe(page);
    expect(decodeBody(Buffer.from('自行车旅行', 'utf16le'), 'utf-16le', false)).toBe('自行车旅行');
  });

  it('is not Latin-1 for valid UTF-8, whatever is declared', () => {
    for (const label of ['iso-8859-1', 'windows-1252', 'us-ascii']) {
      expect(decodeBody(Buffer.from('<meta charset=utf-8>Größe'), label, true)).toContain('Größe');
      expect(decodeBody(Buffer.from('Größe'), label, false)).toBe('Größe');
      expect(decodeBody(Buffer.from('Größe, Ã¤', 'latin1'), label, true)).toBe('Größe, Ã¤');
    }
    expect(decodeBody(Buffer.from(`<meta charset=latin1>${'Größe'}`), '', true)).toContain('Größe');
  });

  it('is not Latin-1 if words have only letters beyond ASCII, whatever is declared', () => {
    const text = 'История железных дорог в России начинается с Царскосельской дороги, открытой в 1837 году.';
    const bytes = Buffer.from(Uint8Array.from(text, (c) => (c >= 'А' ? c.charCodeAt(0) - 0x350 : c.charCodeAt(0))));
    expect(decodeBody(bytes, 'iso-8859-1', false)).toBe(text);
    expect(decodeBody(Buffer.concat([Buffer.from('<meta charset=latin1><p>'), bytes]), '', true)).toContain(text);
    const shouting = `ÄÖÜÄÖÜ! ${'Größe, Übung, Straße, Äpfel, müßig. '.repeat(9)}`;
    expect(decodeBody(Buffer.from(shouting, 'latin1'), 'iso-8859-1', false)).toBe(shouting);
  });

  it('is UTF-8 despite a few errors or a cut letter, if nothing or Latin-1 is declared', () => {
    const text = 'Größe, Übung, Straße, Äpfel, müßig, Grüße, schön. '.repeat(3);
    const slips = Buffer.concat([Buffer.from(text), Buffer.from('caf\xe9', 'latin1')]);
    expect(decodeBody(slips, '', true)).toBe(`${text}caf\ufffd`);
    expect(decodeBody(slips, 'iso-8859-1', true)).toBe(`${text}caf\ufffd`);
    const cut = Buffer.from(`${text}ü`).subarray(0, -1);
    expect(decodeBody(cut, '', false)).toContain('Größe, Übung');
    const late = Buffer.concat([Buffer.from(`<script>${'x'.repeat(2000)}</script><meta charset=utf-8>`), slips]);
    expect(decodeBody(late, '', true)).toContain('Größe, Übung');
    expect(decodeBody(Buffer.from(text, 'latin1'), '', true)).toBe(text);
  });

  it('is UTF-16 without a byte order mark if the first tag shows it', () => {
    const page = Buffer.from('<p>Велосипед приводится в движение ногами. История велосипеда', 'utf16le');
    expect(documentOf(page, { headers: { contentType: '' } }).text).toContain('Велосипед приводится');
    expect(documentOf(Buffer.from(page).swap16()).text).toContain('Велосипед приводится');
  });

  it('is read from a meta after the first kilobyte if nothing before it decides', () => {
    const late = (label: string): Buffer =>
      Buffer.concat([Buffer.from(`<script>${'x'.repeat(2000)}</script>${label}<p>`), cyrillic]);
    const meta = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">';
    expect(sniffEncoding(late(meta), '', true)).toEqual({ encoding: 'windows-1251', source: 'meta' });
    expect(sniffEncoding(late('<meta charset=koi8-r>'), '', true)).toMatchObject({ encoding: 'koi8-r' });
    expect(sniffEncoding(late('<meta charset=utf-8>'), '', true)).toMatchObject({ source: 'guess' });
    expect(sniffEncoding(late('<meta name=x content="charset=koi8-r">'), '', false)).toMatchObject({ source: 'guess' });
    expect(sniffEncoding(late('<meta charset=koi8-r>'), 'iso-8859-5', true)).toMatchObject({ source: 'header' });
  });

  it('is guessed from letter statistics if nothing else decides', () => {
    const body = Buffer.concat(Array.from({ length: 20 }, () => Buffer.concat([cyrillic, Buffer.from(' ')])));
    expect(sniffEncoding(body, '', true)).toEqual({ encoding: 'windows-1251', source: 'guess' });
    expect(decodeBody(body, '', true)).toContain('Привет');
  });

  it.each([
    ['windows-1251', 'ru', 'Велосипед приводится в движение ногами'],
    ['ibm866', 'ru', 'Велосипед приводится в движение ногами, Ёлка и щётка тоже'],
    ['windows-1251', 'be', 'Беларускія вёскі чакаюць на падарожнікаў'],
    ['koi8-u', 'uk', 'Велосипед їде гірськими дорогами України, і всі люди раді його бачити'],
    ['iso-8859-2', 'pl', 'Właściwości żółtych rowerów są ważne'],
    ['iso-8859-9', 'tr', 'Bisikletçilerin güneşli dağ yolları aşağıda'],
    ['windows-1255', 'he', 'האופניים נוסעים לאט בדרך הארוכה'],
    ['windows-1256', 'fa', 'دوچرخه سواري در جاده هاي کوهستاني گرم است، پس چگونه برگرديم'],
    ['windows-874', 'th', 'ผู้ขี่จักรยานเดินทางไปที่ภูเขาสูง เมื่อน้ำขึ้นให้รีบตัก'],
    ['windows-1252', 'it', 'La città è più bella di sera, perché la gente è felice'],
  ])('%s by letter statistics of the words alone, in a page of much markup (%s)', (encoding, language, text) => {
    const markup = '<div class="box content-main"><a href="/index.php?section=3">Latest news</a></div>'.repeat(5);
    const script = '<script>function openWindow(name) { return window.open(name) && false }</script>';
    const page = `${script}<p>${text}</p>${markup}<p>${text}</p>`;
    expect(decodeBody(encoded(page, encoding), '', true)).toBe(page);
    expect(decodeBody(encoded(`<html lang=${language}>${page}`, encoding), '', true)).toContain(text);
  });

  it('follows the declared language if letter statistics are undecided', () => {
    const page = '<p>Apie kelius per mišką dviračiu';
    expect(decodeBody(encoded(`<html lang="lt-LT">${page}`, 'windows-1257'), '', true)).toContain(page);
    expect(decodeBody(encoded(page, 'windows-1257'), '', true)).not.toContain(page);
  });

  it.each([
    ['windows-1252', [0x80, 0x93, 0xe9, 0x81], '€“é\u0081'],
    ['iso-8859-1', [0x92], '’'],
    ['shift_jis', [0x83, 0x66], 'デ'],
    ['gb18030', [0xca, 0xfd], '数'],
    ['euc-kr', [0xc7, 0xd1], '한'],
    ['euc-kr', [0x41, 0x98, 0xde, 0xc7, 0xd1, 0x8c, 0x63, 0x81, 0x41, 0xc6, 0x52, 0xa2, 0xe6, 0x42], 'A샾한똠갂힣€B'],
    ['big5', [0x41, 0x9d, 0xf7, 0xa4, 0xa4, 0x42], 'A咗中B'],
    ['utf-16le', [0x41, 0x00, 0x3c, 0xd8, 0x00], 'A\ufffd'],
    ['iso-8859-16', [0xa4], '€'],
    ['replacement', [0xc3, 0xa9], 'é'],
  ])('%s is decoded', (charset, bytes, text) => {
    expect(decodeBody(Uint8Array.from(bytes), charset, true)).toBe(text);
  });

  it('replaces bytes that are invalid in the encoding', () => {
    expect(documentOf(Buffer.from([0x61, 0xff, 0x62]), { headers: { charset: 'utf-8' } }).text).toBe('a\ufffdb');
  });

  it('reads a page in UTF-16', () => {
    const utf16 = Buffer.from('<p>Größe der Welt</p>', 'utf16le');
    expect(documentOf(Buffer.concat([Buffer.from([0xff, 0xfe]), utf16])).text).toBe('Größe der Welt');
    expect(documentOf(utf16, { headers: { charset: 'utf-16le' } }).text).toBe('Größe der Welt');
  });
});

describe.skipIf(!existsSync(VECTORS))('html5lib encoding vectors (skipped without ../shared)', () => {
  const vectors = existsSync(VECTORS) ? FILES.flatMap(vectorsIn) : [];

  it('all vectors pass', () => {
    const failed = vectors
      .filter((vector) => !passes(vector))
      .map(({ data, encoding }) => `${encoding}: ${data.toString('latin1').slice(0, 200)}`);
    expect(vectors.length).toBeGreaterThanOrEqual(80);
    expect(failed).toEqual([]);
  });
});
