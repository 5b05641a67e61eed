import { readFragment } from './convert/fragment.ts';
import { escapeHtml, htmlLink, htmlPage } from './convert/markup.ts';
import { readXml, type XmlHandler } from './xml-reader.ts';

/** Entries read; a feed that gives a site's whole history gives too much. */
const MAX_ENTRIES = 500;
/** Characters of one entry's text that are read. */
const MAX_ENTRY_CHARS = 100_000;
const MAX_FIELD_CHARS = 2_000;

/** Element names of RSS 0.9x, 1.0, 2.0 and Atom, by what they hold. */
const ENTRIES = new Set(['item', 'entry']);
const TITLES = new Set(['title']);
const TEXTS = new Set([
  'description',
  'content:encoded',
  'summary',
  'content',
  'subtitle',
  'tagline',
  'itunes:summary',
]);

interface Part {
  title: string;
  text: string;
  readonly links: string[];
}

/**
 * Turns an RSS or Atom feed into a page: a heading with its link for each entry, the text of the entries below. Entities
 * that the feed defines are not expanded.
 * @returns `undefined` when the XML is no feed
 */
export function feedPage(xml: string): string | undefined {
  const reader = new FeedReader();
  readXml(xml, reader);
  if (!reader.isFeed) return undefined;
  const { feed, entries, language } = reader;
  const head = partOf(feed, 'h1');
  const body = entries.map((entry) => `<article>${partOf(entry, 'h2')}</article>`).join('\n');
  const page = htmlPage(plain(feed.title), `${head}\n${body}`);
  return language === '' ? page : page.replace('<html>', `<html lang="${escapeHtml(language)}">`);
}

function partOf({ title, text, links }: Part, heading: string): string {
  const [first, ...others] = links;
  const name = plain(title);
  const head = first === undefined ? escapeHtml(name) : htmlLink(first, name);
  const more = others.map((href) => htmlLink(href, '')).join(' ');
  // Relative links mean something here: a feed has an address.
  return `<${heading}>${head}</${heading}>${more}${readFragment(text, () => true).body}`;
}

/** A title may hold markup, escaped once more. */
function plain(text: string): string {
  return text
    .replace(/<[^<>]{0,200}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Collects what a feed says. */
class FeedReader implements XmlHandler {
  readonly feed: Part = { title: '', text: '', links: [] };
  readonly entries: Part[] = [];
  isFeed = false;
  language = '';
  readonly #path: string[] = [];
  #part: Part | undefined = this.feed;
  #link = '';

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const parent = this.#path.at(-1);
    this.#path.push(name);
    if (this.#path.length === 1) this.#begin(name, attributes);
    if (ENTRIES.has(name)) this.#beginEntry();
    if (parent === 'image' || parent === 'textinput' || parent === 'author') return;
    this.#link = '';
    if (name === 'link' && attributes.href !== undefined && isWanted(attributes.rel)) this.#addLink(attributes.href);
  }

  close(name: string): void {
    if (name === 'link') this.#addLink(this.#link.trim());
    if (name === 'language' && this.language === '') this.language = this.#link.trim().slice(0, 20);
    if (ENTRIES.has(name)) this.#part = this.feed;
    this.#link = '';
    this.#path.pop();
  }

  text(text: string): void {
    const name = this.#path.at(-1) ?? '';
    const parent = this.#path.at(-2) ?? '';
    const part = this.#part;
    if (part === undefined || parent === 'image' || parent === 'textinput') return;
    if (name === 'link' || name === 'language') {
      if (this.#link.length < MAX_FIELD_CHARS) this.#link += text;
    } else if (TITLES.has(name)) {
      if (part.title.length < MAX_FIELD_CHARS) part.title += text;
    } else if (TEXTS.has(name) || this.#path.includes('content')) {
      if (part.text.length < MAX_ENTRY_CHARS) part.text += ` ${text}`;
    }
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>): void {
    this.isFeed = name === 'rss' || name === 'feed' || name === 'rdf:rdf';
    this.language = (attributes['xml:lang'] ?? '').slice(0, 20);
  }

  #beginEntry(): void {
    this.#part = undefined;
    if (this.entries.length >= MAX_ENTRIES) return;
    this.#part = { title: '', text: '', links: [] };
    this.entries.push(this.#part);
  }

  #addLink(href: string): void {
    const links = this.#part?.links;
    if (links !== undefined && href !== '' && links.length < 5 && !links.includes(href)) links.push(href);
  }
}

/** Not the feed itself, its pages for machines, or enclosures. */
function isWanted(rel: string | undefined): boolean {
  return rel === undefined || rel === '' || rel === 'alternate' || rel === 'related' || rel === 'via' || rel === 'next';
}
