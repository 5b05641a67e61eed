import { transcode } from 'node:buffer';
import { LINK_FLAG } from '../../core/index.ts';
import { codeUnits } from '../code-units.ts';
import { decodeReference, referenceEnd } from './entities.ts';

/** Part of a page: of its own, or what stands around that; doubtful: so by the name of an element, which may mislead. */
export type Place = 'own' | 'doubtful' | 'boilerplate';

/** Where a paragraph lies in {@link Layout.chars}, and what it is made of. */
export interface Block {
  readonly start: number;
  readonly end: number;
  /** Characters inside links. */
  readonly linkChars: number;
  readonly links: number;
  readonly place: Place;
}

/** A link as it stands in the page, not yet resolved. */
export interface RawLink {
  /** As written, character references decoded. */
  readonly href: string;
  /** The anchor in {@link Layout.chars}; empty when start = end. */
  start: number;
  end: number;
  /** Stands in for an empty anchor: the text of an image, the title of a frame. */
  alternative: string;
  flags: number;
  /** Offset in the source. */
  readonly at: number;
}

/** From here on letters are of scripts that part no words by blanks. */
const CJK_LETTERS = 0x2e80;

const OKINA = 0x2bb;
const APOSTROPHE = 0x2bc;

/** Of a sign and the blank before it. */
const MAX_MARK_CHARS = 4;

/** Buffers above this many characters are given back after use. */
const KEPT_CHARS = 1 << 20;

/**
 * A page's text and links as a scanner finds them: paragraphs with white space folded, one behind the other with a line
 * break between, and links that point into them. One layout serves all pages of a thread.
 */
export class Layout {
  chars: Uint16Array<ArrayBuffer> = new Uint16Array(1 << 15);
  length = 0;
  readonly blocks: Block[] = [];
  readonly links: RawLink[] = [];

  #source = '';
  #units = new Uint16Array(1 << 15);
  #other = new Uint16Array(1 << 8);
  #blockStart = 0;
  #blockLinkChars = 0;
  #blockLinks = 0;
  #blockPlace: Place = 'own';
  #space = false;
  #link: RawLink | undefined;
  /** From here on characters belong to the open link and are not yet counted as such. */
  #linkMark = 0;
  #linkCharsTotal = 0;
  /** Where the last link ended. */
  #lastLinkEnd = -1;

