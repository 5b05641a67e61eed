import {
  type AnalyzedDocument,
  bibliographyFields,
  type CanonicalUrl,
  type Config,
  canonicalize,
  EMPTY_COUNTS,
  EMPTY_LINKS,
  type Forward,
  type PageHeaders,
} from '../core/index.ts';
import { ownCopy } from '../kit/index.ts';
import { decodeBody, sniffEncoding, textIn } from './encoding/charset.ts';
import { addressIn } from './encoding/query-encoding.ts';
import { feedPage } from './feeds/feed.ts';
import { jsonFeedPage } from './feeds/json-feed.ts';
import { scanRobotsSitemaps, scanSitemap } from './feeds/sitemap.ts';
import { foldLine } from './fold.ts';
import { formFeatures, type PageForm } from './form-features.ts';
import { HtmlScanner } from './html/html-scanner.ts';
import { Layout } from './html/layout.ts';
import { linkTable } from './html/links.ts';
import { escapeHtml } from './html/markup.ts';
import {
  emptyMeta,
  type PageMeta,
  type Refresh,
  type RobotsReader,
  robotsDirectives,
  stricter,
} from './html/page-meta.ts';
import { scanPlain } from './html/plain-scanner.ts';
import { type AnalyzeOptions, documentOf } from './layout-document.ts';
import { canonicalInHeader } from './link-header.ts';
import { bibliographyOf } from './record/bibliography.ts';
import { type BodyKind, sniffBody } from './sniff.ts';
import { type Unusable, unusable } from './unusable.ts';

/** A page with fewer words that redirects within so many seconds only serves the redirect. Our choice. */
const FORWARDING_TOKENS = 50;
const FORWARDING_SECONDS = 30;

const ROBOTS_TXT = /^https?:\/\/[^/]+\/robots\.txt$/;
/** Links read per link kept: some are repeated, some too long. */
const RAW_SITEMAP_LINKS = 2;

/** A fetched page, as analysis needs it. */
export interface RawPage {
  readonly url: CanonicalUrl;
  readonly headers: Pick<
    PageHeaders,
    'contentType' | 'charset' | 'contentLanguage' | 'xRobotsTag' | 'refresh' | 'link' | 'tdmReservation'
  >;
  readonly body: Uint8Array;
  /** In ms since 1970, for pages that must be dropped after some date. Default: before any date. */
  readonly fetchedAt?: number;
}

export interface PageOptions extends AnalyzeOptions, Pick<Config['crawl'], 'maxLinksPerPage' | 'maxUrlChars'> {
  /**
   * Our own name, in lower case, to which a page may address directives. Default: only directives for all robots
   * apply.
   */
  readonly robot?: string;
  /** Feeds that a page names in its head are links of the page. Default: false. */
  readonly feeds?: boolean;
}

/** A thread analyses one page at a time, and reuses the layout. */
const layout = new Layout();

/**
 * Converts bytes to a document: HTML, XHTML, plain text, markdown and feeds. Never throws because of a page's
 * content. The document shares no memory with the page.
 */
export function analyze(page: RawPage, options: PageOptions): AnalyzedDocument | Unusable {
  const kind = sniffBody(page.headers.contentType, page.url, page.body);
  if (kind === 'html' || kind === 'xhtml') {
    const { encoding } = sniffEncoding(page.body, page.headers.charset, true);
    return analyzeHtml(
      page,
      { html: textIn(encoding, page.body), isXml: XML_TYPES.has(page.headers.contentType), encoding },
      options,
    );
  }
  if (kind === 'empty' && page.headers.refresh !== '') {
    const moved = analyzeHtml(page, { html: '', isXml: false, encoding: 'utf-8' }, options);
    if (moved.forward !== undefined) return moved;
  }
  if (kind === 'text' && ROBOTS_TXT.test(page.url))
    return analyzeLinkList(page, decodeBody(page.body, page.headers.charset, false), options, scanRobotsSitemaps);
  if (kind === 'text' || kind === 'markdown') return analyzePlain(page, kind, options);
  if (kind === 'sitemap') return analyzeLinkList(page, decodeXml(page), options, scanSitemap);
  const feed = kind === 'feed' ? readFeed(decodeXml(page), page.url) : undefined;
  if (feed !== undefined) return analyzeHtml(page, { html: feed, isXml: false, encoding: 'utf-8' }, options);
  return refusal(kind === 'feed' ? 'other-text' : kind, page.headers.contentType);
}

