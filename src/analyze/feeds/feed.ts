import { decodeBody } from '../encoding/charset.ts';
import { foldLine } from '../fold.ts';
import { decodeText } from '../html/entities.ts';
import { readFragment } from '../html/fragment.ts';
import { escapeHtml, htmlLink, htmlPage } from '../html/markup.ts';
import { localName, readXml, type XmlHandler } from '../html/xml-reader.ts';

/** Maximum number of entries; a feed with a site's whole history has too many. */
export const MAX_ENTRIES = 500;
/** Maximum number of characters in one entry's text. */
export const MAX_ENTRY_CHARS = 100_000;
const MAX_FIELD_CHARS = 2_000;

/** Elements of RSS 0.9x, 1.0, 2.0 and Atom, by their content. */
const ENTRIES = new Set(['item', 'entry']);
const FIELDS: ReadonlyMap<string, 'title' | 'text'> = new Map([
  ['title', 'title'],
  ...[
    ...['description', 'content:encoded', 'summary', 'content', 'subtitle', 'tagline'],
    ...['itunes:summary', 'media:description'],
  ].map((name) => [name, 'text'] as const),
]);
/** Namespaces, with the prefixes used here; a feed chooses its own. Elements of RSS and Atom have no prefix here. */
const PREFIXES: ReadonlyMap<string, string> = new Map([
  ['http://purl.org/rss/1.0/', ''],
  ['http://my.netscape.com/rdf/simple/0.9/', ''],
  ['http://channel.netscape.com/rdf/simple/0.9/', ''],
  ['http://backend.userland.com/rss2', ''],
  ['http://purl.org/atom/ns#', 'atom:'],
  ['http://www.w3.org/2005/atom', 'atom:'],
  ['http://purl.org/rss/1.0/modules/content/', 'content:'],
  ['http://search.yahoo.com/mrss/', 'media:'],
  ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'itunes:'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf:'],
]);
/** Titles and links inside these describe something else: `source` is the original feed of an entry. */
const ASIDES = new Set(['image', 'textinput', 'author', 'contributor', 'source']);

/** A feed, or one of its entries. Title and text are HTML. */
export interface FeedPart {
  title: string;
  text: string;
  /** Base of relative links in the text. */
  base: string;
  readonly links: string[];
}

/**
 * Converts an RSS or Atom feed to a page: a heading with link per entry, followed by its text. Does not expand
 * entities that the feed defines.
 * @param url - URL of the feed
 * @returns `undefined` if the XML is not a feed
 */
export function feedPage(xml: string, url: string): string | undefined {
  const reader = new FeedReader(url);
  readXml(xml, reader);
  if (!reader.isFeed) return undefined;
  return feedHtml(reader.feed, reader.entries, reader.language);
}

/** Returns the page of a feed in any format. */
export function feedHtml(feed: FeedPart, entries: readonly FeedPart[], language: string): string {
  const head = partOf(feed, 'h1');
  const body = entries.map((entry) => `<article>${partOf(entry, 'h2')}</article>`).join('\n');
  const page = htmlPage(plain(feed.title), `${head}\n${body}`);
  return language === '' ? page : page.replace('<html>', `<html lang="${escapeHtml(language)}">`);
}

function partOf({ title, text, base, links }: FeedPart, heading: string): string {
  const [first, ...others] = links;
  const name = plain(title);
  const head = first === undefined ? escapeHtml(name) : htmlLink(first, name);
  const more = others.map((href) => htmlLink(href, '')).join(' ');
  const { body } = readFragment(text, (href) => absolute(href, base));
  return `<${heading}>${head}</${heading}>${more}${body}`;
}

function absolute(href: string, base: string): string | undefined {
  return URL.parse(href, base)?.href;
}

/** A title may contain markup and character references, escaped twice. */
function plain(text: string): string {
  return foldLine(decodeText(text.replace(/<[^<>]{0,200}>/g, '')));
}

