import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import {
  getDocument,
  OPS,
  type PDFDocumentProxy,
  type PDFPageProxy,
  VerbosityLevel,
} from 'pdfjs-dist/legacy/build/pdf.mjs';
import type { TextItem } from 'pdfjs-dist/types/src/display/api.js';
import {
  type ConvertedDocument,
  type DocumentFacts,
  escapeHtml,
  firstLine,
  firstLineOf,
  foldLine,
  htmlLink,
  statedTitle,
} from '../analyze/index.ts';
import { withAccents } from './accents.ts';
import { ConversionError, type ConvertLimits } from './outcome.ts';
import { type FormNode, formHtml } from './pdf-form.ts';
import { withoutRunningHeads } from './pdf-heads.ts';
import { glyphsOf, mayHoldLigature, withLigatures } from './pdf-ligatures.ts';
import { type PdfPiece, pageText } from './pdf-text.ts';
import { withoutRadicals } from './radicals.ts';

/** What pdf.js needs to read fonts that a file names and does not hold: tables of Chinese, Japanese and Korean letters, and standard fonts. */
const LIBRARY = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

/** In escaped text; brackets belong to an address in pairs only. */
const URL_IN_TEXT = /\bhttps?:\/\/(?:[^\s<>"'()&]|&amp;|\([^\s<>"'()&]*\))*(?:[\w/]|\([^\s<>"'()&]*\))/g;

interface PdfLink {
  readonly url: string;
  readonly text: string;
}

/** A page as it is printed. */
interface Page {
  readonly text: string;
  /** In the order of the text. */
  readonly links: readonly PdfLink[];
}

/** Text, title and link annotations of a PDF. */
export async function convertPdf(bytes: Uint8Array, limits: ConvertLimits): Promise<ConvertedDocument> {
  const loading = getDocument({
    // pdf.js takes the buffer for itself.
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    isEvalSupported: false,
    cMapUrl: `${LIBRARY}/cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${LIBRARY}/standard_fonts/`,
    // Only for files that are nothing else.
    enableXfa: true,
  });
  try {
    const pdf = await loading.promise;
    const { info, metadata } = await pdf.getMetadata();
    // PDF 2.0 knows the second alone (ISO 32000-2 §14.3.3).
    const [stated = ''] = [(info as { readonly Title?: unknown }).Title, metadata?.get('dc:title')]
      .map((title) => (typeof title === 'string' ? statedTitle(title) : ''))
      .filter((title) => title !== '');
    const { title, body } = pdf.isPureXfa ? await formOf(pdf, limits) : await printOf(pdf, limits);
    return { title: stated || title, body, about: factsOf(info as PdfInfo, metadata?.get('dc:creator')) };
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
    if (name === 'PasswordException') throw new ConversionError('protected', 'the PDF asks for a password');
    throw new ConversionError('damaged', `not a readable PDF: ${message.replace(/\.+$/, '')}`);
  } finally {
    await loading.destroy();
  }
}

interface PdfInfo {
  readonly Author?: unknown;
  readonly CreationDate?: unknown;
  readonly ModDate?: unknown;
}

/** @param creators authors in the newer metadata */
function factsOf(
  { Author: author, CreationDate: created, ModDate: modified }: PdfInfo,
  creators: unknown,
): DocumentFacts {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const named = Array.isArray(creators) ? creators.map(text).join('; ') : text(creators);
  return { author: text(author) || named, created: text(created), modified: text(modified) };
}

async function formOf(pdf: PDFDocumentProxy, limits: ConvertLimits): Promise<ConvertedDocument> {
  const pages = await eachPage(pdf, limits, async (page) => {
    const form = (await page.getXfa()) as FormNode | null;
    return form === null ? '' : formHtml(form);
  });
  return { title: firstLineOf(pages[0] ?? ''), body: pages.join('\n') };
}

async function printOf(pdf: PDFDocumentProxy, limits: ConvertLimits): Promise<ConvertedDocument> {
  const pages = await eachPage(pdf, limits, printedPage);
  const texts = withoutRunningHeads(pages.map(({ text }) => text));
  const body = texts.map((text, i) => pageHtml(text, linksStillIn(text, pages[i]!))).join('\n');
  return { title: firstLine(texts[0] ?? ''), body };
}

