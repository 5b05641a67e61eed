import { createGunzip } from 'node:zlib';
import { decodeBody } from '../charset.ts';
import { HtmlScanner } from '../html-scanner.ts';
import { Layout } from '../layout.ts';
import { scanPlain } from '../plain-scanner.ts';
import { sniffBody } from '../sniff.ts';
import { containerOf } from './format.ts';
import { escapeHtml, htmlLink, htmlPage } from './markup.ts';
import { ConversionError, type ConvertedDocument, type ConvertLimits } from './outcome.ts';
import type { Archive } from './zip.ts';
import { collect, openArchive } from './zip.ts';

/** Archives are opened within archives this deep. */
const MAX_NESTING = 1;

/**
 * Turns a PDF, an Office document or an archive into one HTML page. Meant to run in the converter's child process: the
 * libraries behind it can be made to eat memory and time.
 * @throws ConversionError, and whatever the libraries throw
 */
export async function convertToPage(
  bytes: Uint8Array,
  contentType: string,
  url: string,
  limits: ConvertLimits,
): Promise<string> {
  const { title, body } = await convertBytes(bytes, { contentType, name: nameOf(url), nesting: 0, limits });
  return htmlPage(title === '' ? nameOf(url) : title, body.slice(0, limits.maxHtmlChars));
}

interface Context {
  readonly contentType: string;
  readonly name: string;
  readonly nesting: number;
  readonly limits: ConvertLimits;
}

async function convertBytes(bytes: Uint8Array, context: Context): Promise<ConvertedDocument> {
  switch (containerOf(context.contentType, bytes)) {
    case 'pdf':
      return (await import('./pdf.ts')).convertPdf(bytes, context.limits);
    case 'ole':
      return (await import('./word.ts')).convertOle(bytes);
    case 'zip':
      return convertZip(bytes, context);
    case 'gzip':
      return convertGzip(bytes, context);
    case undefined:
      return convertText(bytes, context);
  }
}

async function convertZip(bytes: Uint8Array, context: Context): Promise<ConvertedDocument> {
  const archive = await openArchive(bytes, context.limits);
  const has = (name: string): boolean => archive.names.includes(name);
  if (has('word/document.xml')) return (await import('./word.ts')).convertDocx(bytes, archive);
  if (has('ppt/presentation.xml')) return (await import('./office-xml.ts')).convertPptx(archive);
  if (has('content.xml') && has('mimetype')) return (await import('./office-xml.ts')).convertOpenDocument(archive);
  return convertMembers(archive, context);
}

/** The documents in an archive, each a section under its name; what is none is passed over. */
async function convertMembers(archive: Archive, context: Context): Promise<ConvertedDocument> {
  const sections: string[] = [];
  for (const name of archive.names.slice(0, context.limits.maxMembers)) {
    if (!isDocumentName(name)) continue;
    const content = await archive.read(name);
    const section = content === undefined ? undefined : await convertMember(content, name, context);
    if (section !== undefined) sections.push(section);
  }
  if (sections.length === 0) throw new ConversionError('type', 'no document in the archive');
  return { title: '', body: sections.join('\n') };
}

async function convertMember(content: Buffer, name: string, context: Context): Promise<string | undefined> {
  const isArchive = ['zip', 'gzip'].includes(containerOf('', content) ?? '');
  if (isArchive && context.nesting >= MAX_NESTING) return undefined;
  try {
    const inner = await convertBytes(content, { ...context, contentType: '', name, nesting: context.nesting + 1 });
    return `<section><h2>${escapeHtml(inner.title === '' ? name : inner.title)}</h2>${inner.body}</section>`;
  } catch (error) {
    // One broken member spoils no archive; a bomb does.
    if (error instanceof ConversionError && error.reason === 'too-large') throw error;
    return undefined;
  }
}

function isDocumentName(name: string): boolean {
  return (
    !/(?:^|\/)(?:__MACOSX\/|\.)/.test(name) &&
    /\.(?:x?html?|txt|md|markdown|text|pdf|docx?|pptx?|od[tp]|rst|zip|gz)$|(?:^|\/)(?:readme|changes|changelog)$/i.test(
      name,
    )
  );
}

async function convertGzip(bytes: Uint8Array, context: Context): Promise<ConvertedDocument> {
  if (context.nesting > MAX_NESTING) throw new ConversionError('type', 'archives nested too deeply');
  const gunzip = createGunzip();
  gunzip.end(bytes);
  const content = await collect(gunzip, context.limits.maxInflatedBytes).catch((error: unknown) => {
    if (error instanceof ConversionError) throw error;
    throw new ConversionError('damaged', `not readable gzip: ${String(error)}`);
  });
  const name = context.name.replace(/\.gz$/i, '');
  return convertBytes(content, { ...context, contentType: '', name, nesting: context.nesting + 1 });
}

/** HTML and plain text inside archives, with the links that lead out of it: relative ones lead to other members. */
function convertText(bytes: Uint8Array, context: Context): ConvertedDocument {
  const kind = sniffBody('', context.name, bytes);
  const layout = new Layout();
  if (kind === 'html' || kind === 'xhtml') {
    const html = decodeBody(bytes, '', true);
    const { title } = new HtmlScanner(html, layout, 1_000).run(false);
    return { title, body: bodyOf(layout) };
  }
  if (kind !== 'text' && kind !== 'markdown') throw new ConversionError('type', `${context.name} holds no document`);
  const title = scanPlain(decodeBody(bytes, '', false), layout, kind === 'markdown');
  return { title, body: bodyOf(layout) };
}

function bodyOf(layout: Layout): string {
  const outward = layout.links
    .filter((link) => /^https?:/i.test(link.href))
    .map((link) => `<p>${htmlLink(link.href, layout.slice(link.start, link.end))}</p>`);
  const text = layout.blocks.map(({ start, end }) => `<p>${escapeHtml(layout.slice(start, end))}</p>`);
  return [...text, ...outward].join('\n');
}

function nameOf(url: string): string {
  const path = url.replace(/[?#].*$/, '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
