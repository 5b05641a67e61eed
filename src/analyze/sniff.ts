import { utf16Zeros } from './encoding/charset.ts';
import { isMessage, isTar } from './signatures.ts';

/** The real kind of a body, whatever its headers say. */
export type BodyKind =
  | 'html'
  | 'xhtml'
  | 'text'
  | 'markdown'
  | 'convertible'
  | 'binary'
  | 'feed'
  | 'sitemap'
  | 'other-text'
  | 'empty';

/** Number of bytes checked; more only to find the first tag after comments. */
const SNIFF_BYTES = 2048;
const MAX_COMMENT_BYTES = 1024 * 1024;
/** A body with a greater share of control characters is not text. A single NUL in a page is accepted. */
const CONTROL_SHARE = 0.02;

/** Signatures of formats (mimesniff §6); `.` matches any byte. */
const CONVERTIBLE = beginning('%PDF-', '{\\rt', 'PK\x03\x04', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', '\x1f\x8b\x08');
/** Longer signatures, if the name alone could begin a text about the format. */
const BINARY = beginning(
  '\x89PNG',
  'GIF87a',
  'GIF89a',
  '\xff\xd8\xff',
  'RIFF....WEBP',
  'RIFF....WAVE',
  'RIFF....AVI ',
  'BM....\x00\x00',
  'II*\x00',
  'MM\x00*',
  '\x00\x00\x01\x00',
  '\x7fELF',
  'MZ.\x00',
  'ID3\x02',
  'ID3\x03',
  'ID3\x04',
  '\xff\xfb',
  'OggS\x00',
  'fLaC\x00',
  '....ftyp',
  '\x1aE\xdf\xa3',
  '\x00asm',
  '\xca\xfe\xba\xbe',
  'Rar!\x1a\x07',
  "7z\xbc\xaf'\x1c",
  '\xfd7zXZ\x00',
  'BZh.1AY&SY',
  '\x28\xb5\x2f\xfd',
  'wOFF',
  'wOF2',
  'SQLite format 3',
  '%!PS',
);
const BINARY_TYPES = /^(?:image\/(?!svg)|audio\/|video\/|font\/)/;
const HTML_TAGS = new Set(
  `!doctype html head body title meta link script style h1 h2 h3 h4 h5 h6 div p a table br font b iframe center ul article
section main nav header frameset`.split(/\s+/),
);

const SITEMAP_TAG = /^(?:[a-z0-9]+:)?(?:urlset|sitemapindex)$/;
/** One of the first properties of a JSON Feed. */
const JSON_FEED_VERSION = /"version"\s*:\s*"https?:\\?\/\\?\/jsonfeed\.org/;
const FEED_TAG = /^(?:(?:[a-z0-9]+:)?(?:rss|rdf|feed))$/;

/**
 * Detects the kind of a body from its first bytes, the media type and the URL's extension. Clear signatures override
 * the rest: a picture labelled text/html is a picture, a page labelled text/plain or without type is a page.
 */
export function sniffBody(contentType: string, url: string, body: Uint8Array): BodyKind {
  if (body.byteLength === 0) return 'empty';
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, SNIFF_BYTES));
  const bytes = head.toString('latin1');
  if (CONVERTIBLE.test(bytes) || isTar(head) || isMessage(bytes, contentType)) return 'convertible';
  const isUtf16 = looksUtf16(head);
  if (!isUtf16 && (BINARY.test(bytes) || hasControls(head))) return 'binary';
  return kindOfText(contentType, url, textOf(bytes, isUtf16), firstTagOf(body, isUtf16));
}

/** The ASCII characters, without a byte order mark. */
function textOf(bytes: string, isUtf16: boolean): string {
  return isUtf16 ? bytes.replaceAll('\0', '').replace(/^[\xfe\xff]+/, '') : bytes.replace(/^\xef\xbb\xbf/, '');
}

/** Returns the first tag of a body, however long the comments before it. */
function firstTagOf(body: Uint8Array, isUtf16: boolean): FirstTag {
  for (let size = SNIFF_BYTES; ; size *= 8) {
    const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, size)).toString('latin1');
    const start = firstTag(textOf(head, isUtf16));
    if (!start.isCut || size >= Math.min(body.byteLength, MAX_COMMENT_BYTES)) return start;
  }
}