function readFeed(text: string, url: string): string | undefined {
  return /^[\s\ufeff]*\{/.test(text.slice(0, 100)) ? jsonFeedPage(text, url) : feedPage(text, url);
}

/** XML declares its encoding in its first line. */
function decodeXml({ body, headers }: RawPage): string {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(200, body.byteLength)).toString('latin1');
  const declared = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head)?.[1] ?? '';
  return decodeBody(body, headers.charset || declared, false);
}

/**
 * Makes a document from text without a page: a query, a local text file, a passage that the user selected. Detects
 * its language if it is long enough.
 */
export function analyzeText(text: string, options: AnalyzeOptions & { readonly title?: string }): AnalyzedDocument {
  const wellFormed = text.toWellFormed();
  layout.reset();
  scanPlain(wellFormed, layout, false);
  const document = documentOf(
    layout,
    { meta: { ...emptyMeta(), title: foldLine(options.title ?? '') }, links: EMPTY_LINKS },
    options,
  );
  // A text without a page has no form.
  if (!options.spaces.includes('form')) return document;
  return { ...document, features: { ...document.features, form: EMPTY_COUNTS } };
}

interface HtmlText {
  readonly html: string;
  /** Browsers read it as XML, in which `<div/>` is a complete element. */
  readonly isXml: boolean;
  /** Encoding of the received bytes. */
  readonly encoding: string;
}

const XML_TYPES: ReadonlySet<string> = new Set(['application/xhtml+xml', 'application/xml', 'text/xml']);

/** Removes the declarations in brackets of an XML document type; they are not text. */
function withoutSubset(xml: string): string {
  return xml.replace(
    /^([^<]{0,99}(?:<[!?][^<>[\]]{0,999}>\s{0,99}){0,9}<!DOCTYPE[^<>[\]]{0,999})\[[^\]]{0,99999}\]/i,
    '$1',
  );
}

function analyzeHtml(page: RawPage, { html: body, isXml, encoding }: HtmlText, options: PageOptions): AnalyzedDocument {
  layout.reset();
  const html = refreshTag(page.headers.refresh) + (isXml ? withoutSubset(body) : body);
  const { maxLinksPerPage: maxLinks, feeds = false } = options;
  const meta = new HtmlScanner(html, layout, { maxLinks, feeds, ...readerOf(page, options) }).run(isXml);
  // A longer one would be parsed again with every link of the page.
  const hasBase = meta.base !== '' && meta.base.length <= options.maxUrlChars;
  const base = (hasBase ? canonicalize(meta.base, page.url) : undefined) ?? page.url;
  const links = linkTable(layout, {
    page: page.url,
    base,
    encoding,
    sourceChars: html.length,
    maxLinks: options.maxLinksPerPage,
    maxUrlChars: options.maxUrlChars,
  });
  const robots = robotsDirectives(page.headers.xRobotsTag, readerOf(page, options));
  const whole = { ...meta, ...stricter(meta, robots) };
  const language = meta.language || page.headers.contentLanguage;
  const said = meta.canonical === '' ? undefined : canonicalize(addressIn(encoding, meta.canonical), base);
  const canonical = said === undefined ? originalOf(page) : ownCopy(said);
  // The document overwrites the layout.
  const fields = recordFields(page, { ...meta, language, canonical });
  const document = documentOf(layout, { meta: { ...whole, language, canonical }, links }, options);
  const forward =
    meta.refresh && !whole.nofollow ? forwardOf(meta.refresh, base, { page: page.url, encoding }) : undefined;
  const { features } = withForm(document, { url: page.url, html: body, links }, options);
  const told = { ...document, features, ...fields };
  return forward === undefined || document.tokens >= FORWARDING_TOKENS ? told : { ...told, forward };
}

