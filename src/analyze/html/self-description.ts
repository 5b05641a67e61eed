import { clip, foldLine } from '../fold.ts';
import { isMadeUp } from '../placeholder-title.ts';
import { setsState } from './app-state.ts';
import type { TagAttributes } from './attributes.ts';
import { decodeText } from './entities.ts';
import type { Layout } from './layout.ts';
import { readMetaTag } from './meta-tag.ts';
import { emptyMeta, isCanonical, type PageMeta, type Refresh, type RobotsReader } from './page-meta.ts';

const MAX_TITLE_CHARS = 1_000;
/** Maximum number of passages kept from structured data, and from data for scripts. */
const MAX_DATA_PASSAGES = 5;
const MAX_STATE_PASSAGES = 20;

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
  /** Start of the current data, or -1, and the list that receives them. */
  #dataStart = -1;
  #dataInto: string[] = [];
  /** Start of the open first heading in the layout, or -1. */
  #headingStart = -1;
  #heading = '';

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

  /** Returns everything collected, at the end of the page. */
  settle(): PageMeta {
    this.endHeading();
    const { meta } = this;
    if (isMadeUp(meta.title)) meta.title = this.#heading || meta.sharedTitle || meta.title;
    return meta;
  }
}
