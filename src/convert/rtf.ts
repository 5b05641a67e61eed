import { type ConvertedDocument, escapeHtml, fieldAddress, firstLineOf, statedTitle } from '../analyze/index.ts';
import { equationText } from './equation.ts';
import { ConversionError, type ConvertLimits } from './outcome.ts';
import {
  RTF_BREAKS,
  RTF_CHARACTERS,
  RTF_CHARSETS,
  RTF_FORMULA_LOOKS,
  RTF_HIDDEN,
  RTF_SHOWN,
  rtfCodePage,
} from './rtf-words.ts';

/** Rich Text Format: text, title and hyperlinks (RTF 1.9.1). Pictures and objects are passed over. */
export function convertRtf(bytes: Uint8Array, limits: ConvertLimits): ConvertedDocument {
  const reader = new RtfReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), limits);
  const { title, paragraphs } = reader.read();
  const text = paragraphs.join('\n');
  return { title: statedTitle(title) || firstLineOf(text), body: text };
}

/** What a group changes and its end undoes. */
interface Group {
  isHidden: boolean;
  /** Hidden or deleted text, until a property says otherwise. */
  isUnseen: boolean;
  /** The document's title is being read. */
  inTitle: boolean;
  /** A link was opened here. */
  hasLink: boolean;
  /** A field's instruction is being read. */
  inField: boolean;
  /** It is a field: characters of the document before it. */
  fieldFrom: number | undefined;
  encoding: string;
  /** Characters that stand behind each `\u` for readers that do not know it. */
  fallback: number;
}