function kindOfText(contentType: string, url: string, text: string, start: FirstTag): BodyKind {
  if (FEED_TAG.test(start.tag)) return 'feed';
  if (SITEMAP_TAG.test(start.tag)) return 'sitemap';
  if (/^\s*\{/.test(text.slice(0, 100)) && JSON_FEED_VERSION.test(text)) return 'feed';
  if (contentType === 'application/xhtml+xml') return 'xhtml';
  if (contentType === 'text/html') return 'html';
  if (contentType === 'text/markdown' || contentType === 'text/x-markdown') return 'markdown';
  if (contentType === 'text/plain') {
    if (start.tag === '!doctype' || start.tag === 'html') return 'html';
    return isMarkdownUrl(url) ? 'markdown' : 'text';
  }
  if (HTML_TAGS.has(start.tag)) return start.isXml ? 'xhtml' : 'html';
  if (contentType === '' || contentType === 'application/octet-stream' || contentType === 'binary/octet-stream') {
    if (isHtmlUrl(url)) return start.isXml ? 'xhtml' : 'html';
    if (start.isXml) return 'other-text';
    return isMarkdownUrl(url) ? 'markdown' : 'text';
  }
  return BINARY_TYPES.test(contentType) ? 'binary' : 'other-text';
}

interface FirstTag {
  /** Name in lower case; `''` if missing. */
  readonly tag: string;
  readonly isXml: boolean;
  /** The text ends before it. */
  readonly isCut: boolean;
}

/**
 * Returns the name of the first tag after white space, comments and processing instructions, in lower case; `''` if missing. Old feeds begin with their own document type.
 */
function firstTag(text: string): FirstTag {
  let isXml = false;
  let sawComment = false;
  let at = 0;
  while (at < text.length) {
    if (text.charCodeAt(at) <= 32) {
      at++;
    } else if (text.startsWith('<!--', at)) {
      sawComment = true;
      at = endOf(text, '-->', at);
    } else if (text.startsWith('<?', at)) {
      isXml ||= text.startsWith('<?xml', at);
      // In HTML any `>` ends a processing instruction.
      at = endOf(text, isXml ? '?>' : '>', at);
    } else {
      const start = text.slice(at, at + 60).toLowerCase();
      const feed = /^<!doctype\s+([a-z:]+)/.exec(start)?.[1] ?? '';
      if (FEED_TAG.test(feed)) return { tag: feed, isXml: true, isCut: false };
      return { tag: /^<([!a-z][a-z0-9:_.-]*)[\s>/]/.exec(start)?.[1] ?? '', isXml, isCut: false };
    }
  }
  // Only comments so far: most likely HTML.
  return { tag: sawComment ? 'html' : '', isXml, isCut: text !== '' };
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function isHtmlUrl(url: string): boolean {
  return /\.x?html?(?:[?#]|$)/i.test(url);
}

function isMarkdownUrl(url: string): boolean {
  return /\.(?:md|markdown|mdown|mkd)(?:[?#]|$)/i.test(url);
}

function beginning(...magics: readonly string[]): RegExp {
  return new RegExp(`^(?:${magics.map((magic) => magic.replace(/[*()[{\\]/g, '\\$&')).join('|')})`, 's');
}

/** Whether there is a byte order mark, or every other byte of Latin text is zero. */
function looksUtf16(head: Uint8Array): boolean {
  if ((head[0] === 0xfe && head[1] === 0xff) || (head[0] === 0xff && head[1] === 0xfe)) return true;
  return utf16Zeros(head) !== undefined;
}

/**
 * Whether there are bytes that occur in no text: C0 controls except tab, line feed, form feed, carriage return and
 * escape (mimesniff §3).
 */
function hasControls(head: Uint8Array): boolean {
  let controls = 0;
  for (let i = 0; i < head.length; i++) {
    const byte = head[i]!;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) controls++;
  }
  return controls > CONTROL_SHARE * head.length && controls > 3;
}
