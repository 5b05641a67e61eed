import type {
  AnalyzedDocument,
  CanonicalUrl,
  Config,
  FeatureSpace,
  Forward,
  LinkTable,
  PageHeaders,
  TermCounts,
} from '../core/index.ts';
import { canonicalize, EMPTY_LINKS, ownCopy, packSorted, WordTrail } from '../core/index.ts';
import { codeUnits } from './code-units.ts';
import { escapeHtml } from './convert/markup.ts';
import { decodeBody, sniffEncoding, textIn } from './encoding/charset.ts';
import { addressIn } from './encoding/query-encoding.ts';
import { pairCounts, StemCounter } from './features.ts';
import { feedPage } from './feeds/feed.ts';
import { jsonFeedPage } from './feeds/json-feed.ts';
import { scanRobotsSitemaps, scanSitemap } from './feeds/sitemap.ts';
import { contentHash, simhash } from './fingerprint.ts';
import { clip, foldLine } from './fold.ts';
import { HtmlScanner } from './html/html-scanner.ts';
import { type Block, Layout, utf8Of, wholeUnit } from './html/layout.ts';
import { linkTable } from './html/links.ts';
import { charsOf, type MainText, mainText } from './html/main-text.ts';
import {
  emptyMeta,
  type PageMeta,
  type Refresh,
  type RobotsReader,
  robotsDirectives,
  stricter,
} from './html/page-meta.ts';
import { scanPlain } from './html/plain-scanner.ts';
import { standIn } from './html/stand-in.ts';
import { canonicalInHeader } from './link-header.ts';
import { type BodyKind, sniffBody } from './sniff.ts';
import { type Unusable, unusable } from './unusable.ts';
import { hasMarks } from './words/char-class.ts';
import { languageOf, primaryTag } from './words/language.ts';
import { scanWords, TokenStream, unitsOf, vocabularyOf } from './words/tokenize.ts';
import { NO_STEM, type Vocabulary } from './words/vocabulary.ts';

/**
 * A word of the title counts like this many in the text. Titles are the shortest honest summary of a page; three is enough
 * to lift a title's words above chance mentions, and too little to drown a text that says something else.
 */
const TITLE_WEIGHT = 3;

/** English text has 40 to 50 % stop words; no other language reaches this share of English ones. */
const SURE_ENGLISH = 0.3;
const STOP_SHARE_WORDS = 400;
const MIN_STOP_SHARE_WORDS = 20;

/** A page with fewer words that leaves for another address within so many seconds is there for nothing else. Our choice. */
const FORWARDING_TOKENS = 50;
const FORWARDING_SECONDS = 30;

/** A page with less text than this waits for scripts to fill it, or says next to nothing. Our choice. */
const SHELL_CHARS = 100;

const ROBOTS_TXT = /^https?:\/\/[^/]+\/robots\.txt$/;
/** Links looked at for each one that is kept: some are repeated, some too long. */
const RAW_SITEMAP_LINKS = 2;

/** A page that was fetched, as far as analysis is concerned. */
export interface RawPage {
  readonly url: CanonicalUrl;
  readonly headers: Pick<
    PageHeaders,
    'contentType' | 'charset' | 'contentLanguage' | 'xRobotsTag' | 'refresh' | 'link'
  >;
  readonly body: Uint8Array;
  /** In ms since 1970, for pages that ask to be left out from some day on. Default: before any such day. */
  readonly fetchedAt?: number;
}

export interface AnalyzeOptions {
  /** False: all paragraphs count, navigation and banners included. Default: true. */
  readonly mainText?: boolean;
  readonly maxTextChars: number;
  readonly maxTokens: number;
  readonly pairWindow: number;
  /** True: the document will be packed, and what that takes is noted in it. Default: false. */
  readonly noted?: boolean;
  /** Spaces to build; only `terms` and `pairs` can be built from the page alone. */
  readonly spaces: readonly FeatureSpace[];
}

export interface PageOptions extends AnalyzeOptions, Pick<Config['crawl'], 'maxLinksPerPage' | 'maxUrlChars'> {
  /** Our own name, in lower case: what a page forbids it, it forbids us. Default: none, what is for every robot counts. */
  readonly robot?: string;
}

