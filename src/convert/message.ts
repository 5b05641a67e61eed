import {
  bodyOf,
  decodeBody,
  escapeHtml,
  firstLine,
  htmlPage,
  Layout,
  scanPlain,
  withoutEnvelope,
} from '../analyze/index.ts';
import { ConversionError } from './outcome.ts';

/** Parts within parts are looked into this deep. */
const MAX_DEPTH = 4;
const MAX_PARTS = 1_000;
const MAX_HEAD_CHARS = 64 * 1024;
/** Types with a text that people read. Notices of failed delivery are texts, too (RFC 3464). */
const TEXT = /^(?:text\/(?!calendar|css|javascript|x-vcard|vcard)|message\/delivery-status$)/;

/** A part of a message, or the whole of it (RFC 2045), its bytes one character each. */
interface Part {
  /** Header fields, names in lower case; of several the first. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

/**
 * The page in a file of MHTML (RFC 2557), as it was, with the address that it was saved from as its base; or the text of a mail (RFC 5322),
 * called by its subject. What stood in frames of a page is left out, and what is attached to a mail.
 * @throws ConversionError `damaged` when it has no page and no text
 */
export function pageOfMessage(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const message = partOf(withoutEnvelope(text));
  const root = rootOf(message, 0);
  if (root === undefined) throw new ConversionError('damaged', 'a saved page or a mail without a text in it');
  const { type, parameters } = contentTypeOf(root);
  const content = decodedBody(root);
  const said = decodeBody(content, parameters.get('charset') ?? '', type === 'text/html');
  const subject = subjectOf(message);
  if (type !== 'text/html') return htmlPage(subject === '' ? firstLine(said) : subject, plainBody(said));
  const place = root.fields.get('content-location') ?? '';
  const address = /^https?:/i.test(place) ? place : (message.fields.get('snapshot-content-location') ?? '');
  // Behind the page's own base or title, which count before them.
  if (address !== '') return `${said}<base href="${escapeHtml(address)}">`;
  return subject === '' ? said : `${said}<title>${escapeHtml(subject)}</title>`;
}

/** Paragraphs of plain text with the addresses in it as links. */
function plainBody(text: string): string {
  const layout = new Layout();
  scanPlain(text.toWellFormed(), layout, false);
  return bodyOf(layout);
}

const ENCODED_WORD = /=\?([\w-]{1,40})(?:\*[\w-]{0,20})?\?([bq])\?([^?\s]{0,1000})\?=/gi;

/** What a message is about: encoded words (RFC 2047) as they read, and white space between two of them left out; `''` without. */
function subjectOf({ fields }: Part): string {
  const raw = (fields.get('subject') ?? '').replace(/\?=[ \t]{1,99}=\?/g, '?==?');
  const plain = decodeBody(Buffer.from(raw, 'latin1'), '', false);
  return plain.replace(ENCODED_WORD, (_, charset: string, coding: string, word: string) => {
    const isBase64 = coding.toLowerCase() === 'b';
    return decodeBody(isBase64 ? Buffer.from(word, 'base64') : unquoted(word.replaceAll('_', ' ')), charset, false);
  });
}

/** Returns the part with the text: the one that the message names, or the first that is a page, plain text, or other text. */
function rootOf(part: Part, depth: number): Part | undefined {
  const { type, parameters } = contentTypeOf(part);
  const boundary = parameters.get('boundary') ?? '';
  if (/^attachment\b/i.test(part.fields.get('content-disposition') ?? '')) return undefined;
  if (!type.startsWith('multipart/')) return TEXT.test(type) ? part : undefined;
  if (boundary === '' || depth === MAX_DEPTH) return undefined;
  const parts = partsOf(part.body, boundary);
  const start = parameters.get('start') ?? '';
  const named = start === '' ? undefined : parts.find(({ fields }) => fields.get('content-id') === start);
  const found = (named === undefined ? parts : [named, ...parts]).flatMap((inner) => rootOf(inner, depth + 1) ?? []);
  const ofType = (wanted: string): Part | undefined => found.find((inner) => contentTypeOf(inner).type === wanted);
  return ofType('text/html') ?? ofType('text/plain') ?? found[0];
}

/** What stands between lines with the boundary; the last part may lack its end. */
function partsOf(body: string, boundary: string): readonly Part[] {
  const mark = `\n--${boundary}`;
  const parts: Part[] = [];
  let at = body.startsWith(mark.slice(1)) ? 0 : body.indexOf(mark) + 1;
  if (at === 0 && !body.startsWith(mark.slice(1))) return parts;
  while (parts.length < MAX_PARTS && !body.startsWith('--', at + mark.length - 1)) {
    const start = body.indexOf('\n', at + mark.length - 1) + 1;
    const end = start === 0 ? -1 : body.indexOf(mark, start - 1);
    if (start > 0) parts.push(partOf(body.slice(start, end < 0 ? undefined : Math.max(start, end)).replace(/\r$/, '')));
    if (end < 0) break;
    at = end + 1;
  }
  return parts;
}

function partOf(text: string): Part {
  const gap = /\r?\n\r?\n/.exec(text.slice(0, MAX_HEAD_CHARS));
  const head = gap === null ? text.slice(0, MAX_HEAD_CHARS) : text.slice(0, gap.index);
  const fields = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trimEnd().toLowerCase();
    if (name !== '' && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim());
  }
  return { fields, body: gap === null ? '' : text.slice(gap.index + gap[0].length) };
}

const PARAMETER = /;\s{0,99}([\w-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]{0,1000})"|([^\s;"]{1,1000}))/g;

/** A part that does not say what it is, is a text (RFC 2045 §5.2). */
function contentTypeOf({ fields }: Part): { readonly type: string; readonly parameters: ReadonlyMap<string, string> } {
  const value = fields.get('content-type') ?? '';
  const type = /^[\w.+/-]{1,100}/.exec(value)?.[0].toLowerCase() ?? 'text/plain';
  const parameters = Array.from(value.matchAll(PARAMETER), ([, name, quoted, bare]) => {
    return [name!.toLowerCase(), quoted ?? bare ?? ''] as const;
  });
  return { type, parameters: new Map(parameters) };
}

function decodedBody({ fields, body }: Part): Uint8Array {
  const coding = (fields.get('content-transfer-encoding') ?? '').toLowerCase();
  if (coding === 'base64') return Buffer.from(body, 'base64');
  if (coding !== 'quoted-printable') return Buffer.from(body, 'latin1');
  return unquoted(body.replace(/=[ \t]{0,99}\r?\n/g, ''));
}

/** The bytes of quoted-printable without line ends of its own (RFC 2045 §6.7). */
function unquoted(text: string): Uint8Array {
  const bytes = text.replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}