/** The links of a page without those of heads and feet that left its text. */
function linksStillIn(text: string, page: Page): readonly PdfLink[] {
  return page.links.filter((link) => text.includes(link.text) || !page.text.includes(link.text));
}

async function eachPage<T>(
  pdf: PDFDocumentProxy,
  { maxPdfPages }: ConvertLimits,
  read: (page: PDFPageProxy) => Promise<T>,
): Promise<readonly T[]> {
  const pages: T[] = [];
  for (let i = 1; i <= Math.min(pdf.numPages, maxPdfPages); i++) {
    const page = await pdf.getPage(i);
    pages.push(await read(page));
    page.cleanup();
  }
  return pages;
}

async function printedPage(page: PDFPageProxy): Promise<Page> {
  const viewport = page.getViewport({ scale: 1 });
  const items = await itemsOf(page);
  const pieces = items.map((item): PdfPiece => {
    const { str, dir, transform, width, height, hasEOL } = item;
    const [x = 0, y = 0]: readonly number[] = viewport.convertToViewportPoint(transform[4], transform[5]);
    return { text: readable(str), x, y, width, height, isRightToLeft: dir === 'rtl', endsLine: hasEOL };
  });
  const notes: string[] = [];
  const links: (PdfLink & { readonly piece: number; readonly x: number })[] = [];
  for (const annotation of await page.getAnnotations({ intent: 'display' })) {
    const note = writtenOn(annotation);
    if (note !== '') notes.push(note);
    const url: unknown = annotation.subtype === 'Link' ? (annotation.url ?? annotation.unsafeUrl) : undefined;
    if (typeof url !== 'string' || url === '') continue;
    const text = readable(String(annotation.overlaidText ?? ''));
    const corners: readonly number[] = viewport.convertToViewportRectangle(annotation.rect);
    const within = pageText(piecesIn(corners, pieces));
    const at = { piece: firstPieceIn(corners, pieces), x: Math.min(corners[0]!, corners[2]!) };
    links.push({ url, text: linkText(withAccents(text), withAccents(within)), ...at });
  }
  // Some programs name them in another order than that of the text, and many have the same words.
  links.sort((a, b) => a.piece - b.piece || a.x - b.x);
  const text = [withAccents(pageText(pieces)), ...notes].filter((part) => part !== '').join('\n\n');
  return { text, links };
}

/** The texts of a page. Its glyphs are asked for only if they decide how a text is read. */
async function itemsOf(page: PDFPageProxy): Promise<readonly TextItem[]> {
  const { items } = await page.getTextContent();
  const texts = items.filter((item) => 'str' in item);
  if (!texts.some(({ str, dir }) => dir === 'rtl' && mayHoldLigature(str))) return texts;
  const { fnArray, argsArray } = await page.getOperatorList();
  const shown = (argsArray as readonly (readonly unknown[])[]).filter((_, i) => fnArray[i] === OPS.showText);
  const mended = withLigatures(
    texts.map(({ str, dir }) => (dir === 'rtl' ? str : undefined)),
    glyphsOf(shown),
  );
  return texts.map((item, i) => ({ ...item, str: mended[i] ?? item.str }));
}

/** An annotation as far as it is text on the page (ISO 32000-2 §12.5.6.6, §12.7). */
interface Written {
  readonly subtype?: unknown;
  readonly fieldType?: unknown;
  readonly fieldValue?: unknown;
  readonly password?: unknown;
  readonly hidden?: unknown;
  readonly contentsObj?: { readonly str?: unknown };
}

/** What is filled into a form, or written on a page: a text or a choice, no button and no password; `''` for other annotations. */
function writtenOn({ subtype, fieldType, fieldValue, password, hidden, contentsObj }: Written): string {
  if (hidden === true || password === true) return '';
  if (subtype === 'FreeText')
    return String(contentsObj?.str ?? '')
      .replace(/\r\n?/g, '\n')
      .trim();
  if (subtype !== 'Widget' || (fieldType !== 'Tx' && fieldType !== 'Ch')) return '';
  const values = Array.isArray(fieldValue) ? (fieldValue as readonly unknown[]) : [fieldValue];
  return values
    .filter((value) => typeof value === 'string')
    .join(' ')
    .replace(/\r\n?/g, '\n')
    .trim();
}

