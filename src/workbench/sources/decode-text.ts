import { decodeBody } from '../../analyze/index.ts';

/** Matches the encoding declared in an XML file, a bookmark file or a page. */
const STATED =
  /^\s{0,99}<\?xml\b[^<>]{0,500}?\bencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})|<meta\b[^<>]{0,500}?\bcharset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i;
const HEAD_BYTES = 4096;

/**
 * Decodes a local file: by its byte order mark, its declared encoding, or the zeros of UTF-16; as UTF-8 if valid.
 * Otherwise as windows-1252, which old bookmark files and lists use, or as another encoding if its words consist only
 * of letters beyond ASCII.
 */
export function decodeText(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES))
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  const [, xml, html] = STATED.exec(head) ?? [];
  return decodeBody(bytes, xml ?? html ?? 'windows-1252', false);
}
