import {
  type BodyKind,
  bodyOf,
  type ConvertedDocument,
  decodeBody,
  escapeHtml,
  HtmlScanner,
  htmlLink,
  htmlPage,
  Layout,
  readFragment,
  scanPlain,
  sniffBody,
} from '../analyze/index.ts';
import { archiveOfMember, type CanonicalUrl, isArchiveUrl, memberUrl } from '../core/index.ts';
import type { Archive } from './archive.ts';
import { containerOf } from './format.ts';
import { pageOfMessage } from './message.ts';
import { openArchive, unfoldGzip } from './open-archive.ts';
import { ConversionError, type ConvertLimits, PackingError } from './outcome.ts';

/** Archives are opened within archives this deep. */
const MAX_NESTING = 1;
/** Of a member's text, on the page of its archive. */
const EXCERPT_CHARS = 600;

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
  const archive = archiveOfMember(url as CanonicalUrl);
  if (archive !== undefined) return convertMemberOf(bytes, { archive, url, limits });
  return pageOf(bytes, { contentType, name: nameOf(url), url, nesting: 0, limits });
}

interface Context {
  readonly contentType: string;
  readonly name: string;
  /** Address of the document; `''` where it has none of its own. */
  readonly url: string;
  readonly nesting: number;
  readonly limits: ConvertLimits;
}

/** Analysis reads these as they are; a page keeps its links and what it says of itself. */
const READ_AS_THEY_ARE: readonly BodyKind[] = ['html', 'xhtml', 'sitemap', 'feed'];

/** A document that has an address of its own. */
async function pageOf(bytes: Uint8Array, context: Context): Promise<string> {
  const { contentType, name, limits } = context;
  const unfolded = containerOf(contentType, bytes) === 'gzip' ? await unfoldGzip(bytes, limits) : undefined;
  const content = unfolded ?? bytes;
  if (containerOf('', content) === 'message') return pageOfMessage(content).slice(0, limits.maxHtmlChars);
  const kind = sniffBody('', unfolded === undefined ? name : withoutGz(name), content);
  if (READ_AS_THEY_ARE.includes(kind))
    return decodeBody(content, '', kind === 'html' || kind === 'xhtml').slice(0, limits.maxHtmlChars);
  const { title, body, about } =
    unfolded === undefined ? await convertBytes(bytes, context) : await convertUnfolded(unfolded, context);
  return htmlPage(title === '' ? name : title, body.slice(0, limits.maxHtmlChars), about);
}

async function convertBytes(bytes: Uint8Array, context: Context): Promise<ConvertedDocument> {
  switch (containerOf(context.contentType, bytes)) {
    case 'pdf':
      return (await import('./pdf.ts')).convertPdf(bytes, context.limits);
    case 'ole':
      return (await import('./ole.ts')).convertOle(bytes);
    case 'rtf':
      return (await import('./rtf.ts')).convertRtf(bytes, context.limits);
    case 'message':
      return readFragment(pageOfMessage(bytes));
    case 'zip':
      return convertZip(bytes, context);
    case 'tar':
      return convertMembers(await openArchive(bytes, context.limits), context);
    case 'gzip':
      return convertGzip(bytes, context);
    case undefined:
      return convertText(bytes, context);
  }
}

/** Some programs number the main part of a document. */
const WORD_PART = /^word\/document\d*\.xml$/;

async function convertZip(bytes: Uint8Array, context: Context): Promise<ConvertedDocument> {
  const archive = await openArchive(bytes, context.limits);
  const has = (name: string): boolean => archive.names.includes(name);
  if (archive.names.some((name) => WORD_PART.test(name)))
    return (await import('./word.ts')).convertDocx(archive, context.limits, (chunk, name) =>
      convertChunk(chunk, name, context),
    );
  if (has('ppt/presentation.xml')) return (await import('./office-xml.ts')).convertPptx(archive);
  if ((has('content.xml') || has('encrypted-package')) && (has('mimetype') || has('META-INF/manifest.xml')))
    return (await import('./office-xml.ts')).convertOpenDocument(archive);
  if (has('META-INF/container.xml')) return (await import('./epub.ts')).convertEpub(archive, context.limits);
  return convertMembers(archive, context);
}

/** A part of a document in a format of its own. */
async function convertChunk(chunk: Uint8Array, name: string, context: Context): Promise<ConvertedDocument> {
  requireShallow(context);
  return convertBytes(chunk, { ...context, contentType: '', name, url: '', nesting: context.nesting + 1 });
}

interface MemberQuestion {
  /** Address of the archive that is at hand. */
  readonly archive: string;
  /** Address of the member. */
  readonly url: string;
  readonly limits: ConvertLimits;
}