/** One page is analysed at a time in a thread; its workspace is used again for the next. */
const layout = new Layout();
const stream = new TokenStream();
const counter = new StemCounter();
const trail = new WordTrail();

/**
 * Bytes to document: HTML, XHTML, plain text, markdown and feeds. Never throws for what a page holds. The document
 * shares no memory with the page.
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

/** XML says its encoding in its first line. */
function decodeXml({ body, headers }: RawPage): string {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(200, body.byteLength)).toString('latin1');
  const declared = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]{1,40})["']/i.exec(head)?.[1] ?? '';
  return decodeBody(body, headers.charset || declared, false);
}

/**
 * A document from text that has no page: a query, a local text file, a passage a person chose.
 * The text's language is detected when it is long enough, else left open.
 */
export function analyzeText(text: string, options: AnalyzeOptions & { readonly title?: string }): AnalyzedDocument {
  const wellFormed = text.toWellFormed();
  layout.reset();
  scanPlain(wellFormed, layout, false);
  return documentOf({ ...emptyMeta(), title: foldLine(options.title ?? '') }, EMPTY_LINKS, options);
}

interface HtmlText {
  readonly html: string;
  /** Browsers read it as XML, in which `<div/>` is whole. */
  readonly isXml: boolean;
  /** That it came in. */
  readonly encoding: string;
}

const XML_TYPES: ReadonlySet<string> = new Set(['application/xhtml+xml', 'application/xml', 'text/xml']);

/** In XML a document type may have declarations of its own in brackets; they are no text. */
function withoutSubset(xml: string): string {
  return xml.replace(
    /^([^<]{0,99}(?:<[!?][^<>[\]]{0,999}>\s{0,99}){0,9}<!DOCTYPE[^<>[\]]{0,999})\[[^\]]{0,99999}\]/i,
    '$1',
  );
}

function analyzeHtml(page: RawPage, { html: body, isXml, encoding }: HtmlText, options: PageOptions): AnalyzedDocument {
  layout.reset();
  const html = refreshTag(page.headers.refresh) + (isXml ? withoutSubset(body) : body);
  const meta = new HtmlScanner(html, layout, { maxLinks: options.maxLinksPerPage, ...readerOf(page, options) }).run(
    isXml,
  );
  // A longer one would be read again with every link of the page.
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
  const document = documentOf({ ...whole, language, canonical }, links, options);
  const forward =
    meta.refresh && !whole.nofollow ? forwardOf(meta.refresh, base, { page: page.url, encoding }) : undefined;
  return forward === undefined || document.tokens >= FORWARDING_TOKENS ? document : { ...document, forward };
}

/** What its server calls the original of the page, or `''`. */
function originalOf({ headers, url }: RawPage): string {
  const target = headers.link === '' ? '' : canonicalInHeader(headers.link);
  return target === '' ? '' : ownCopy(canonicalize(target, url) ?? '');
}

/** A `Refresh` header, as a page would say the same. */
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
  return documentOf({ ...emptyMeta(), ...robots, ...said }, links, options);
}

function readerOf({ fetchedAt = 0 }: RawPage, { robot = '' }: PageOptions): RobotsReader {
  return { robot, now: fetchedAt };
}

/** A document that is nothing but links: no text to find or to judge. */
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
  return documentOf(emptyMeta(), links, options);
}

/** The document in the layout. */
function documentOf(meta: PageMeta, links: LinkTable, options: AnalyzeOptions): AnalyzedDocument {
  const { blocks } = layout;
  const main = options.mainText === false ? { own: blocks, shown: blocks } : mainText(layout);
  const length = compose(packText(main, meta, options.maxTextChars), options.maxTextChars);
  const noted = options.noted === true;
  const chars = layout.chars.subarray(0, length);
  const text = (): string => layout.slice(0, length);
  const { language, vocabulary, titleTokens } = readWords(meta.language, {
    title: meta.title,
    text,
    chars,
    maxTokens: options.maxTokens,
    noted,
  });
  const utf8 = utf8Of(chars);
  counter.add(stream, { from: 0, to: titleTokens, weight: TITLE_WEIGHT }, vocabulary);
  counter.add(stream, { from: titleTokens, to: stream.length, weight: 1 }, vocabulary);
  const terms = counter.take(vocabulary);
  const features: { -readonly [S in FeatureSpace]?: TermCounts } = {};
  if (options.spaces.includes('terms')) features.terms = terms;
  if (options.spaces.includes('pairs')) features.pairs = pairCounts(stream, options.pairWindow, vocabulary);
  return {
    title: ownCopy(meta.title),
    language,
    text: noted ? '' : text(),
    tokens: stream.length,
    features,
    links,
    canonical: meta.canonical,
    noindex: meta.noindex,
    nofollow: meta.nofollow,
    ...(Number.isFinite(meta.maxSnippet) && { maxSnippet: meta.maxSnippet }),
    contentHash: contentHash(utf8),
    simhash: simhash(terms),
    ...(noted && { noted: { utf8, pairs: packSorted(trail.pairs()) } }),
  };
}

