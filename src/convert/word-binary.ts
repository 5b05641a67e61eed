import { escapeHtml, fieldAddress, utf16Text, windows1252Of } from '../analyze/index.ts';
import { equationText } from './equation.ts';
import { ConversionError } from './outcome.ts';
import { isUnseen, type Run, runAt, type WordRuns, wordRuns } from './word-runs.ts';

/** The head of a document ([MS-DOC] §2.5): flags, which table it has, how many characters its parts have, where the table of pieces lies. */
const FLAGS_AT = 0x0a;
const ENCRYPTED = 0x0100;
const SECOND_TABLE = 0x0200;
const COUNTS_AT = 0x4c;
const PIECES_AT = 0x1a2;
/** Parts in the order of the text; those of `undefined` are not read: headers, macros, comments, boxes in headers. */
const PARTS = ['body', 'footnotes', undefined, undefined, undefined, 'endnotes', 'boxes', undefined] as const;
/** In this order they are shown. */
const SHOWN = ['body', 'boxes', 'footnotes', 'endnotes'] as const;
/** A piece whose characters are bytes, and how its place is written ([MS-DOC] §2.9.73). */
const BYTES = 0x4000_0000;
/** Such code points are glyphs of fonts of symbols. */
const PRIVATE_USE = 0xe000;

/** A stretch of the text ([MS-DOC] §2.9.177): places of its characters, and where they lie in the stream. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly bytesPerChar: 1 | 2;
}

/** True for a head that says that the document asks for a password. */
export function isLockedWord(words: Buffer): boolean {
  return words.length > FLAGS_AT + 1 && (words.readUInt16LE(FLAGS_AT) & ENCRYPTED) !== 0;
}

/** Name of the stream with the tables of the document. */
export function tableStreamOf(words: Buffer): string {
  return (words.readUInt16LE(FLAGS_AT) & SECOND_TABLE) !== 0 ? '1Table' : '0Table';
}

/**
 * Returns the paragraphs of a Word document of 1997 to 2003 as HTML, one per item, with their links. Hidden and deleted text, headers and comments are left out.
 * @param words - the stream `WordDocument`
 * @param tables - the stream with its tables
 * @throws ConversionError `damaged`, and RangeError for places outside the streams
 */
export function wordParagraphs(words: Buffer, tables: Buffer): readonly string[] {
  return partsHtml({
    words,
    countsAt: COUNTS_AT,
    pieces: piecesOf(words, tables),
    runs: wordRuns(words, tables),
    decode: (bytes) => windows1252Of(bytes.toString('latin1')),
  });
}

/** A document as far as its text goes. */
interface WordText {
  /** The stream `WordDocument`. */
  readonly words: Buffer;
  /** Where the head says how many characters each part has. */
  readonly countsAt: number;
  readonly pieces: readonly Piece[];
  readonly runs: WordRuns;
  /** Decodes characters of one byte. */
  readonly decode: (bytes: Buffer) => string;
}

/** Returns the paragraphs of all parts that are read, one per item. */
export function partsHtml(text: WordText): readonly string[] {
  const parts = new Map<string, readonly string[]>();
  let from = 0;
  for (const [i, name] of PARTS.entries()) {
    const to = from + text.words.readUInt32LE(text.countsAt + 4 * i);
    if (name !== undefined) parts.set(name, paragraphsOf(text, from, to));
    from = to;
  }
  return SHOWN.flatMap((name) => parts.get(name) ?? []);
}

function piecesOf(words: Buffer, tables: Buffer): readonly Piece[] {
  let at = words.readUInt32LE(PIECES_AT);
  // Properties of pieces stand before them.
  while (tables.readUInt8(at) === 1) at += 3 + tables.readUInt16LE(at + 1);
  if (tables.readUInt8(at) !== 2) throw new ConversionError('damaged', 'the document has no table of its text');
  const count = Math.floor((tables.readUInt32LE(at + 1) - 4) / 12);
  const table = tables.subarray(at + 5);
  return Array.from({ length: count }, (_, i): Piece => {
    const place = table.readUInt32LE(4 * (count + 1) + 8 * i + 2);
    const isBytes = (place & BYTES) !== 0;
    return {
      from: table.readUInt32LE(4 * i),
      to: table.readUInt32LE(4 * (i + 1)),
      at: isBytes ? (place & (BYTES - 1)) / 2 : place & (BYTES - 1),
      bytesPerChar: isBytes ? 1 : 2,
    };
  });
}