/** An open element. */
interface Open {
  readonly name: string;
  readonly base: string;
  /** The field that its text belongs to. */
  readonly field: 'title' | 'text' | undefined;
  /** It is markup inside a title or text. */
  readonly isMarkup: boolean;
  readonly isAside: boolean;
  /** Its text is base64. */
  readonly isPacked: boolean;
  /** Length of the part's text before it. */
  readonly from: number;
}

/** Collects the content of a feed. */
class FeedReader implements XmlHandler {
  readonly feed: FeedPart;
  readonly entries: FeedPart[] = [];
  isFeed = false;
  language = '';
  /** Prefix of Atom elements, with its colon. */
  #prefix = '';
  /** Maps the feed's namespace prefixes to ours. */
  readonly #prefixes = new Map<string, string>();
  /** Collected base64 text. */
  #packed = '';
  readonly #url: string;
  readonly #open: Open[] = [];
  #part: FeedPart | undefined;
  /** Number of links from a part to its own page: they precede the others. */
  readonly #ownLinks = new Map<FeedPart, number>();
  /** Text of the last link, identifier or language element. */
  #word = '';
  /** Identifier of the entry if it is also a URL. */
  #permanent = '';
  #isPermanent = false;

  constructor(url: string) {
    this.#url = url;
    this.feed = { title: '', text: '', base: url, links: [] };
    this.#part = this.feed;
  }

  open(written: string, attributes: Readonly<Record<string, string>>): void {
    const above = this.#open.at(-1);
    this.#declare(attributes);
    if (above === undefined) this.#begin(written, attributes);
    const name = this.#nameOf(written);
    if (ENTRIES.has(name)) this.#beginEntry();
    const around = above?.base ?? this.#url;
    const { 'xml:base': stated } = attributes;
    const base = (stated === undefined ? undefined : absolute(stated, around)) ?? around;
    const isMarkup = above?.field !== undefined;
    const isAside = above?.isAside === true || (!isMarkup && ASIDES.has(name));
    const field = isAside ? undefined : (above?.field ?? FIELDS.get(name));
    const isPacked = field === 'text' && attributes.mode === 'base64';
    this.#open.push({ name, base, field, isMarkup, isAside, isPacked, from: this.#part?.text.length ?? 0 });
    this.#packed = '';
    if (isAside) return;
    this.#word = '';
    if (field === 'text') this.#addText(isMarkup ? openingTag(name, attributes) : '<p>', base);
    if (isMarkup) return;
    if (name === 'link') this.#addLinkElement(attributes, base);
    // Atom link in an RSS feed, whose own links are text.
    if (name === 'atom:link' && attributes.rel !== undefined) this.#addLinkElement(attributes, base);
    if (name === 'content' && attributes.src !== undefined) this.#addLink(attributes.src, base, false);
    if (name === 'guid') this.#isPermanent = attributes.ispermalink !== 'false';
  }

