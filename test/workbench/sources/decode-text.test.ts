import { expect, test } from 'vitest';
import { decodeText } from '../../../src/workbench/sources/decode-text.ts';

/** Letters of windows-1251, A to я. */
function windows1251(text: string): Buffer {
  return Buffer.from(
    Array.from(text, (c) => (c >= 'А' && c <= 'я' ? c.charCodeAt(0) - 0x410 + 0xc0 : c.charCodeAt(0))),
  );
}

test.each([
  ['XML', '<?xml version="1.0" encoding="windows-1251"?>\n<opml>'],
  ['XML in other quotes', "<?xml version='1.0' encoding='WINDOWS-1251' ?><opml>"],
  [
    'a bookmark file',
    '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=windows-1251">',
  ],
  ['a page', '<meta charset=cp1251>'],
])('%s is read in the encoding that it states', (_, head) => {
  expect(decodeText(windows1251(`${head} Велосипеды`))).toContain('Велосипеды');
});

test.each([
  ['UTF-8 although it states another', Buffer.from('<meta charset="iso-8859-1"> Fahrräder')],
  ['UTF-8 with a mark', Buffer.from('\ufeffFahrräder')],
  ['UTF-16 with a mark', Buffer.from('\ufeffFahrräder', 'utf16le')],
  ['windows-1252 without a statement', Buffer.from('Fahrr\xe4der', 'latin1')],
])('reads %s', (_, bytes) => {
  expect(decodeText(bytes)).toContain('Fahrräder');
});