function paragraphsOf({ words, pieces, runs, decode }: WordText, from: number, to: number): readonly string[] {
  const text = new FieldText();
  for (const piece of pieces) {
    const [first, last] = [Math.max(from, piece.from), Math.min(to, piece.to)];
    if (first >= last) continue;
    const end = Math.min(words.length, piece.at + (last - piece.from) * piece.bytesPerChar);
    for (let at = piece.at + (first - piece.from) * piece.bytesPerChar; at < end; ) {
      const [run, paragraph] = [runAt(runs.characters, at), runAt(runs.paragraphs, at)];
      const next = Math.min(end, endOf(run, runs.characters, at), endOf(paragraph, runs.paragraphs, at));
      const until = at + Math.max(1, Math.floor((next - at) / piece.bytesPerChar)) * piece.bytesPerChar;
      const bytes = words.subarray(at, until);
      const raw = piece.bytesPerChar === 1 ? decode(bytes) : utf16Text(bytes);
      text.add(charactersOf(raw, run, paragraph), isUnseen(run, paragraph, runs));
      at = until;
    }
  }
  return text.lines().filter((line) => line.trim() !== '');
}

/** Where the properties at a place end: with its run, or where the next begins. */
function endOf(run: Run | undefined, runs: readonly Run[], at: number): number {
  if (run !== undefined) return run.to;
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (runs[middle]!.from <= at) low = middle + 1;
    else high = middle;
  }
  return runs[low]?.from ?? Number.POSITIVE_INFINITY;
}

/** Characters with a meaning of their own as text ([MS-DOC] §2.4.1); marks of fields stay. */
function charactersOf(raw: string, run: Run | undefined, paragraph: Run | undefined): string {
  if (run?.symbol !== undefined)
    return run.symbol >= PRIVATE_USE ? ' ' : String.fromCharCode(run.symbol).repeat(raw.length);
  return raw
    .replace(/\x07/g, paragraph?.endsRow === true ? '\n' : '\t')
    .replace(/[\x0b-\x0e]/g, '\n')
    .replace(/\x1e/g, '-')
    .replace(/[\0-\x08\x0f-\x12\x16-\x1d\x1f]/g, '');
}

/** Runs of text, and marks of fields one by one: begin, separator, end ([MS-DOC] §2.8.25). */
const FIELD_PARTS = /[\x13-\x15]|[^\x13-\x15]+/g;

interface Field {
  instruction: string;
  hasResult: boolean;
  /** What is shown. */
  text: string;
  html: string;
  readonly isUnseen: boolean;
}

/** Of a field that leads to a place in the document (`\l`) the address counts if it has one. */
const LINK = /^\s*HYPERLINK\s+(?:\\[a-km-z]\s+)*"([^"]{1,2000})"/i;

/** Puts text together: of fields their results, links around those that are links. */
class FieldText {
  readonly #open: Field[] = [{ instruction: '', hasResult: true, text: '', html: '', isUnseen: false }];

  /** @param isUnseen - the text is not shown; line breaks and marks of fields in it count */
  add(text: string, isUnseen: boolean): void {
    for (const part of text.match(FIELD_PARTS) ?? []) {
      if (part === '\x13') this.#open.push({ instruction: '', hasResult: false, text: '', html: '', isUnseen });
      else if (part === '\x14') this.#beginResult();
      else if (part === '\x15') this.#end();
      else this.#put(part, isUnseen);
    }
  }

  /** What stands in a field without an end is text. */
  lines(): readonly string[] {
    while (this.#open.length > 1) {
      const { instruction, text, html } = this.#open.pop()!;
      this.#open.at(-1)!.html += escapeHtml(instruction) + html;
      this.#open.at(-1)!.text += instruction + text;
    }
    return this.#open[0]!.html.split('\n');
  }

  #put(text: string, isUnseen: boolean): void {
    const field = this.#open.at(-1)!;
    if (!field.hasResult) field.instruction += text;
    else {
      const seen = isUnseen ? text.replace(/[^\n]+/g, '') : text;
      field.text += seen;
      field.html += escapeHtml(seen);
    }
  }

  #beginResult(): void {
    if (this.#open.length > 1) this.#open.at(-1)!.hasResult = true;
  }

  #end(): void {
    if (this.#open.length === 1) return;
    const field = this.#open.pop()!;
    const around = this.#open.at(-1)!;
    const text = field.hasResult || field.isUnseen ? field.text : (equationText(field.instruction) ?? '');
    const html = field.hasResult ? linked(field) : escapeHtml(text);
    if (around.hasResult) {
      around.text += text;
      around.html += html;
    } else around.instruction += text;
  }
}

function linked({ instruction, html }: Field): string {
  const address = fieldAddress(LINK.exec(instruction)?.[1] ?? '#');
  if (address === '' || html.includes('<a ')) return html;
  return html.replace(/[^\n]+/g, (line) => `<a href="${escapeHtml(address)}">${line}</a>`);
}