/** Returns what the page says about itself as a publication. */
function recordFields({ url, headers, fetchedAt = 0 }: RawPage, meta: PageMeta): Pick<AnalyzedDocument, 'fields'> {
  const { said, data, times, canonical, title, language } = meta;
  const record = bibliographyOf({
    ...{ said, data, times, canonical, title, url, fetchedAt, layout, language },
    robotsHeader: headers.xRobotsTag,
    miningHeader: headers.tdmReservation ?? '',
  });
  return record === undefined ? {} : { fields: bibliographyFields(record) };
}

/** Returns the original of the page according to its server, or `''`. */
function originalOf({ headers, url }: RawPage): string {
  const target = headers.link === '' ? '' : canonicalInHeader(headers.link);
  return target === '' ? '' : ownCopy(canonicalize(target, url) ?? '');
}

/** Converts a `Refresh` header to the equivalent tag. */
function refreshTag(refresh: string): string {
  return refresh === '' ? '' : `<meta http-equiv=refresh content="${escapeHtml(refresh)}">`;
}

function forwardOf(
  { afterSeconds, target }: Refresh,
  base: string,
  { page, encoding }: { readonly page: CanonicalUrl; readonly encoding: string },
): Forward | undefined {
  const url = canonicalize(addressIn(encoding, target), base);
  if (url === undefined || url === page || afterSeconds > FORWARDING_SECONDS) return undefined;
  return { target: url, isAtOnce: afterSeconds === 0 };
}

function analyzePlain(page: RawPage, kind: 'text' | 'markdown', options: PageOptions): AnalyzedDocument {
  const text = decodeBody(page.body, page.headers.charset, false).toWellFormed();
  layout.reset();
  const title = scanPlain(text, layout, kind === 'markdown');
  const links = linkTable(layout, {
    page: page.url,
    base: page.url,
    sourceChars: text.length,
    maxLinks: options.maxLinksPerPage,
    maxUrlChars: options.maxUrlChars,
  });
  const robots = robotsDirectives(page.headers.xRobotsTag, readerOf(page, options));
  const said = { title, language: page.headers.contentLanguage, canonical: originalOf(page) };
  const document = documentOf(layout, { meta: { ...emptyMeta(), ...robots, ...said }, links }, options);
  return { ...document, ...withForm(document, { url: page.url, html: text, links }, options) };
}

/** Returns the features of a document, with its form if that is wanted. */
function withForm(
  { title, features }: AnalyzedDocument,
  source: Omit<PageForm, 'title'>,
  { spaces }: Pick<PageOptions, 'spaces'>,
): Pick<AnalyzedDocument, 'features'> {
  return { features: spaces.includes('form') ? { ...features, form: formFeatures({ ...source, title }) } : features };
}

function readerOf({ fetchedAt = 0 }: RawPage, { robot = '' }: PageOptions): RobotsReader {
  return { robot, now: fetchedAt };
}

/** Makes a document that contains only links, and no text to search or judge. */
function analyzeLinkList(
  page: RawPage,
  text: string,
  options: PageOptions,
  scan: (text: string, into: Layout, maxLinks: number) => void,
): AnalyzedDocument {
  layout.reset();
  scan(text, layout, RAW_SITEMAP_LINKS * options.maxLinksPerPage);
  const { maxLinksPerPage: maxLinks, maxUrlChars } = options;
  const links = linkTable(layout, { page: page.url, base: page.url, sourceChars: text.length, maxLinks, maxUrlChars });
  layout.reset();
  return documentOf(layout, { meta: emptyMeta(), links }, options);
}

function refusal(
  kind: Exclude<BodyKind, 'html' | 'xhtml' | 'text' | 'markdown' | 'feed' | 'sitemap'>,
  contentType: string,
): Unusable {
  const type = contentType === '' ? 'no media type' : contentType;
  switch (kind) {
    case 'empty':
      return unusable('empty', 'the body is empty');
    case 'convertible':
      return unusable('convertible', `${type}: to be converted first`);
    case 'binary':
      return unusable('binary', `sent as ${type}, but not text`);
    case 'other-text':
      return unusable('type', `${type} is not a document`);
  }
}
