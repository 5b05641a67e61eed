import {
  BESIDE_TEXT,
  IN_QUOTATION,
  LINK_FLAG,
  type LinkTable,
  PARAGRAPH,
  paragraphKind,
  paragraphValue,
  type TextStructure,
  unpackLinks,
} from '../../core/index.ts';
import { hash32 } from '../../kit/index.ts';

/** A part of a page's text in Markdown: a paragraph, list item, table, code block or heading. */
export interface MarkedParagraph {
  /** Derived from the text, so that it stays the same if other paragraphs change. */
  readonly id: string;
  readonly markdown: string;
  /** As stored. */
  readonly text: string;
  /** Level of a heading, otherwise 0. */
  readonly level: number;
  /** An item of a list, which follows the previous item without an empty line. */
  readonly isItem: boolean;
}

/** The content of a page, as exports need it. */
export interface PageContent {
  readonly text: string;
  readonly structure?: TextStructure | undefined;
  readonly links: LinkTable;
  /** Relative addresses of images start here. */
  readonly url: string;
}

/** Rows of a table with longer cells, or with one cell, are paragraphs: the table is a layout. */
const MAX_CELL_CHARS = 300;
/** A table of more cells, most of them empty, is hostile. */
const MAX_CELLS = 50_000;
const MAX_ADDRESS_CHARS = 2_000;
const PLAIN: TextStructure = { kinds: [], codes: [], images: [] };

/** Returns the paragraphs of a page's main text in Markdown, without what stands beside it. Text of the page cannot become markup. */
export function markedParagraphs({ text, structure = PLAIN, links, url }: PageContent): readonly MarkedParagraph[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const writer = new Writer(lines, { ...structure, images: absolute(structure.images, url) }, new LinkFinder(links));
  for (let i = 0; i < lines.length; ) i = writer.write(i);
  writer.writeImages(lines.length);
  return writer.paragraphs;
}

function absolute(images: TextStructure['images'], base: string): TextStructure['images'] {
  return images.map(([place, alternative, source]) => {
    const address = source === '' ? '' : (URL.parse(source, base)?.href ?? '');
    return [place, alternative, /^https?:/.test(address) ? address : ''];
  });
}

class Writer {
  readonly paragraphs: MarkedParagraph[] = [];
  readonly #lines: readonly string[];
  readonly #structure: TextStructure;
  readonly #links: LinkFinder;
  readonly #codes: ReadonlyMap<number, string>;
  readonly #known = new Map<string, number>();
  #number = 0;
  /** Cells before this index are paragraphs. */
  #layoutEnd = 0;

  constructor(lines: readonly string[], structure: TextStructure, links: LinkFinder) {
    this.#lines = lines;
    this.#structure = structure;
    this.#links = links;
    this.#codes = new Map(structure.codes);
  }

  /** Writes the paragraph at an index, or the table or code block that begins there. Returns the next index. */
  write(at: number): number {
    this.writeImages(at);
    const entry = this.#entry(at);
    if ((entry & BESIDE_TEXT) !== 0) return at + 1;
    const [kind, value] = [paragraphKind(entry), paragraphValue(entry)];
    const line = this.#lines[at]!;
    if (at >= this.#layoutEnd && isCell(kind)) {
      const end = this.#writeTable(at);
      if (end > at) return end;
    }
    if (kind === PARAGRAPH.code) return this.#writeCode(at);
    if (kind === PARAGRAPH.heading) this.#add(line, `${'#'.repeat(value)} ${inline(line, this.#links)}`, entry, value);
    else if (kind === PARAGRAPH.item || kind === PARAGRAPH.numberedItem) {
      this.#number = kind === PARAGRAPH.item ? 0 : this.#number + 1;
      const mark = kind === PARAGRAPH.item ? '-' : `${this.#number}.`;
      this.#add(line, `${'  '.repeat(value)}${mark} ${inline(line, this.#links)}`, entry);
      return at + 1;
    } else this.#add(line, blockStart(inline(line, this.#links)), entry);
    this.#number = 0;
    return at + 1;
  }

  writeImages(before: number): void {
    for (const [place, alternative, address] of this.#structure.images)
      if (place === before) this.#add('', `![${escaped(alternative)}](${target(address)})`, 0);
  }

  #isMainCell(at: number): boolean {
    const entry = this.#entry(at);
    return isCell(paragraphKind(entry)) && (entry & BESIDE_TEXT) === 0;
  }

