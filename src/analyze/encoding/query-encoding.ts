import { textIn } from './charset.ts';

/** Unicode encodings, and the one with escape sequences: for these, queries are written in UTF-8. */
const OF_ALL_LETTERS = /^(?:utf-|iso-2022)/;
/** Lead bytes of two-byte letters. Some letters have two codes; browsers write the code in the first range. */
const LEADS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  gbk: [[0x81, 0xfe]],
  gb18030: [[0x81, 0xfe]],
  big5: [[0xa1, 0xf9]],
  'euc-jp': [
    [0xa1, 0xfe],
    [0x8e, 0x8e],
  ],
  'euc-kr': [[0x81, 0xfe]],
  shift_jis: [
    [0x81, 0x9f],
    [0xe0, 0xec],
    [0xef, 0xfc],
  ],
};
const FIRST_TRAIL = 0x40;
const LAST_BYTE = 0xfe;

/** Maps letters of an encoding to their percent-encoded bytes; built on demand. */
const known = new Map<string, ReadonlyMap<string, string>>();

/**
 * Encodes a link's URL as its page does: letters beyond ASCII in its query, but nowhere else, become their bytes in
 * the page's encoding (URL §4.4). Servers of these pages accept nothing else.
 * @param encoding name as the WHATWG Encoding standard spells it, in lower case
 */
export function addressIn(encoding: string, href: string): string {
  const start = href.indexOf('?');
  if (start < 0 || OF_ALL_LETTERS.test(encoding)) return href;
  const hash = href.indexOf('#');
  const end = hash < 0 ? href.length : hash;
  const query = href.slice(start, end).toWellFormed();
  if (!/[^\0-\x7f]/.test(query)) return href;
  const bytes = bytesOf(encoding);
  // Letters that the encoding lacks are written as character references.
  const written = query.replace(/[^\0-\x7f]/gu, (letter) => bytes.get(letter) ?? `%26%23${letter.codePointAt(0)}%3B`);
  return href.slice(0, start) + written + href.slice(end);
}

function bytesOf(encoding: string): ReadonlyMap<string, string> {
  const before = known.get(encoding);
  if (before !== undefined) return before;
  const found = new Map<string, string>();
  const add = (...bytes: readonly number[]): void => {
    const text = textIn(encoding, Uint8Array.from(bytes));
    const isLetter = [...text].length === 1 && text > '\x7f' && text !== '\ufffd';
    if (isLetter && !found.has(text))
      found.set(text, bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join(''));
  };
  for (let byte = 0x80; byte <= 0xff; byte++) add(byte);
  for (const [first, last] of LEADS[encoding] ?? [])
    for (let lead = first; lead <= last; lead++)
      for (let trail = FIRST_TRAIL; trail <= LAST_BYTE; trail++) add(lead, trail);
  known.set(encoding, found);
  return found;
}
