import { isAscii, isUtf8 } from 'node:buffer';
import { createRequire } from 'node:module';
import type * as Multibyte from '@exodus/bytes/multi-byte.js';
import type SniffHtmlEncoding from 'html-encoding-sniffer';
import { guessEncoding } from './guess-encoding.ts';

/** Number of bytes checked for invalid sequences, escapes and a late meta. */
const HEAD_BYTES = 16 * 1024;

/**
 * Text is UTF-8 with errors if it has at least so many letters beyond ASCII per error: other encodings hardly match
 * by chance.
 */
const LETTERS_PER_SLIP = 10;

/** Beginning of a page, an XML declaration or a feed. */
const BEGINNING = /^\s*<[!?a-z]/i;

/** Modules that only pages without a declared encoding need are loaded on demand. */
const require = createRequire(import.meta.url);

/**
 * Encodings for which Node.js (ICU) lacks letters that browsers read: Korean syllables that Windows added (샾, 됬),
 * common words of Cantonese (咗, 喺).
 */
const WITH_GAPS: ReadonlySet<string> = new Set(['euc-kr', 'big5']);

/** Escape sequences that occur in no other text. */
const SHIFTS_TO_JAPANESE = ['\x1b$B', '\x1b$@'];

export interface SniffedEncoding {
  /** Name as the WHATWG Encoding standard spells it, in lower case. */
  readonly encoding: string;
  /**
   * What determined it: byte order mark, Content-Type, the page itself, valid UTF-8, or zeros, escapes and letter
   * statistics.
   */
  readonly source: 'bom' | 'header' | 'meta' | 'valid-utf8' | 'guess';
}

/**
 * Detects the encoding of a page: byte order mark, header, meta, UTF-16's zeros and Japanese escapes, valid UTF-8, a
 * late meta, a guess.
 */
export function sniffEncoding(body: Uint8Array, charset: string, isHtml: boolean): SniffedEncoding {
  const bom = bomEncoding(body);
  if (bom !== '') return { encoding: bom, source: 'bom' };
  const declared = encodingOf(charset);
  if (declared !== '' && !isFalse(declared, body)) return { encoding: declared, source: 'header' };
  const meta = isHtml ? metaEncoding(body) : '';
  if (meta !== '' && !isFalse(meta, body)) return { encoding: meta, source: 'meta' };
  const marked = markedEncoding(body);
  if (marked !== '') return { encoding: marked, source: 'guess' };
  if (isUtf8(body)) return { encoding: 'utf-8', source: 'valid-utf8' };
  const late = isHtml ? lateMetaEncoding(body) : '';
  if (late !== '' && late !== 'utf-8' && !isFalse(late, body)) return { encoding: late, source: 'meta' };
  if (isNearlyUtf8(body)) return { encoding: 'utf-8', source: 'guess' };
  return { encoding: encodingOf(guessEncoding(body, isHtml)) || 'windows-1252', source: 'guess' };
}

/**
 * Whether the declared encoding is wrong. Some servers declare UTF-8 for all pages, even old ones: it is wrong if
 * invalid sequences outnumber letters, or zeros or escapes indicate another encoding. A few errors are accepted.
 * Other servers declare Latin-1: it is wrong if the text is valid UTF-8, or has words of accented letters only.
 * Programs label XML as UTF-16 but send UTF-8: text that begins with a one-byte tag is not UTF-16.
 */
function isFalse(encoding: string, body: Uint8Array): boolean {
  if (encoding.startsWith('utf-16')) return BEGINNING.test(Buffer.from(body.subarray(0, 64)).toString('latin1'));
  if (encoding === 'windows-1252') return isUtf8(body) ? !isAscii(body) : isNearlyUtf8(body) || hasOtherLetters(body);
  if (encoding !== 'utf-8') return false;
  if (isUtf8(body)) return isAscii(body) && markedEncoding(body) !== '';
  const { letters, gaps } = readAsUtf8(body);
  return gaps > letters;
}

/** Letters beyond ASCII, and letters in words that consist only of them. */
const HIGH_LETTER = /[\xc0-\xff]/g;
const HIGH_WORD = /[\xc0-\xff]{4,}/g;
const MIN_HIGH_LETTERS = 40;

/** Cyrillic, Greek, Hebrew or Arabic in a single-byte encoding. */
function hasOtherLetters(body: Uint8Array): boolean {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(HEAD_BYTES, body.byteLength)).toString('latin1');
  const letters = head.match(HIGH_LETTER)?.length ?? 0;
  return letters >= MIN_HIGH_LETTERS && (head.match(HIGH_WORD) ?? []).join('').length > 0.6 * letters;
}

