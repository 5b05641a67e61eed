import { type ConvertedDocument, escapeHtml, firstLine, htmlLink, utf16Text } from '../analyze/index.ts';
import { currentRecords } from './powerpoint-edits.ts';

/** Record types of the PowerPoint binary format ([MS-PPT] §2.13.24). */
const MAIN_MASTER = 0x03f8;
const NOTES = 0x03f0;
const NOTES_ATOM = 0x03f1;
const TEXT_CHARS = 0x0fa0;
const TEXT_BYTES = 0x0fa8;
const STRING = 0x0fba;
const HYPERLINK = 0x0fd7;
const HYPERLINK_ATOM = 0x0fd3;
/** What a click on a text does, and behind it which part of the text it is. */
const CLICK = 0x0ff2;
const CLICK_ATOM = 0x0ff3;
const CLICK_RANGE = 0x0fdf;
const HEADER_BYTES = 8;
const CONTAINER_VERSION = 0xf;
const MAX_DEPTH = 32;
/** Of a text: each is looked for in each line. */
const MAX_CLICKS = 200;
/** From here on numbers are those of masters, not of slides. */
const FIRST_MASTER = 0x8000_0000;

/** Text and links of the stream `PowerPoint Document`; masters are left out, and what was deleted or changed since. */
export function powerPointDocument(stream: Buffer, currentUser: Buffer): ConvertedDocument {
  const texts: SlideText[] = [];
  const targets = new Map<number, string>();
  const current = currentRecords(stream, currentUser);
  const found: Found = { texts, targets, depth: 0 };
  if (current === undefined) readRecords(stream, 0, stream.length, found);
  // Some files have bytes between their records, so that each is read by its place.
  else for (const at of current) readRecords(stream, at, endOfRecord(stream, at), found);
  const text = texts.map((part) => part.text.replace(/[\r\v]/g, '\n')).join('\n');
  const linked = new Set<string>();
  const shown = texts.map((part) => htmlOf(part, targets, linked)).join('\n');
  const others = [...new Set(targets.values())].filter((url) => !linked.has(url));
  return { title: firstLine(text), body: shown + others.map((url) => `<p>${htmlLink(url, '')}</p>`).join('\n') };
}

/** A text with its links. */
interface SlideText {
  readonly text: string;
  readonly clicks: Click[];
}

/** A part of a text that is a link, by the number of its target. */
interface Click {
  readonly target: number;
  readonly from: number;
  readonly to: number;
}

/** Paragraphs end in carriage returns, lines in vertical tabs. @param linked - receives the addresses of its links */
function htmlOf({ text, clicks }: SlideText, targets: ReadonlyMap<number, string>, linked: Set<string>): string {
  const inOrder = clicks.toSorted((a, b) => a.from - b.from);
  let start = 0;
  const lines = text.split('\r').map((line) => {
    let html = '';
    let at = 0;
    for (const { target, from, to } of inOrder) {
      const [first, last] = [Math.max(at, from - start), Math.min(line.length, to - start)];
      const url = targets.get(target);
      if (first >= last || url === undefined) continue;
      html += escapeHtml(line.slice(at, first)) + htmlLink(url, line.slice(first, last));
      at = last;
      linked.add(url);
    }
    start += line.length + 1;
    return html + escapeHtml(line.slice(at));
  });
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => `<p>${line.replaceAll('\v', '\n')}</p>`)
    .join('\n');
}

interface Found {
  readonly texts: SlideText[];
  /** Addresses by the numbers of the links that lead there. */
  readonly targets: Map<number, string>;
  readonly depth: number;
}

function endOfRecord(stream: Buffer, at: number): number {
  return Math.min(stream.length, at + HEADER_BYTES + stream.readUInt32LE(at + 4));
}

function readRecords(stream: Buffer, start: number, end: number, found: Found): void {
  let at = start;
  let clicked = -1;
  while (at + HEADER_BYTES <= end) {
    const version = stream.readUInt16LE(at) & 0xf;
    const type = stream.readUInt16LE(at + 2);
    const from = at + HEADER_BYTES;
    const to = Math.min(end, from + stream.readUInt32LE(at + 4));
    if (type === TEXT_CHARS) found.texts.push(textOf(utf16Text(stream.subarray(from, to))));
    else if (type === TEXT_BYTES) found.texts.push(textOf(stream.toString('latin1', from, to)));
    else if (type === HYPERLINK) collectLink(stream, from, to, found.targets);
    else if (type === CLICK) clicked = clickedLink(stream, from, to);
    else if (type === CLICK_RANGE && to - from >= 8)
      addClick(found.texts, { target: clicked, from: stream.readUInt32LE(from), to: stream.readUInt32LE(from + 4) });
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

/** It is of the text before it. */
function addClick(texts: readonly SlideText[], click: Click): void {
  const clicks = texts.at(-1)?.clicks;
  if (clicks !== undefined && clicks.length < MAX_CLICKS) clicks.push(click);
}

/** The strings in a hyperlink record are its name and its target, behind its number. */
function collectLink(stream: Buffer, start: number, end: number, targets: Map<number, string>): void {
  let id = -1 - targets.size;
  for (let at = start; at + HEADER_BYTES <= end; ) {
    const to = Math.min(end, at + HEADER_BYTES + stream.readUInt32LE(at + 4));
    if (stream.readUInt16LE(at + 2) === STRING) {
      const text = utf16Text(stream.subarray(at + HEADER_BYTES, to));
      if (/^https?:/i.test(text)) targets.set(id, text);
    } else if (stream.readUInt16LE(at + 2) === HYPERLINK_ATOM && to - at >= HEADER_BYTES + 4) {
      id = stream.readUInt32LE(at + HEADER_BYTES);
    }
    at = to;
  }
}

/** The number of the link that a click follows, or -1. */
function clickedLink(stream: Buffer, from: number, to: number): number {
  const isLink = from + HEADER_BYTES + 8 <= to && stream.readUInt16LE(from + 2) === CLICK_ATOM;
  return isLink ? stream.readUInt32LE(from + HEADER_BYTES + 4) : -1;
}

function textOf(text: string): SlideText {
  // An asterisk alone stands for a date or a page number.
  return { text: text === '*' ? '' : text, clicks: [] };
}
