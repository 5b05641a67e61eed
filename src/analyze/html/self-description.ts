import { clip, foldLine } from '../fold.ts';
import { isMadeUp } from '../placeholder-title.ts';
import { setsState } from './app-state.ts';
import type { TagAttributes } from './attributes.ts';
import { decodeText } from './entities.ts';
import type { Layout } from './layout.ts';
import { readMetaTag, takeSaid } from './meta-tag.ts';
import { emptyMeta, isCanonical, type PageMeta, type Refresh, type RobotsReader } from './page-meta.ts';
import type { Tag } from './tags.ts';

const MAX_TITLE_CHARS = 1_000;
/** Maximum number of passages kept from structured data, and from data for scripts. */
const MAX_DATA_PASSAGES = 5;
const MAX_STATE_PASSAGES = 20;
const MAX_TIMES = 50;
/** Authors with more characters between them are those of other pages. */
const MAX_BETWEEN_AUTHORS = 12;
/** A shorter text in an element of its own is a word before the name, such as `By`. */
const MAX_LABEL_CHARS = 3;

/**
 * Collects a page's metadata: title, first heading, `<meta>`, `<link>`, structured data. Every method reads the
 * current tag.
 */
export class SelfDescription {
  readonly meta: PageMeta = emptyMeta();
  readonly #html: string;
  readonly #layout: Layout;
  readonly #attributes: TagAttributes;
  readonly #reader: RobotsReader;
  /** Start of the current data in the layout, or -1. `#dataInto` receives the data. */
  #dataStart = -1;
  #dataInto: string[] = [];
  /** Start of the open first heading in the layout, or -1. */
  #headingStart = -1;
  #heading = '';
  /** Name of the marked element whose text is being read, and the start of that text in the layout. */
  #property = '';
  #propertyStart = 0;
  #propertyTag: Tag | undefined;
  /** End of the last author that a class names, in the layout. */
  #authorsEnd = -1;

  constructor(html: string, layout: Layout, attributes: TagAttributes, reader: RobotsReader) {
    this.#html = html;
    this.#layout = layout;
    this.#attributes = attributes;
    this.#reader = reader;
  }

  /** Takes the text of `<title>` from this range of the source. */
  takeTitle(start: number, end: number): void {
    const source = clip(this.#html.slice(start, end), 4 * MAX_TITLE_CHARS);
    this.meta.title = clip(foldLine(decodeText(source)), MAX_TITLE_CHARS).trimEnd();
  }

  /** `<h1>`: the first one with words is the title if the page has none. */
  beginHeading(): void {
    if (this.#heading === '') this.#headingStart = this.#layout.length;
  }

  /** Ends any heading, also at the end of the page. */
  endHeading(): void {
    if (this.#headingStart < 0) return;
    const end = Math.min(this.#layout.length, this.#headingStart + MAX_TITLE_CHARS);
    this.#heading = foldLine(this.#layout.slice(this.#headingStart, end));
    this.#headingStart = -1;
  }

  /** `<html>`. */
  readRoot(): void {
    this.meta.language ||= this.#attributes.value('lang') || this.#attributes.value('xml:lang');
  }

  /** `<base>`. */
  readBase(): void {
    this.meta.base ||= this.#attributes.value('href').trim();
  }

  /** `<link>`. */
  readLink(): void {
    if (isCanonical(this.#attributes.value('rel'))) this.meta.canonical ||= this.#attributes.value('href').trim();
  }

  /** `<meta>`. Returns its redirect, if any. */
  readMeta(): Refresh | undefined {
    return readMetaTag(this.#attributes, this.meta, this.#reader);
  }

  /**
   * `<script>`: may contain structured data (schema.org), or data for the page's own scripts. @param start - start of
   * its text
   */
  beginData(start: number): void {
    const { data, state } = this.meta;
    const type = this.#attributes.raw('type');
    const isStructured = /^\s*application\/ld\+json/i.test(type);
    const isState =
      /^\s*application\/json/i.test(type) ||
      (!isStructured && !this.#attributes.has('src') && setsState(this.#html, start));
    if (isStructured ? data.length >= MAX_DATA_PASSAGES : !isState || state.length >= MAX_STATE_PASSAGES) return;
    this.#dataInto = isStructured ? data : state;
    this.#dataStart = start;
  }

  /** The next end tag ends the data. @param end - start of that tag */
  endData(end: number): void {
    if (this.#dataStart >= 0) this.#dataInto.push(this.#html.slice(this.#dataStart, end));
    this.#dataStart = -1;
  }

  /** Inertia stores its data in an attribute. */
  keepState(): void {
    const { state } = this.meta;
    const inside = this.#attributes.raw('data-page');
    if (inside.startsWith('{') && state.length < MAX_STATE_PASSAGES) state.push(inside);
  }

  /**
   * Begins an element with `itemprop`, `rel` or `datetime`, or a class that names the author: its value is an
   * attribute, or its text up to the next end tag.
   */
  beginProperty(tag: Tag): void {
    const attributes = this.#attributes;
    const property = attributes.raw('itemprop').trim();
    const rel = attributes.raw('rel').trim().toLowerCase();
    const marked = property === '' ? relName(rel) : `itemprop=${property}`;
    const name = marked === '' && attributes.namesAuthor ? CLASS_OF_AUTHOR : marked;
    const value = attributes.value('content') || attributes.value('datetime') || otherValue(name, attributes);
    if (marked === '' && value !== '') {
      if (this.meta.times.length < MAX_TIMES) this.meta.times.push({ value, at: this.#layout.length });
    } else if (name === '') return;
    else if (value !== '') takeSaid(this.meta, name, value);
    else if (this.#property === '') {
      this.#property = name;
      this.#propertyStart = this.#layout.length;
      this.#propertyTag = tag;
    }
  }

  /** Any end tag ends the text of a marked element. Icons before the name of an author have none. */
  endProperty(tag: Tag): void {
    if (this.#property === '') return;
    const [start, end] = [this.#propertyStart, Math.min(this.#layout.length, this.#propertyStart + MAX_TITLE_CHARS)];
    const isAuthor = this.#property === CLASS_OF_AUTHOR;
    const value = foldLine(this.#layout.slice(start, end));
    if (isAuthor && value.length <= MAX_LABEL_CHARS && tag !== this.#propertyTag) return;
    if (!isAuthor || this.#authorsEnd < 0 || start - this.#authorsEnd <= MAX_BETWEEN_AUTHORS) {
      takeSaid(this.meta, this.#property, value);
      if (isAuthor && value !== '') this.#authorsEnd = end;
    }
    this.#property = '';
  }

  /** Returns everything collected, at the end of the page. */
  settle(): PageMeta {
    this.endHeading();
    const { meta } = this;
    if (isMadeUp(meta.title)) meta.title = this.#heading || meta.sharedTitle || meta.title;
    return meta;
  }
}

/** What a class says that names the author. */
const CLASS_OF_AUTHOR = 'class=author';

/** The values of `rel` that say something about the page; `''` for others. */
function relName(rel: string): string {
  return rel === 'author' || rel === 'license' ? `rel=${rel}` : '';
}

/** A licence is an address. The title of a date is the whole of it. */
function otherValue(name: string, attributes: TagAttributes): string {
  if (name.endsWith('=license')) return attributes.value('href');
  return name.startsWith('itemprop=date') ? attributes.value('title') : '';
}
