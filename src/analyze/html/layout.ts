import { transcode } from 'node:buffer';
import { IN_QUOTATION, LINK_FLAG, PARAGRAPH, paragraphKind } from '../../core/index.ts';
import { codeUnits } from '../code-units.ts';
import { decodeText, referenceEnd } from './entities.ts';

/**
 * Part of a page: its own content or boilerplate. Doubtful: an element's name marks it as boilerplate, which may
 * mislead.
 */
export type Place = 'own' | 'doubtful' | 'boilerplate';

/** The range of a paragraph in {@link Layout.chars}, and its figures. */
export interface Block {
  readonly start: number;
  readonly end: number;
  /** Characters inside links. */
  readonly linkChars: number;
  readonly links: number;
  readonly place: Place | 'beside';
  /** See `TextStructure`. */
  readonly kind: number;
}

/** Source code in the page, from `start` to `end` of the source; -1 while it is open. */
export interface RawCode {
  /** Index of its first paragraph. */
  readonly block: number;
  readonly source: string;
  readonly start: number;
  end: number;
}

/** An image between paragraphs. */
export interface RawImage {
  /** Index of the paragraph that it is in, or before. */
  readonly block: number;
  readonly alternative: string;
  readonly source: string;
}

/** A link as written in the page, not yet resolved. */
export interface RawLink {
  /** The URL as written, with character references decoded. */
  readonly href: string;
  /** The anchor's range in {@link Layout.chars}; empty if start = end. */
  start: number;
  end: number;
  /** Replaces an empty anchor: the text of an image, the title of a frame. */
  alternative: string;
  flags: number;
  /** Offset in the source. */
  readonly at: number;
}

/** From this code on, letters belong to scripts without blanks between words. */
const CJK_LETTERS = 0x2e80;

const OKINA = 0x2bb;
const APOSTROPHE = 0x2bc;

/** Length of a permalink sign with the preceding blank. */
const MAX_MARK_CHARS = 4;

/** Buffers with more characters than this are freed after use. */
const KEPT_CHARS = 1 << 20;

/**
 * A page's text and links as a scanner finds them: paragraphs with white space folded, separated by line breaks, and
 * links that point into them. One layout serves all pages of a thread.
 */
export class Layout {
  chars: Uint16Array<ArrayBuffer> = new Uint16Array(1 << 15);
  length = 0;
  readonly blocks: Block[] = [];
  readonly links: RawLink[] = [];
  readonly codes: RawCode[] = [];
  readonly images: RawImage[] = [];
  /** What the current and following paragraphs are, see `TextStructure`. */
  kind = 0;

  /** The text that {@link write} copies from. */
  source = '';
  #units = new Uint16Array(1 << 15);
  #other = new Uint16Array(1 << 8);
  #blockStart = 0;
  #blockLinkChars = 0;
  #blockLinks = 0;
  #blockPlace: Place = 'own';
  #space = false;
  #link: RawLink | undefined;
  /** From here on, characters belong to the open link and are not yet counted. */
  #linkMark = 0;
  #linkCharsTotal = 0;
  /** End of the last link. */
  #lastLinkEnd = -1;