  reset(): void {
    if (this.chars.length > KEPT_CHARS) this.chars = new Uint16Array(1 << 15);
    if (this.#units.length > KEPT_CHARS) this.#units = new Uint16Array(1 << 15);
    this.#source = '';
    this.length = 0;
    this.blocks.length = 0;
    this.links.length = 0;
    this.#blockStart = 0;
    this.#blockLinkChars = 0;
    this.#blockLinks = 0;
    this.#blockPlace = 'own';
    this.#space = false;
    this.#link = undefined;
    this.#linkCharsTotal = 0;
    this.#lastLinkEnd = -1;
  }

  /** The text that {@link write} copies from. */
  open(source: string): void {
    this.#source = source;
    this.#units = codeUnits(source, this.#units);
  }

  /** Appends what is opened from `start` to `end`, white space folded, invisible characters left out. */
  write(start: number, end: number, decodes: boolean): void {
    this.#copy(this.#units, { start, end, decodes });
  }

  /** Appends another text, as it is. */
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
          // A link that opened behind a blank has written it already.
          if (n > this.#blockStart && chars[n - 1] !== 32) chars[n++] = 32;
          space = false;
        }
        chars[n++] = c;
        // Nearly all text is ASCII with single spaces: this loop copies whole passages of it. It has no branch for a space, which
        // no processor foresees: two spaces in a row are found by the bits of both.
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
        // As `foldApostrophes` has it.
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

  /** Begins a link; an open one is closed. */
  openLink(href: string, flags: number, at: number): void {
    this.closeLink();
    // The space before the anchor is written now, so that the anchor begins at its first letter. A link without text that ended here has
    // written it already.
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

  /** Many programs write the links of a menu without a blank between: a style sheet keeps them apart. */
  get #isBehindLink(): boolean {
    return this.#lastLinkEnd === this.length && this.chars[this.length - 1]! < CJK_LETTERS;
  }

  /** @param mark a link into a page that reads so is taken back: the text goes on as if it were not there. Default: none */
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

  /** Text of an image; the first one names the open link if that has no text of its own. */
  alternative(text: string): void {
    if (this.#link?.alternative === '') this.#link.alternative = text;
  }

  /** Nothing of a paragraph is written yet. */
  get isAtStart(): boolean {
    return this.length === this.#blockStart;
  }

  /** A link is open, and nothing of it is written yet. */
  get isLinkEmpty(): boolean {
    return this.#link?.start === this.length;
  }

  get hasOpenLink(): boolean {
    return this.#link !== undefined;
  }

  /** A link without text in the page. */
  addLink(href: string, alternative: string, flags: number, at: number): void {
    this.links.push({ href, start: this.length, end: this.length, alternative, flags, at });
  }

  /** Characters inside links up to here, the open link's included. */
  get linkChars(): number {
    return this.#linkCharsTotal + (this.#link === undefined ? 0 : this.length - this.#linkMark);
  }

  finish(): void {
    this.closeLink();
    this.boundary('own');
  }

  /** Puts a paragraph behind the first `length` characters; blocks and links are spoilt by that. Returns where it ends. */
  extend(length: number, text: string): number {
    this.length = length;
    if (length > 0) this.chars[this.length++] = 10;
    this.#blockStart = this.length;
    this.#space = false;
    this.writeText(text);
    return this.length;
  }

  /** The text of a range, as a string of its own; paragraphs parted by line breaks. */
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
      this.blocks.push({ start: this.#blockStart, end: this.length, linkChars, links, place: this.#blockPlace });
      this.#reserve(1);
      this.chars[this.length++] = 10;
    }
    this.#blockStart = this.length;
    this.#blockLinkChars = 0;
    this.#blockLinks = 0;
    this.#linkMark = this.length;
    // An anchor that opened at the very end of a paragraph begins with the next one.
    if (this.#link !== undefined && this.#link.start >= this.length - 1) this.#link.start = this.length;
  }

  #writeReference(at: number, limit: number): number {
    const end = Math.min(limit, referenceEnd(this.#source, at));
    const decoded = decodeReference(this.#source.slice(at, end), false);
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

/** `at`, or one less where that would cut a surrogate pair in two. */
export function wholeUnit(chars: Uint16Array, at: number): number {
  const unit = chars[at];
  return unit !== undefined && unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at;
}

/** A string of its own memory: it keeps no page alive. One byte a character where the text allows it. */
export function stringOf(chars: Uint16Array, start: number, end: number): string {
  if (end <= start) return '';
  return Buffer.from(chars.buffer, chars.byteOffset + start * 2, (end - start) * 2).toString('utf16le');
}

/** A text's code units in UTF-8: three times as fast as by a string. */
export function utf8Of(chars: Uint16Array): Uint8Array {
  try {
    return transcode(Buffer.from(chars.buffer, chars.byteOffset, chars.byteLength), 'utf16le', 'utf8');
  } catch {
    // It does not take half a surrogate pair, which is written as U+FFFD.
    return Buffer.from(stringOf(chars, 0, chars.length));
  }
}

/** Not to be copied as it is: a space of another kind, a control character, an invisible one, or an apostrophe that counts as a letter. */
function isUnseen(c: number): boolean {
  if (c >= 0x2000) return isSpace(c) || isInvisible(c);
  return c <= 0xa0 || c === 0xad || c === OKINA || c === APOSTROPHE || c === 0x1680 || c === 0x180e;
}

function isSpace(c: number): boolean {
  if (c < 0x2000) return c <= 0xa0 || c === 0x1680;
  return c <= 0x200b || c === 0x2028 || c === 0x2029 || c === 0x202f || c === 0x205f || c === 0x3000;
}

/** Marks of direction and the byte order mark: they tell lines of text apart that read the same. */
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