const MAX_DEPTH = 1_000;
/** `\` and what belongs to it: a control word with its number, a byte in hex, a symbol. */
const CONTROL = /\\(?:([a-zA-Z]{1,32})(-?\d{1,10})? ?|'([0-9a-fA-F]{2})|([\s\S]))/y;

/** The address may be in quotation marks and after a tip, a window or a frame. A bookmark in the document is not an address. */
const LINK_FIELD =
  /HYPERLINK\s+(?:\\[a-km-z]\s+(?:"[^"]{0,1000}"\s+)?){0,5}(?:"([^"]{1,4000})"|([^\s"\\][^\s"]{0,4000}))/i;

class RtfReader {
  readonly #text: string;
  readonly #maxChars: number;
  readonly #groups: Group[] = [];
  readonly #fonts = new Map<number, string>();
  readonly #paragraphs: string[] = [];
  #group: Group = {
    isHidden: false,
    isUnseen: false,
    inTitle: false,
    hasLink: false,
    inField: false,
    fieldFrom: undefined,
    encoding: 'windows-1252',
    fallback: 1,
  };
  #documentEncoding = 'windows-1252';
  #at = 0;
  #chars = 0;
  #current = '';
  #title = '';
  #instruction = '';
  /** Bytes that are read together: a character may have several. */
  #bytes: number[] = [];
  /** Fallback characters still to be passed over. */
  #skip = 0;
  /** `\*` came: an unknown destination may be ignored. */
  #isOptional = false;
  /** True if nothing of the group has been read yet: a destination may follow. */
  #isAtStart = false;
  /** True if the outermost group is closed: the rest does not belong to the document. */
  #isOver = false;
  /** The font being defined in the font table. */
  #definedFont = -1;

  constructor(text: string, limits: ConvertLimits) {
    this.#text = text;
    this.#maxChars = limits.maxHtmlChars;
  }

  read(): { readonly title: string; readonly paragraphs: readonly string[] } {
    const text = this.#text;
    while (this.#at < text.length && this.#chars < this.#maxChars && !this.#isOver) {
      const c = text[this.#at]!;
      if (c === '\\') this.#control();
      else if (c === '{') this.#open();
      else if (c === '}') this.#close();
      else if (c === '\r' || c === '\n') this.#at++;
      else this.#plain();
    }
    while (this.#groups.length > 0) this.#close();
    this.#endParagraph();
    return { title: this.#title, paragraphs: this.#paragraphs };
  }

  #plain(): void {
    this.#isAtStart = false;
    const from = this.#at;
    while (this.#at < this.#text.length && !/[\\{}\r\n]/.test(this.#text[this.#at]!)) this.#at++;
    const text = this.#text.slice(from, this.#at);
    const skipped = Math.min(this.#skip, text.length);
    this.#skip -= skipped;
    const kept = text.slice(skipped);
    // Some programs escape no bytes, or the first of a character alone.
    if (this.#bytes.length > 0 || /[\x80-\xff]/.test(kept))
      for (const byte of Buffer.from(kept, 'latin1')) this.#bytes.push(byte);
    else this.#say(kept);
  }

  #open(): void {
    this.#flushBytes();
    if (this.#groups.length >= MAX_DEPTH) throw new ConversionError('damaged', 'groups nested too deeply');
    this.#groups.push(this.#group);
    this.#group = { ...this.#group, hasLink: false, fieldFrom: undefined };
    this.#skip = 0;
    this.#at++;
    this.#isAtStart = true;
  }

  #close(): void {
    this.#flushBytes();
    if (this.#group.hasLink) this.#put('</a>');
    if (this.#group.fieldFrom === this.#chars) this.#sayFormula();
    this.#group = this.#groups.pop() ?? this.#group;
    this.#skip = 0;
    this.#isOptional = false;
    this.#isAtStart = false;
    this.#isOver = this.#groups.length === 0;
    this.#at++;
  }

  #control(): void {
    CONTROL.lastIndex = this.#at;
    const found = CONTROL.exec(this.#text);
    if (found === null) {
      this.#at = this.#text.length;
      return;
    }
    this.#at = CONTROL.lastIndex;
    const [, word, number, hex, symbol] = found;
    if (hex !== undefined) {
      if (this.#skip > 0) this.#skip--;
      else this.#bytes.push(Number.parseInt(hex, 16));
      return;
    }
    if (symbol !== undefined && this.#bytes.length > 0 && '\\{}'.includes(symbol)) {
      this.#bytes.push(symbol.charCodeAt(0));
      return;
    }
    this.#flushBytes();
    if (symbol !== undefined) this.#symbol(symbol);
    else this.#word(word!, number === undefined ? undefined : Number(number));
  }

  #symbol(symbol: string): void {
    // Within a group it marks nothing.
    if (symbol === '*') this.#isOptional = this.#isAtStart;
    else if (symbol === '~' || symbol === '_') this.#say(symbol === '~' ? ' ' : '-');
    else if (symbol === '\n' || symbol === '\r') this.#endParagraph();
    else if ('\\{}'.includes(symbol)) this.#say(symbol);
  }

  #word(word: string, number: number | undefined): void {
    const group = this.#group;
    const isOptional = this.#isOptional;
    this.#isOptional = false;
    this.#isAtStart = false;
    if (word === 'u') this.#unicode(number ?? 0);
    else if (word === 'bin') this.#at += Math.max(0, number ?? 0);
    else if (word === 'uc') group.fallback = Math.min(10, Math.max(0, number ?? 1));
    else if (word === 'ansicpg') this.#setEncoding(rtfCodePage(number ?? 1252));
    else if (word === 'f') this.#setFont(number ?? 0);
    else if (word === 'fcharset')
      this.#fonts.set(this.#definedFont, RTF_CHARSETS[number ?? 0] ?? this.#documentEncoding);
    else if (word === 'title' && group.isHidden) this.#beginTitle();
    else if (word === 'field') group.fieldFrom = this.#chars;
    else if (word === 'fldinst') this.#beginInstruction();
    else if (word === 'fldrslt') this.#beginResult();
    else if (word === 'v' || word === 'deleted') group.isUnseen = number !== 0;
    else if (word === 'plain') group.isUnseen = false;
    else if (word === 'mac') this.#setEncoding('macintosh');
    else if (RTF_BREAKS.has(word)) this.#breakHere();
    else if (RTF_CHARACTERS[word] !== undefined) this.#say(RTF_CHARACTERS[word]);
    else if (RTF_HIDDEN.has(word) || RTF_FORMULA_LOOKS.test(word) || (isOptional && !RTF_SHOWN.has(word)))
      group.isHidden = true;
  }

  #unicode(number: number): void {
    const unit = ((number % 65536) + 65536) % 65536;
    this.#say(String.fromCharCode(unit));
    this.#skip = this.#group.fallback;
  }

  #setEncoding(encoding: string): void {
    this.#documentEncoding = encoding;
    this.#group.encoding = this.#documentEncoding;
  }

  /** In the font table this defines a font, elsewhere it chooses one. */
  #setFont(number: number): void {
    this.#definedFont = number;
    this.#group.encoding = this.#fonts.get(number) ?? this.#documentEncoding;
  }

  /** Titles with letters of all the world come twice (`\upr`): the second one has them. */
  #beginTitle(): void {
    this.#group.inTitle = true;
    this.#title = '';
  }

  #beginInstruction(): void {
    this.#group.isHidden = true;
    this.#group.inField = true;
    this.#instruction = '';
  }

  #beginResult(): void {
    const [, quoted, bare] = LINK_FIELD.exec(this.#instruction) ?? [];
    const address = fieldAddress(quoted ?? bare ?? '#');
    if (address === '' || this.#group.isHidden) return;
    this.#put(`<a href="${escapeHtml(address)}">`);
    this.#group.hasLink = true;
  }

  /** A field of a formula has its words in the instruction, and an empty result. */
  #sayFormula(): void {
    const text = equationText(this.#instruction);
    this.#instruction = '';
    if (text !== undefined) this.#say(text);
  }

  #breakHere(): void {
    if (!this.#group.isHidden) this.#endParagraph();
  }

  #flushBytes(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    this.#say(decode(bytes, this.#group.encoding));
  }

  #say(text: string): void {
    this.#flushBytes();
    if (this.#group.inTitle && this.#title.length < 1000) this.#title += text;
    if (this.#group.inField && this.#instruction.length < 8000) this.#instruction += text;
    if (!this.#group.isHidden && !this.#group.isUnseen) this.#put(escapeHtml(text));
  }

  #put(html: string): void {
    this.#current += html;
    this.#chars += html.length;
  }

  #endParagraph(): void {
    this.#flushBytes();
    if (this.#current.trim() !== '') this.#paragraphs.push(`<p>${this.#current}</p>`);
    this.#current = '';
  }
}

function decode(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