/** A page that shows next to nothing of its own says what it is about, where it says more than it shows. */
function packText({ own, shown }: MainText, meta: PageMeta, maxChars: number): number {
  if (charsOf(own) >= SHELL_CHARS) return packBlocks(shown, maxChars);
  const { passage, description } = standIn(meta);
  if (passage.length > charsOf(shown)) return packBehind(packBlocks(own, maxChars), passage, maxChars);
  const length = packBlocks(shown, maxChars);
  const isSilent = length < SHELL_CHARS && description.length > length;
  return isSilent ? packBehind(length, description, maxChars) : length;
}

function packBehind(length: number, text: string, maxChars: number): number {
  const added = clip(text, maxChars - length - 1).trimEnd();
  return added === '' ? length : layout.extend(length, added);
}

/** Puts the text at the front of the layout into the form in which people type phrases, a letter and its marks as one. Returns where it ends. */
function compose(length: number, maxChars: number): number {
  if (!hasMarks(layout.chars, length)) return length;
  const text = clip(layout.slice(0, length).normalize('NFC'), maxChars);
  layout.chars = codeUnits(text, layout.chars);
  return text.length;
}

interface Words {
  readonly language: string;
  readonly vocabulary: Vocabulary;
  /** The stream begins with this many words of the title. */
  readonly titleTokens: number;
}

interface WordSource {
  readonly title: string;
  readonly text: () => string;
  /** The text's code units. */
  readonly chars: Uint16Array;
  readonly maxTokens: number;
  /** The trail takes the words, too. */
  readonly noted: boolean;
}

/**
 * Fills the stream with the words of title and text. Most pages are English: they are read as such first, and when stop
 * words abound the language needs no other test.
 */
function readWords(declared: string, source: WordSource): Words {
  const claim = primaryTag(declared);
  if (claim === '' || claim === 'en') {
    const words = readWordsAs('en', source);
    if (stopShare(words.titleTokens) >= SURE_ENGLISH) return words;
  }
  return readWordsAs(languageOf(source.text(), claim), source);
}

function readWordsAs(language: string, { title, chars, maxTokens, noted }: WordSource): Words {
  const vocabulary = vocabularyOf(language);
  vocabulary.freshen();
  const into = { vocabulary, stream, limit: maxTokens, ...(noted && { trail }) };
  stream.length = 0;
  trail.clear();
  scanWords(unitsOf(title), 0, title.length, into);
  const titleTokens = stream.length;
  scanWords(chars, 0, chars.length, into);
  return { language, vocabulary, titleTokens };
}

/** Share of stop words among the first words of the text. */
function stopShare(from: number): number {
  const to = Math.min(stream.length, from + STOP_SHARE_WORDS);
  let stops = 0;
  for (let i = from; i < to; i++) if (stream.ids[i] === NO_STEM) stops++;
  return to - from < MIN_STOP_SHARE_WORDS ? 0 : stops / (to - from);
}

/** Moves the blocks to the front of the layout, a line break between; links must have been read before. */
function packBlocks(blocks: readonly Block[], maxChars: number): number {
  const { chars } = layout;
  let n = 0;
  for (const { start, end } of blocks) {
    if (n > 0 && n < maxChars) chars[n++] = 10;
    const taken = Math.min(end - start, maxChars - n);
    if (taken <= 0) break;
    if (n !== start) chars.copyWithin(n, start, start + taken);
    n += taken;
  }
  if (n === maxChars) n = wholeUnit(chars, n);
  while (n > 0 && chars[n - 1]! <= 32) n--;
  return n;
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
      return unusable('type', `${type} is no document`);
  }
}
