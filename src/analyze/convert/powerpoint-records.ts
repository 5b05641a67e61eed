import { firstLine, htmlLink, paragraphs } from './markup.ts';
import type { ConvertedDocument } from './outcome.ts';
import { currentRecords } from './powerpoint-edits.ts';

/** Record types of the PowerPoint binary format ([MS-PPT] §2.13.24). */
const MAIN_MASTER = 0x03f8;
const NOTES = 0x03f0;
const NOTES_ATOM = 0x03f1;
const TEXT_CHARS = 0x0fa0;
const TEXT_BYTES = 0x0fa8;
const STRING = 0x0fba;
const HYPERLINK = 0x0fd7;
const HEADER_BYTES = 8;
const CONTAINER_VERSION = 0xf;
const MAX_DEPTH = 32;
/** From here on numbers are those of masters, not of slides. */
const FIRST_MASTER = 0x8000_0000;

/** Text and links of the stream `PowerPoint Document`; masters are left out, and what was deleted or changed since. */
export function powerPointDocument(stream: Buffer, currentUser: Buffer): ConvertedDocument {
  const texts: string[] = [];
  const links: string[] = [];
  const current = currentRecords(stream, currentUser);
  readRecords(stream, 0, stream.length, { texts, links, depth: 0, isRead: (at) => current?.has(at) ?? true });
  const unique = [...new Set(links)].map((url) => `<p>${htmlLink(url, '')}</p>`);
  const text = texts.join('\n\n');
  return { title: firstLine(text), body: paragraphs(text) + unique.join('\n') };
}

interface Found {
  readonly texts: string[];
  readonly links: string[];
  readonly depth: number;
  /** False for records of old, by their places in the stream; asked of the outermost. */
  readonly isRead: (at: number) => boolean;
}

function readRecords(stream: Buffer, start: number, end: number, found: Found): void {
  let at = start;
  while (at + HEADER_BYTES <= end) {
    const version = stream.readUInt16LE(at) & 0xf;
    const type = stream.readUInt16LE(at + 2);
    const from = at + HEADER_BYTES;
    const to = Math.min(end, from + stream.readUInt32LE(at + 4));
    if (found.depth === 0 && !found.isRead(at)) {
      at = to;
      continue;
    }
    if (type === TEXT_CHARS) found.texts.push(textOf(stream.toString('utf16le', from, to)));
    else if (type === TEXT_BYTES) found.texts.push(textOf(stream.toString('latin1', from, to)));
    else if (type === HYPERLINK) collectLink(stream, from, to, found.links);
    else if (version === CONTAINER_VERSION && !isMaster(stream, type, from, to) && found.depth < MAX_DEPTH) {
      readRecords(stream, from, to, { ...found, depth: found.depth + 1 });
    }
    at = to;
  }
}

/** What stands there tells an author where to type. Notes that belong to no slide are such, too ([MS-PPT] §2.5.6). */
function isMaster(stream: Buffer, type: number, from: number, to: number): boolean {
  if (type === MAIN_MASTER) return true;
  if (type !== NOTES || from + HEADER_BYTES + 4 > to || stream.readUInt16LE(from + 2) !== NOTES_ATOM) return false;
  const slide = stream.readUInt32LE(from + HEADER_BYTES);
  return slide === 0 || slide >= FIRST_MASTER;
}

/** The strings in a hyperlink record are its name and its target. */
function collectLink(stream: Buffer, start: number, end: number, links: string[]): void {
  for (let at = start; at + HEADER_BYTES <= end; ) {
    const to = Math.min(end, at + HEADER_BYTES + stream.readUInt32LE(at + 4));
    if (stream.readUInt16LE(at + 2) === STRING) {
      const text = stream.toString('utf16le', at + HEADER_BYTES, to);
      if (/^https?:/i.test(text)) links.push(text);
    }
    at = to;
  }
}

/** Paragraphs end in carriage returns, lines in vertical tabs. */
function textOf(text: string): string {
  // An asterisk alone stands for a date or a page number.
  return text === '*' ? '' : text.replace(/\r/g, '\n\n').replace(/\v/g, '\n');
}
