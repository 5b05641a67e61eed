import { decodeBody } from '../../analyze/index.ts';

/** What an XML file, a bookmark file or a page says of its own encoding. */
const STATED =
  /^\s{0,99}<\?xml\b[^<>]{0,500}?\bencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})|<meta\b[^<>]{0,500}?\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i;
const HEAD_BYTES = 4096;

/**
 * Returns the text of a local file: by its byte order mark, the encoding that it states, the zeros of UTF-16, UTF-8 if it is valid, else as
 * windows-1252, which old bookmark files and lists are written in; as another encoding if its words are of letters beyond ASCII alone.
 */
export function decodeText(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  const [, xml, html] = STATED.exec(head) ?? [];
  return decodeBody(bytes, xml ?? html ?? 'windows-1252', false);
}