  #entry(at: number): number {
    return this.#structure.kinds[at] ?? PARAGRAPH.plain;
  }

  #writeCode(at: number): number {
    let end = at + 1;
    while (end < this.#lines.length && paragraphKind(this.#entry(end)) === PARAGRAPH.code && !this.#codes.has(end))
      end++;
    const text = this.#lines.slice(at, end).join('\n');
    const code = this.#codes.get(at) ?? text;
    const longest = Math.max(2, ...Array.from(code.matchAll(/`{3,}/g), ([ticks]) => ticks.length));
    const fence = '`'.repeat(longest + 1);
    this.#add(text, `${fence}\n${code}\n${fence}`, this.#entry(at));
    return end;
  }

  /** Writes a table. Returns its end; `at` if its cells only serve the layout. */
  #writeTable(at: number): number {
    const rows: Map<number, string>[] = [];
    let isData = true;
    let end = at;
    let column = Number.POSITIVE_INFINITY;
    for (; end < this.#lines.length && this.#isMainCell(end); end++) {
      const entry = this.#entry(end);
      const line = this.#lines[end]!;
      isData &&= paragraphKind(entry) !== PARAGRAPH.cellRest && line.length <= MAX_CELL_CHARS;
      if (paragraphValue(entry) <= column) rows.push(new Map());
      column = paragraphValue(entry);
      rows.at(-1)!.set(column, line);
    }
    const columns = rows.reduce((most, row) => Math.max(most, ...row.keys()), 0) + 1;
    if (!isData || rows.length < 2 || columns < 2 || rows.length * columns > MAX_CELLS) {
      this.#layoutEnd = end;
      return at;
    }
    const lines = rows.map((row) => {
      const texts = Array.from({ length: columns }, (_, i) => inline(row.get(i) ?? '', this.#links));
      return `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
    });
    lines.splice(1, 0, `|${' --- |'.repeat(columns)}`);
    this.#add(this.#lines.slice(at, end).join('\n'), lines.join('\n'), this.#entry(at));
    return end;
  }

  #add(text: string, markdown: string, entry: number, level = 0): void {
    const kind = paragraphKind(entry);
    const isQuoted = (entry & IN_QUOTATION) !== 0;
    this.paragraphs.push({
      id: this.#idOf(text === '' ? markdown : text),
      markdown: isQuoted ? markdown.replace(/^/gm, '> ') : markdown,
      text,
      level,
      isItem: kind === PARAGRAPH.item || kind === PARAGRAPH.numberedItem,
    });
  }

  /** Equal paragraphs of a page are numbered. */
  #idOf(text: string): string {
    const id = `p${hash32(text).toString(36)}`;
    const count = (this.#known.get(id) ?? 0) + 1;
    this.#known.set(id, count);
    return count === 1 ? id : `${id}-${count}`;
  }
}

function isCell(kind: number): boolean {
  return kind >= PARAGRAPH.cell && kind <= PARAGRAPH.cellRest;
}

/** Finds the links of a page in its text, in order. */
class LinkFinder {
  readonly #links: readonly { readonly url: string; readonly anchor: string }[];
  /** Index of the next link to look for. */
  #next = 0;

  constructor(table: LinkTable) {
    const skipped = LINK_FLAG.boilerplate | LINK_FLAG.image | LINK_FLAG.frame;
    this.#links = unpackLinks(table)
      .filter(({ flags, anchor, url }) => (flags & skipped) === 0 && anchor !== '' && url.length <= MAX_ADDRESS_CHARS)
      .map(({ url, anchor }) => ({ url, anchor }));
  }

  /** Returns the links of a paragraph. A link whose anchor does not occur waits for the following paragraphs. */
  in(text: string): readonly { readonly start: number; readonly end: number; readonly url: string }[] {
    const found: { readonly start: number; readonly end: number; readonly url: string }[] = [];
    let from = 0;
    for (let tries = 0, i = this.#next; i < this.#links.length && tries < MAX_MISSED; i++) {
      const { anchor, url } = this.#links[i]!;
      const start = text.indexOf(anchor, from);
      if (start < 0) {
        tries++;
        continue;
      }
      found.push({ start, end: start + anchor.length, url });
      from = start + anchor.length;
      this.#next = i + 1;
    }
    return found;
  }
}

/** Links in a row that are not in a paragraph; then the following ones are not, either. */
const MAX_MISSED = 5;

function inline(text: string, links: LinkFinder): string {
  let out = '';
  let at = 0;
  for (const { start, end, url } of links.in(text)) {
    out += `${escaped(text.slice(at, start))}[${escaped(text.slice(start, end))}](${target(url)})`;
    at = end;
  }
  return out + escaped(text.slice(at));
}

function escaped(text: string): string {
  return text.toWellFormed().replace(/[\\`*_[\]<>]/g, '\\$&');
}

/** Escapes what begins a heading, list or rule. */
function blockStart(markdown: string): string {
  return markdown.replace(/^(\s*)([#+=~-]|\d{1,9}[.)])/, (_, blank: string, mark: string) =>
    /\d/.test(mark) ? `${blank}${mark.slice(0, -1)}\\${mark.slice(-1)}` : `${blank}\\${mark}`,
  );
}

function target(address: string): string {
  return address.replace(/[\s()<>\\"]/g, (c) => encodeURIComponent(c).replace('(', '%28').replace(')', '%29'));
}

/** Joins paragraphs to a document: items of one list follow each other, an empty line separates all others. */
export function joinedMarkdown(paragraphs: readonly MarkedParagraph[]): string {
  let out = '';
  for (const [i, { markdown, isItem }] of paragraphs.entries())
    out += i === 0 ? markdown : `${isItem && paragraphs[i - 1]!.isItem ? '\n' : '\n\n'}${markdown}`;
  return out;
}