/** Whether the text is UTF-8 with pasted bytes of another encoding, or truncated within a letter. */
function isNearlyUtf8(body: Uint8Array): boolean {
  const { letters, gaps } = readAsUtf8(body);
  return letters >= LETTERS_PER_SLIP * Math.max(1, gaps);
}

/** Counts letters beyond ASCII at the beginning of a body, and invalid sequences between them. */
function readAsUtf8(body: Uint8Array): { readonly letters: number; readonly gaps: number } {
  // As a stream: a letter cut at the end of the sample does not count as invalid.
  const head = decoderFor('utf-8').decode(body.subarray(0, HEAD_BYTES), { stream: true });
  const beyond = head.replace(/[\0-\x7f]/g, '');
  const gaps = beyond.split('\ufffd').length - 1;
  return { letters: beyond.length - gaps, gaps };
}

/** Decodes a page. Never throws: invalid bytes become U+FFFD. */
export function decodeBody(body: Uint8Array, charset: string, isHtml: boolean): string {
  return textIn(sniffEncoding(body, charset, isHtml).encoding, body);
}

/** Decodes a page in a known encoding. */
export function textIn(encoding: string, body: Uint8Array): string {
  const isAsciiSuperset = !encoding.startsWith('utf-16') && !encoding.startsWith('iso-2022');
  if (isAsciiSuperset && isAscii(body))
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
  if (encoding === 'windows-1252') return decodeWindows1252(body);
  if (WITH_GAPS.has(encoding)) return wholeDecoder(encoding)(body);
  return decoderFor(encoding).decode(body);
}

function wholeDecoder(encoding: string): (body: Uint8Array) => string {
  const { createMultibyteDecoder }: typeof Multibyte = require('@exodus/bytes/multi-byte.js');
  return createMultibyteDecoder(encoding, true);
}

/** Returns the encoding name for a label, in lower case; `''` for unknown labels. */
export function encodingOf(label: string): string {
  const name = label.trim().replace(/^["']|["']$/g, '');
  if (name === '') return '';
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return '';
  }
}

function decoderFor(encoding: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder('utf-8');
  }
}

function bomEncoding(body: Uint8Array): string {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return '';
}

function metaEncoding(body: Uint8Array): string {
  const sniff: typeof SniffHtmlEncoding = require('html-encoding-sniffer');
  return sniff(body, { defaultEncoding: '' }).toLowerCase();
}

/** Returns the encoding in a meta after the first kilobyte, at which browsers restart. */
function lateMetaEncoding(body: Uint8Array): string {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(HEAD_BYTES, body.byteLength)).toString('latin1');
  return encodingOf(/<meta[^<>]*[\s;"']charset\s*=\s*["']?([\w:.-]+)/i.exec(head)?.[1] ?? '');
}

/**
 * Detects encodings whose bytes may also be valid UTF-8: UTF-16 without a byte order mark, and the one with escape
 * sequences.
 */
function markedEncoding(body: Uint8Array): string {
  const zeros = utf16Zeros(body);
  if (zeros !== undefined) return zeros === 'odd' ? 'utf-16le' : 'utf-16be';
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(HEAD_BYTES, body.byteLength));
  return SHIFTS_TO_JAPANESE.some((shift) => head.includes(shift, 0, 'latin1')) ? 'iso-2022-jp' : '';
}

/**
 * Returns the position of the zeros of UTF-16 without a byte order mark, in the first 128 bytes: Latin letters and
 * signs have one each. Even a page in another script has at least its first tag in Latin letters.
 */
export function utf16Zeros(head: Uint8Array): 'even' | 'odd' | undefined {
  const pairs = Math.min(head.length >> 1, 64);
  let evenZeros = 0;
  let oddZeros = 0;
  for (let i = 0; i < pairs; i++) {
    if (head[2 * i] === 0) evenZeros++;
    if (head[2 * i + 1] === 0) oddZeros++;
  }
  if (pairs < 4 || evenZeros + oddZeros === 0) return undefined;
  const start = Buffer.from(head.subarray(0, 4)).toString('latin1');
  if (/^<\0[!?a-z]\0/i.test(start)) return 'odd';
  if (/^\0<\0[!?a-z]/i.test(start)) return 'even';
  if (evenZeros === 0 && oddZeros > pairs * 0.7) return 'odd';
  return oddZeros === 0 && evenZeros > pairs * 0.7 ? 'even' : undefined;
}

const WINDOWS_1252_HIGH =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

function decodeWindows1252(body: Uint8Array): string {
  return windows1252Of(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'));
}

/**
 * Decodes windows-1252 without Node: several Node releases decode its bytes 0x80–0x9F as Latin-1. @param latin1 -
 * each byte as a character
 */
export function windows1252Of(latin1: string): string {
  return latin1.replace(/[\x80-\x9f]/g, (c) => WINDOWS_1252_HIGH[c.charCodeAt(0) - 0x80]!);
}