/** One document of an archive, or of an archive in it, as the page under its own address. */
async function convertMemberOf(
  bytes: Uint8Array,
  { archive, url, limits }: MemberQuestion,
  nesting = 0,
): Promise<string> {
  const opened = await openArchive(bytes, limits);
  for (const name of opened.names) {
    const address = memberUrl(archive, name);
    if (address === undefined || (address !== url && !url.startsWith(`${address}!/`))) continue;
    const content = (await opened.read(name)) ?? Buffer.alloc(0);
    if (address !== url) {
      if (nesting >= MAX_NESTING) throw new ConversionError('type', 'archives nested too deeply');
      return convertMemberOf(content, { archive: address, url, limits }, nesting + 1);
    }
    return pageOf(content, { contentType: '', name: nameOf(name), url, nesting: nesting + 1, limits });
  }
  throw new ConversionError('type', 'the archive has no such member');
}

/**
 * Converts the documents in an archive, one section per document under its name; skips other members. If members have addresses of their own, a section is a link with the beginning of the text.
 */
async function convertMembers(archive: Archive, context: Context): Promise<ConvertedDocument> {
  const sections: string[] = [];
  let unread: ConversionError | undefined;
  for (const name of archive.names.filter(isDocumentName).slice(0, context.limits.maxMembers)) {
    try {
      const section = await convertMember((await archive.read(name)) ?? Buffer.alloc(0), name, context);
      if (section !== undefined) sections.push(section);
    } catch (error) {
      // A broken member is skipped; a decompression bomb rejects the whole archive.
      if (!(error instanceof ConversionError)) continue;
      if (error.reason === 'too-large') throw error;
      if (error.reason === 'protected' || error instanceof PackingError) unread = error;
    }
  }
  if (sections.length === 0) throw unread ?? new ConversionError('type', 'no document in the archive');
  return { title: '', body: sections.join('\n') };
}

async function convertMember(content: Uint8Array, name: string, context: Context): Promise<string | undefined> {
  const isArchive = ['zip', 'tar', 'gzip'].includes(containerOf('', content) ?? '');
  if (isArchive && context.nesting >= MAX_NESTING) return undefined;
  const url = hasMemberUrls(context) ? (memberUrl(context.url, name) ?? '') : '';
  // The page of an inner archive lists that archive's members.
  const nesting = context.nesting + 1;
  const inner = await convertBytes(content, { ...context, contentType: '', name, url, nesting });
  const title = inner.title === '' ? name : inner.title;
  if (url === '') return `<section><h2>${escapeHtml(title)}</h2>${inner.body}</section>`;
  return `<section><h2>${htmlLink(url, title)}</h2><p>${escapeHtml(beginningOf(inner.body))}</p></section>`;
}

/** Archives in archives have them once. */
function hasMemberUrls({ url, nesting }: Context): boolean {
  return isArchiveUrl(url) && nesting <= MAX_NESTING;
}

/** Enough of a text to judge by. */
function beginningOf(html: string): string {
  const layout = new Layout();
  new HtmlScanner(html.slice(0, 20 * EXCERPT_CHARS), layout, { maxLinks: 1 }).run(false);
  const text = layout.blocks.map(({ start, end }) => layout.slice(start, end)).join(' ');
  return text.slice(0, EXCERPT_CHARS).toWellFormed();
}

function isDocumentName(name: string): boolean {
  return (
    !/(?:^|[/\\])(?:__MACOSX[/\\]|\.(?!\/))/.test(name) &&
    /\.(?:x?html?|txt|md|markdown|text|pdf|do[ct][xm]?|p[op]t[xm]?|pps[xm]?|o[dt][tp]|rtf|epub|mht(?:ml)?|rst|zip|tar|tgz|gz)$|(?:^|\/)(?:readme|changes|changelog)$/i.test(
      name,
    )
  );
}

async function convertGzip(bytes: Uint8Array, context: Context): Promise<ConvertedDocument> {
  requireShallow(context);
  return convertUnfolded(await unfoldGzip(bytes, context.limits), context);
}

/** What a gzip file holds. */
async function convertUnfolded(content: Uint8Array, context: Context): Promise<ConvertedDocument> {
  requireShallow(context);
  const inner = { ...context, contentType: '', name: withoutGz(context.name) };
  // A tar archive and its packing are one.
  return convertBytes(content, containerOf('', content) === 'tar' ? inner : { ...inner, nesting: inner.nesting + 1 });
}

function requireShallow({ nesting }: Context): void {
  if (nesting > MAX_NESTING) throw new ConversionError('type', 'archives nested too deeply');
}

function withoutGz(name: string): string {
  return name.replace(/\.gz$/i, '').replace(/\.tgz$/i, '.tar');
}

/** HTML and plain text inside archives, with the links that lead out of it: relative ones lead to other members. */
function convertText(bytes: Uint8Array, context: Context): ConvertedDocument {
  const kind = sniffBody('', context.name, bytes);
  if (kind === 'html' || kind === 'xhtml') return readFragment(decodeBody(bytes, '', true));
  if (kind !== 'text' && kind !== 'markdown') throw new ConversionError('type', `${context.name} holds no document`);
  const layout = new Layout();
  const title = scanPlain(decodeBody(bytes, '', false), layout, kind === 'markdown');
  return { title, body: bodyOf(layout) };
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