  reset(): void {
    if (this.chars.length > KEPT_CHARS) this.chars = new Uint16Array(1 << 15);
    if (this.#units.length > KEPT_CHARS) this.#units = new Uint16Array(1 << 15);
    this.source = '';
    this.length = 0;
    this.blocks.length = 0;
    this.links.length = 0;
    this.codes.length = 0;
    this.images.length = 0;
    this.kind = 0;
    this.#blockStart = 0;
    this.#blockLinkChars = 0;
    this.#blockLinks = 0;
    this.#blockPlace = 'own';
    this.#space = false;
    this.#link = undefined;
    this.#linkCharsTotal = 0;
    this.#lastLinkEnd = -1;
  }

  /** Sets {@link source}. */
  open(source: string): void {
    this.source = source;
    this.#units = codeUnits(source, this.#units);
  }

  /** Appends the open source from `start` to `end`, with white space folded and invisible characters removed. */
  write(start: number, end: number, decodes: boolean): void {
    this.#copy(this.#units, { start, end, decodes });
  }

  /** Appends another text unchanged. */
  writeText(text: string): void {
    this.#other = codeUnits(text, this.#other);
    this.#copy(this.#other, { start: 0, end: text.length, decodes: false });
  }

  #copy(
    units: Uint16Array,
    { start, end, decodes }: { readonly start: number; readonly end: number; readonly decodes: boolean },
  ): void {
    this.#reserve(end - start + 2);
    let { chars } = this;
    let n = this.length;
    let space = this.#space;
    for (let i = start; i < end; i++) {
      let c = units[i]!;
      if (c > 32 && (c !== 38 || !decodes) && (c < 127 || !isUnseen(c))) {
        if (space) {
          // A link that follows a blank has already written it.
          if (n > this.#blockStart && chars[n - 1] !== 32) chars[n++] = 32;
          space = false;
        }
        chars[n++] = c;
        // Almost all text is ASCII with single spaces: this loop copies long passages of it. It has no branch for a
        // space, which processors predict badly: the bits of both characters reveal two consecutive spaces.
        for (let before = c; i + 1 < end; before = c) {
          c = units[i + 1]!;
          if (c < 32 || c >= 127 || c === 38 || (c | before) === 32) break;
          chars[n++] = c;
          i++;
        }
        if (chars[n - 1] === 32) {
          n--;
          space = true;
        }
      } else if (c <= 32) {
        space = true;
      } else if (c === 38) {
        this.length = n;
        this.#space = space;
        i = this.#writeReference(i, end) - 1;
        chars = this.chars;
        n = this.length;
        space = this.#space;
      } else if (c === OKINA || c === APOSTROPHE) {
        // As in `foldApostrophes`.
        units[i--] = c === OKINA ? 0x2018 : 0x2019;
      } else space ||= isSpace(c);
    }
    this.length = n;
    this.#space = space;
  }

  /** A line break within a paragraph. */
  space(): void {
    this.#space = true;
  }

  /** Ends the paragraph; the next one has this place. */
  boundary(place: Place): void {
    if (this.length > this.#blockStart) this.#endBlock();
    this.#blockPlace = place;
    this.#space = false;
  }

  /** Begins a link, and closes an open one. */
  openLink(href: string, flags: number, at: number): void {
    this.closeLink();
    // The space before the anchor is written now, so that the anchor begins at its first letter. A preceding link
    // without text has already written it.
    const isSpaced = this.chars[this.length - 1] === 32;
    if ((this.#space || this.#isBehindLink) && !isSpaced && this.length > this.#blockStart) {
      this.#reserve(1);
      this.chars[this.length++] = 32;
    }
    this.#space = false;
    this.#link = { href, start: this.length, end: this.length, alternative: '', flags, at };
    this.#linkMark = this.length;
    this.#blockLinks++;
    this.links.push(this.#link);
  }

  /** Many programs write menu links without a blank between them: a style sheet separates them. */
  get #isBehindLink(): boolean {
    return this.#lastLinkEnd === this.length && this.chars[this.length - 1]! < CJK_LETTERS;
  }

  /**
   * Ends the link. @param mark a link within the page whose text matches is removed, as if it were missing. Default:
   * none
   */
  closeLink(mark?: RegExp): void {
    const link = this.#link;
    if (link === undefined) return;
    if (mark !== undefined && this.length - link.start <= MAX_MARK_CHARS) this.#takeBack(link, mark);
    this.#countLinkChars();
    link.end = this.length;
    this.#lastLinkEnd = this.length;
    if (link.end === link.start && link.alternative !== '') link.flags |= LINK_FLAG.image;
    this.#link = undefined;
  }

  #takeBack({ href, start }: RawLink, mark: RegExp): void {
    if (!href.includes('#') || start < this.#blockStart || !mark.test(stringOf(this.chars, start, this.length))) return;
    this.length = start;
  }

  /** Adds the text of an image; the first one becomes the text of an open link without its own. */
  alternative(text: string): void {
    if (this.#link?.alternative === '') this.#link.alternative = text;
  }

  /** The current paragraph is still empty. */
  get isAtStart(): boolean {
    return this.length === this.#blockStart;
  }

  /** A link is open and still empty. */
  get isLinkEmpty(): boolean {
    return this.#link?.start === this.length;
  }

  get hasOpenLink(): boolean {
    return this.#link !== undefined;
  }

  /** Adds a link that has no text in the page. */
  addLink(href: string, alternative: string, flags: number, at: number): void {
    this.links.push({ href, start: this.length, end: this.length, alternative, flags, at });
  }

  /** Number of characters inside links so far, including the open link. */
  get linkChars(): number {
    return this.#linkCharsTotal + (this.#link === undefined ? 0 : this.length - this.#linkMark);
  }

  finish(): void {
    this.closeLink();
    this.boundary('own');
  }

  /** Puts a paragraph after the first `length` characters and returns its end. Invalidates blocks and links. */
  extend(length: number, text: string): number {
    this.length = length;
    if (length > 0) this.chars[this.length++] = 10;
    this.#blockStart = this.length;
    this.#space = false;
    this.writeText(text);
    return this.length;
  }

  /** Returns the text of a range as an independent string, with paragraphs separated by line breaks. */
  slice(start: number, end: number): string {
    return stringOf(this.chars, start, end);
  }

  #countLinkChars(): void {
    const added = this.length - this.#linkMark;
    this.#blockLinkChars += added;
    this.#linkCharsTotal += added;
    this.#linkMark = this.length;
  }

  #endBlock(): void {
    if (this.#link !== undefined) this.#countLinkChars();
    const { chars } = this;
    while (this.length > this.#blockStart && chars[this.length - 1] === 32) this.length--;
    if (this.length > this.#blockStart) {
      const linkChars = Math.min(this.#blockLinkChars, this.length - this.#blockStart);
      const links = this.#blockLinks;
      const place = this.#blockPlace;
      this.blocks.push({ start: this.#blockStart, end: this.length, linkChars, links, place, kind: this.kind });
      this.kind = kindAfter(this.kind);
      this.#reserve(1);
      this.chars[this.length++] = 10;
    }
    this.#blockStart = this.length;
    this.#blockLinkChars = 0;
    this.#blockLinks = 0;
    this.#linkMark = this.length;
    // An anchor that opens at the very end of a paragraph begins with the next one.
    if (this.#link !== undefined && this.#link.start >= this.length - 1) this.#link.start = this.length;
  }

  #writeReference(at: number, limit: number): number {
    const end = Math.min(limit, referenceEnd(this.source, at));
    const decoded = decodeText(this.source.slice(at, end));
    this.#reserve(limit - end + decoded.length + 2);
    this.writeText(decoded);
    return end;
  }

  #reserve(more: number): void {
    if (this.length + more <= this.chars.length) return;
    const bigger = new Uint16Array(Math.max(this.chars.length * 2, this.length + more));
    bigger.set(this.chars.subarray(0, this.length));
    this.chars = bigger;
  }
}

/** Only the first paragraph of an item has its mark; further ones of a cell belong to it. */
function kindAfter(entry: number): number {
  const kind = paragraphKind(entry);
  if (kind === PARAGRAPH.item || kind === PARAGRAPH.numberedItem) return entry & IN_QUOTATION;
  const isCell = kind === PARAGRAPH.cell || kind === PARAGRAPH.headerCell;
  return isCell ? (entry & ~0xf) | PARAGRAPH.cellRest : entry;
}

/** Returns `at`, or one less if it would split a surrogate pair. */
export function wholeUnit(chars: Uint16Array, at: number): number {
  const unit = chars[at];
  return unit !== undefined && unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at;
}

/** Returns a string with its own memory, which does not keep the page. Uses one byte per character if possible. */
export function stringOf(chars: Uint16Array, start: number, end: number): string {
  if (end <= start) return '';
  return Buffer.from(chars.buffer, chars.byteOffset + start * 2, (end - start) * 2).toString('utf16le');
}

/** Encodes code units as UTF-8, three times as fast as through a string. */
export function utf8Of(chars: Uint16Array): Uint8Array {
  try {
    return transcode(Buffer.from(chars.buffer, chars.byteOffset, chars.byteLength), 'utf16le', 'utf8');
  } catch {
    // It cannot encode half a surrogate pair, which is written as U+FFFD.
    return Buffer.from(stringOf(chars, 0, chars.length));
  }
}

/**
 * Whether a character is not copied unchanged: another space, a control character, an invisible one, or a letter-like
 * apostrophe.
 */
function isUnseen(c: number): boolean {
  if (c >= 0x2000) return isSpace(c) || isInvisible(c);
  return c <= 0xa0 || c === 0xad || c === OKINA || c === APOSTROPHE || c === 0x1680 || c === 0x180e;
}

function isSpace(c: number): boolean {
  if (c < 0x2000) return c <= 0xa0 || c === 0x1680;
  return c <= 0x200b || c === 0x2028 || c === 0x2029 || c === 0x202f || c === 0x205f || c === 0x3000;
}

/** Direction marks and the byte order mark: lines that look the same would differ by them. */
function isInvisible(c: number): boolean {
  return (
    c === 0x200e ||
    c === 0x200f ||
    (c >= 0x202a && c <= 0x202e) ||
    (c >= 0x2060 && c <= 0x2069) ||
    c === 0xfeff ||
    c === 0xfffe
  );
}
