import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { convertToPage } from '../../../src/convert/convert.ts';
import { docOf, docxOf, formPdfOf, odtOf, pdfOf, pptOf, pptxOf, tarOf, zipOf } from '../../convert/office-files.ts';
import type { FuzzTarget } from '../fuzz.ts';
import { checkPage, must, samples, words } from './checks.ts';

const LIMITS = {
  maxPdfPages: 20,
  maxTextChars: 200_000,
  maxHtmlChars: 200_000,
  maxInflatedBytes: 4_000_000,
  maxMembers: 50,
};

/** Accepts any error: in production the converter is a separate process that may fail. */
async function checkConversion(input: Buffer, url: string): Promise<void> {
  let html: string;
  try {
    html = await convertToPage(input, '', url, LIMITS);
  } catch (error) {
    must(error instanceof Error, `threw ${String(error)}`);
    return;
  }
  must(html.length < LIMITS.maxHtmlChars + 10_000, 'longer than the limit');
  checkPage(Buffer.from(html), 'text/html', 'utf-8');
}

const OFFICE = join(import.meta.dirname, '../../convert/office');
const fixture = (ending: string): Buffer[] =>
  readdirSync(OFFICE)
    .filter((name) => name.endsWith(`.${ending}`))
    .map((name) => readFileSync(join(OFFICE, name)));

function converted(name: string, made: readonly Uint8Array[], text: string): FuzzTarget {
  const url = `http://a.test/file.${name}`;
  return {
    name,
    samples: [...made, ...fixture(name)],
    words: words(text),
    share: 0.1,
    isFenced: true,
    check: (input) => checkConversion(input, url),
  };
}

const LINK = { url: 'http://b.test/x', text: 'the link' };
const ZIP_WORDS = 'PK\x03\x04 PK\x01\x02 PK\x05\x06 \x00\x00 \xff\xff\xff\xff <w:p> </w:p> ../../ content.xml mimetype';

/** Documents besides HTML and text. */
export const DOCUMENTS: readonly FuzzTarget[] = [
  converted(
    'pdf',
    [
      pdfOf('t', ['some text', 'and more'], 'http://b.test/'),
      formPdfOf('Licence', LINK, 'Owner', 'Ada', 'Please wait...'),
    ],
    'obj endobj stream endstream xref trailer /Length 9999999 << >> [ ] /Kids /Type␣/Page R 0 -1 <subform </subform> <draw> <exData> <text> layout="tb"',
  ),
  converted('docx', [docxOf('Report', 'Of hubs.', LINK)], ZIP_WORDS),
  converted('pptx', [pptxOf('Report', 'Of hubs', LINK)], ZIP_WORDS),
  converted('odt', [odtOf('Report', 'Of hubs', LINK)], ZIP_WORDS),
  converted('doc', [docOf('Hubs and authorities\r')], '\xd0\xcf\x11\xe0 \xff\xff\xff\xfe \x13HYPERLINK␣" \x14 \x15'),
  converted('ppt', [pptOf('Hubs', 'narrow', 'http://b.test/y')], '\xd0\xcf\x11\xe0 \xff\xff\xff\x7f \x0f\x00\xa0\x0f'),
  converted('epub', [], `${ZIP_WORDS} <spine> <itemref␣idref=" <item␣id=" full-path=`),
  converted(
    'rtf',
    samples(
      '{\\rtf1\\ansi\\ansicpg1251 text \\u246?\\par {\\field{\\*\\fldinst HYPERLINK "http://b.test/"}{\\fldrslt x}}}',
    ),
    '{\\rtf1 { } \\par \\u-1? \\\'ff \\bin9 \\*\\x \\uc9 \\fcharset128 \\f1 {\\fldinst {\\fldrslt HYPERLINK␣" \\',
  ),
  converted(
    'tar',
    [
      tarOf({ 'a.html': '<p>x', 'b.txt': 'text', 'in.zip': zipOf({ 'c.txt': 'deep' }) }),
      Buffer.concat([tarOf({ x: '19 path=long/a.txt\n' }, 'x').subarray(0, 1024), tarOf({ 'a.txt': 'text' })]),
    ],
    'ustar 0000000 00000000005 \x80 \x00\x00 19␣path= 9␣size=5 ../../ ././@LongLink x L',
  ),
  converted('zip', [zipOf({ 'a.html': '<p>x', 'b.txt': 'text', 'in.zip': zipOf({ 'c.txt': 'deep' }) })], ZIP_WORDS),
  converted(
    'gz',
    [gzipSync('<p>page'), gzipSync('<urlset><url><loc>/a</loc></url></urlset>')],
    '\x1f\x8b\x08 \x00 \xff',
  ),
];