  close(): void {
    const { name, base, field, isMarkup, isAside, isPacked, from } = this.#open.pop()!;
    if (isAside) return;
    if (isPacked) this.#addText(decodeBody(Buffer.from(this.#packed, 'base64'), '', false), base);
    if (field === 'text' && !isMarkup) this.#dropRepeated(from);
    if (isMarkup && field === 'text') this.#addText(`</${localName(name)}>`, base);
    const word = this.#word.trim();
    if (name === 'link') this.#addLink(word, base, true);
    if (name === 'guid' && this.#isPermanent && /^https?:/i.test(word)) this.#permanent = word;
    if (name === 'language' && this.language === '') this.language = word.slice(0, 20);
    if (ENTRIES.has(name)) this.#endEntry(base);
    this.#word = '';
  }

  text(text: string): void {
    const { field, isMarkup, isAside, isPacked } = this.#open.at(-1) ?? { isAside: true };
    const part = this.#part;
    if (part === undefined || isAside) return;
    if (field === undefined) {
      if (this.#word.length < MAX_FIELD_CHARS) this.#word += text;
      return;
    }
    if (isPacked) {
      if (this.#packed.length < 2 * MAX_ENTRY_CHARS) this.#packed += text;
      return;
    }
    const limit = field === 'title' ? MAX_FIELD_CHARS : MAX_ENTRY_CHARS;
    if (part[field].length < limit) part[field] += isMarkup ? escapeHtml(text) : text;
  }

  /** Records the prefixes that an element declares (Namespaces in XML §3). */
  #declare(attributes: Readonly<Record<string, string>>): void {
    for (const [name, vocabulary] of Object.entries(attributes)) {
      const prefix = name.startsWith('xmlns:') ? PREFIXES.get(vocabulary.trim().toLowerCase()) : undefined;
      if (prefix !== undefined) this.#prefixes.set(name.slice('xmlns:'.length), prefix);
    }
  }

  /** Returns the name of an element with our prefix. */
  #nameOf(written: string): string {
    if (this.#prefix !== '' && written.startsWith(this.#prefix)) return written.slice(this.#prefix.length);
    const prefix = this.#prefixes.get(written.slice(0, Math.max(0, written.indexOf(':'))));
    return prefix === undefined ? written : `${prefix}${localName(written)}`;
  }

  /** Removes a text that repeats an earlier one of the part: many feeds describe an entry in two vocabularies. */
  #dropRepeated(from: number): void {
    const part = this.#part;
    if (part === undefined || from === 0) return;
    const said = plain(part.text.slice(from));
    if (plain(part.text.slice(0, from)).includes(said)) part.text = part.text.slice(0, from);
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>): void {
    const isAtom = localName(name) === 'feed';
    this.isFeed = isAtom || ['rss', 'rdf'].includes(localName(name));
    if (isAtom) this.#prefix = name.slice(0, -'feed'.length);
    this.language = (attributes['xml:lang'] ?? '').slice(0, 20);
  }

  #beginEntry(): void {
    this.#part = undefined;
    this.#permanent = '';
    if (this.entries.length >= MAX_ENTRIES) return;
    this.#part = { title: '', text: '', base: this.#url, links: [] };
    this.entries.push(this.#part);
  }

  #endEntry(base: string): void {
    if (this.#part?.links.length === 0) this.#addLink(this.#permanent, base, true);
    this.#part = this.feed;
  }

  #addText(tag: string, base: string): void {
    const part = this.#part;
    if (part === undefined || part.text.length >= MAX_ENTRY_CHARS) return;
    part.text += tag;
    part.base = base;
  }

  /**
   * Adds a link, except to the feed itself and to enclosures. Other formats of the page, for programs, are skipped
   * too.
   */
  #addLinkElement({ href, rel = '', type = '' }: Readonly<Record<string, string>>, base: string): void {
    if (href === undefined) return;
    const relation = rel.replace(REGISTRY, '').toLowerCase();
    const isPage = relation === '' || relation === 'alternate';
    if (isPage || FURTHER.has(relation)) this.#addLink(href, base, isPage && (type === '' || /html/i.test(type)));
  }

  #addLink(href: string, base: string, isOwn: boolean): void {
    const part = this.#part;
    const target = href === '' ? undefined : absolute(href, base);
    if (part === undefined || target === undefined || part.links.includes(target)) return;
    const own = this.#ownLinks.get(part) ?? 0;
    part.links.splice(isOwn ? own : MAX_LINKS, 0, target);
    part.links.length = Math.min(part.links.length, MAX_LINKS);
    if (isOwn) this.#ownLinks.set(part, Math.min(own + 1, MAX_LINKS));
  }
}

/** A relation may be written as a full URI (RFC 4287 §4.2.7.2). */
const REGISTRY = /^http:\/\/www\.iana\.org\/assignments\/relation\//i;
/** Related pages, sources, and further pages of the feed (RFC 5005). */
const FURTHER: ReadonlySet<string> = new Set(['related', 'via', 'next', 'prev-archive']);
/** Maximum number of links per part. */
const MAX_LINKS = 5;

function openingTag(name: string, { href = '' }: Readonly<Record<string, string>>): string {
  return href === '' ? `<${localName(name)}>` : `<${localName(name)} href="${escapeHtml(href)}">`;
}
