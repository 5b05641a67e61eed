import { IN_QUOTATION, PARAGRAPH } from '../../core/index.ts';
import type { Layout } from './layout.ts';
import { HEADINGS, type Tag, tagNamed } from './tags.ts';

const [PRE, QUOTE, ROW, CELL, HEADER, ITEM] = ['pre', 'blockquote', 'tr', 'td', 'th', 'li'].map(tagNamed) as [
  ...[Tag, Tag, Tag, Tag, Tag, Tag],
];
const LISTS: ReadonlySet<Tag> = new Set(['ul', 'ol', 'menu', 'dir'].map(tagNamed));
const NUMBERED = tagNamed('ol');

const MAX_DEPTH = 9;
const MAX_COLUMN = 255;
const MAX_CODES = 200;
/** Longer code is cut. */
export const MAX_CODE_CHARS = 20_000;

/** Sets the kind of the next paragraphs in the layout. Unclosed elements cost exactness, nothing else. */
export class ParagraphKinds {
  readonly #layout: Layout;
  /** Open lists: true if numbered. */
  readonly #lists: boolean[] = [];
  #quotes = 0;
  #column = 0;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** A block begins. @param end end of its start tag */
  open(tag: Tag, end: number): void {
    const layout = this.#layout;
    if (HEADINGS.has(tag)) layout.kind = this.#entry(PARAGRAPH.heading, Number(tag.name[1]));
    else if (tag === ITEM) {
      const depth = Math.min(MAX_DEPTH, Math.max(0, this.#lists.length - 1));
      layout.kind = this.#entry(this.#lists.at(-1) === true ? PARAGRAPH.numberedItem : PARAGRAPH.item, depth);
    } else if (tag === CELL || tag === HEADER) {
      layout.kind = this.#entry(tag === CELL ? PARAGRAPH.cell : PARAGRAPH.headerCell, this.#column);
      this.#column = Math.min(MAX_COLUMN, this.#column + 1);
    } else if (tag === ROW) this.#column = 0;
    else if (tag === QUOTE) {
      this.#quotes++;
      layout.kind = this.#entry(PARAGRAPH.plain);
    } else if (LISTS.has(tag)) this.#lists.push(tag === NUMBERED);
    else if (tag === PRE) {
      layout.kind = this.#entry(PARAGRAPH.code);
      const { source, blocks, codes } = layout;
      if (codes.length < MAX_CODES) codes.push({ block: blocks.length, source, start: end, end: -1 });
    }
  }

  /** A block ends. @param start start of its end tag */
  close(tag: Tag, start: number): void {
    if (tag === QUOTE) this.#quotes = Math.max(0, this.#quotes - 1);
    else if (LISTS.has(tag)) this.#lists.pop();
    else if (tag === PRE) {
      const code = this.#layout.codes.at(-1);
      if (code !== undefined && code.end < 0) code.end = start;
    } else if (!HEADINGS.has(tag) && tag !== ITEM && tag !== CELL && tag !== HEADER) return;
    this.#layout.kind = this.#entry(PARAGRAPH.plain);
  }

  #entry(kind: number, value = 0): number {
    return kind | (this.#quotes > 0 ? IN_QUOTATION : 0) | (value << 8);
  }
}