/** Where TeX's fonts have their ligatures, in the encoding of old (OT1) and in the one of today (T1). */
const TEX_LIGATURES: Readonly<Record<string, string>> = {
  '\x0e': 'ffi',
  '\x0f': 'ffl',
  '\x1b': 'ff',
  '\x1c': 'fi',
  '\x1d': 'fl',
  '\x1e': 'ffi',
  '\x1f': 'ffl',
};

/** What letters a font draws is not always told: numbers of their shapes come in their place, among them control characters. */
function readable(text: string): string {
  return withoutRadicals(text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f]/g, (shape) => TEX_LIGATURES[shape] ?? ' '));
}

/** What pdf.js says of a link is in no order where it is read from the right. */
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/**
 * The words of a link: those that pdf.js finds under it, or the pieces within it. Browsers draw a link a little narrower than its words, and
 * pdf.js then misses the last letter.
 */
function linkText(found: string, within: string): string {
  if (RIGHT_TO_LEFT.test(found)) return within || found;
  const [part, whole] = [foldLine(found), foldLine(within)];
  return whole.length === part.length + 1 && whole.startsWith(part) ? whole : part;
}

/** Returns the index of the first piece that overlaps a rectangle; `pieces.length` if no piece does. */
function firstPieceIn([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[], pieces: readonly PdfPiece[]): number {
  const [left, right] = [Math.min(x1, x2), Math.max(x1, x2)];
  const at = pieces.findIndex(({ x, y, width }) => x < right && x + width > left && isBetween(y1, y, y2));
  return at < 0 ? pieces.length : at;
}

function isBetween(a: number, at: number, b: number): boolean {
  return Math.min(a, b) <= at && at <= Math.max(a, b);
}

/** @param corners x and y of two opposite ones */
function piecesIn(corners: readonly number[], pieces: readonly PdfPiece[]): readonly PdfPiece[] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners;
  return pieces.filter(({ x, y, width }) => isBetween(x1, x + width / 2, x2) && isBetween(y1, y, y2));
}

/** Paragraphs of a page. A link is put around its text where that is found, else behind the page. */
function pageHtml(text: string, links: readonly PdfLink[]): string {
  let html = joinLines(text)
    .split(/\n{2,}/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => `<p>${escapeHtml(part)}</p>`)
    .join('\n');
  const loose: string[] = [];
  let from = 0;
  for (const link of links) {
    const anchor = escapeHtml(foldLine(link.text));
    const at = anchor === '' ? -1 : html.indexOf(anchor, from);
    if (at < 0) {
      loose.push(`<p>${htmlLink(urlOf(link), link.text)}</p>`);
      continue;
    }
    const linked = htmlLink(urlOf(link), foldLine(link.text));
    html = html.slice(0, at) + linked + html.slice(at + anchor.length);
    from = at + linked.length;
  }
  return linkUrls(html.replace(PARTED_LINK, joined)) + loose.join('\n');
}

/** Joins links to one address with only blanks between them: a link over two lines, or one that a program wrote word by word. */
const PARTED_LINK = /(<a href="[^"]*">)([^<]*(?:<\/a>\s*\1[^<]*)+)/g;

function joined(_: string, opening: string, rest: string): string {
  return opening + rest.replaceAll('</a>', '').replaceAll(opening, '');
}

/** Some programs write `url(http://…)`. */
function urlOf({ url }: PdfLink): string {
  return url.replace(/^url\((.*)\)$/, '$1');
}

/** URLs in the text that no annotation made a link. */
function linkUrls(html: string): string {
  return html
    .split(/(<a href="[^"]*">[^<]*<\/a>)/)
    .map((part) => (part.startsWith('<a ') ? part : part.replace(URL_IN_TEXT, '<a href="$&">$&</a>')))
    .join('');
}

/** A word parted at a line's end becomes one again, an address too, whose hyphen is its own; other line ends are blanks. */
function joinLines(text: string): string {
  return text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/(\bhttps?:\/\/\S{0,2000}-)\n(?=[\p{L}\p{N}])/gu, '$1')
    .replace(/(\p{Ll})[-\u2010]\n(?=\p{Ll})/gu, '$1')
    .replace(/([^\n])\n(?!\n)/g, '$1 ');
}
