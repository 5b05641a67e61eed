import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isUnusable, type Unusable } from '../../src/analyze/index.ts';
import { type Converted, Converter, isConvertible } from '../../src/convert/index.ts';
import { type AnalyzedDocument, canonicalize, DEFAULTS } from '../../src/core/index.ts';
import { documentOf } from '../analyze/pages.ts';
import {
  compound,
  docOf,
  docxOf,
  formPdfOf,
  linkedPdfOf,
  odtOf,
  pdfOf,
  pptOf,
  pptxOf,
  tarOf,
  zipOf,
} from './office-files.ts';

const LINK = { url: 'http://b.test/x?a=1&amp;b=2', text: 'the link' };
const LINKED = 'http://b.test/x?a=1&b=2';

const converter = new Converter(DEFAULTS.analyze, { maxInflatedBytes: 5_000_000 });
afterAll(() => converter.close());

function convert(bytes: Uint8Array, name = 'file'): Promise<Converted | Unusable> {
  return converter.convert(bytes, '', `http://a.test/dir/${name}`);
}

/** A document that its library never finishes. */
function endlessDoc(): Buffer {
  return gunzipSync(readFileSync(join(import.meta.dirname, 'office/endless.doc.gz')));
}

/** Converters that run as children of this process, except the one that all tests share. */
function children(): readonly number[] {
  const rows = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  const pids = rows.split('\n').flatMap((row) => (row.includes('convert-worker') ? [Number.parseInt(row, 10)] : []));
  return pids.filter((pid) => !shared.has(pid));
}
const shared = new Set<number>();

/** Converts and analyses like the engine. */
async function documentFrom(bytes: Uint8Array, name?: string): Promise<AnalyzedDocument> {
  const converted = await convert(bytes, name);
  if (isUnusable(converted)) throw new Error(`Expected a document, got ${converted.reason}: ${converted.detail}`);
  return documentOf(converted.html, { headers: { charset: 'utf-8' } });
}

describe('converted types', () => {
  it('are recognised by the first bytes, not by the media type', () => {
    const pdf = pdfOf('t', ['x'], 'http://b.test/');
    expect(isConvertible('text/html', 'http://a.test/', pdf)).toBe(true);
    expect(isConvertible('', 'http://a.test/x.zip', zipOf({ a: 'b' }))).toBe(true);
    expect(isConvertible('', 'http://a.test/x.gz', gzipSync('x'))).toBe(true);
    expect(isConvertible('application/msword', 'http://a.test/x.doc', docOf('x'))).toBe(true);
    expect(isConvertible('application/pdf', 'http://a.test/x.pdf', Buffer.from('<html>log in first'))).toBe(false);
    expect(isConvertible('', 'http://a.test/', new Uint8Array(0))).toBe(false);
  });

  it('exclude archives of programs and data', () => {
    expect(isConvertible('application/java-archive', 'http://a.test/x', zipOf({ a: 'b' }))).toBe(false);
    expect(isConvertible('', 'http://a.test/app.apk?v=1', zipOf({ a: 'b' }))).toBe(false);
  });
});

describe('converted documents pass through the HTML analysis', () => {
  it('PDF: a URL that continues on the next line after a hyphen keeps the hyphen', async () => {
    const lines = ['A co-author of http://c.test/an-', 'other-page.html wrote it.', 'more'];
    const { links } = await documentFrom(pdfOf('t', lines, 'http://b.test/'), 'x.pdf');
    expect(links.urls).toBe('http://c.test/an-other-page.html\nhttp://b.test/');
  });

  it.each([
    ['a hyphen', '-'],
    ['the hyphen of today', '#'],
  ])('PDF: words parted by %s are joined', async (_, sign) => {
    const pdf = pdfOf('t', [`Hubs and autho${sign}`, 'rities are read.'], 'http://b.test/').toString('latin1');
    const font = '/BaseFont /Helvetica /Encoding << /Differences [35 /uni2010] >>';
    const { text } = await documentFrom(Buffer.from(pdf.replace('/BaseFont /Helvetica', font), 'latin1'), 'x.pdf');
    expect(text).toBe('Hubs and authorities are read.');
  });

  it('PDF: a link drawn narrower than its words has all their letters', async () => {
    const pdf = pdfOf('t', ['See', 'click there'], 'http://b.test/').toString('latin1');
    const narrow = pdf.replace(/(Rect \[70 \d+) 400/, '$1 121');
    const { links } = await documentFrom(Buffer.from(narrow, 'latin1'), 'x.pdf');
    expect([narrow === pdf, links.anchors]).toEqual([false, 'click there']);
  });

  it.each([
    ['', 'Stated there'],
    ['Microsoft Word - x.doc', 'Stated there'],
    ['Stated here', 'Stated here'],
  ])('PDF: the title of its metadata counts where its old properties have none (%j)', async (old, title) => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">Stated there</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`;
    const metadata = `99 0 obj\n<< /Type /Metadata /Subtype /XML /Length ${xmp.length} >>\nstream\n${xmp}\nendstream\nendobj\nxref\n`;
    const pdf = pdfOf(old, ['First line'], 'http://b.test/')
      .toString('latin1')
      .replace('/Type /Catalog', '/Type /Catalog /Metadata 99 0 R')
      .replace('xref\n', metadata);
    expect((await documentFrom(Buffer.from(pdf, 'latin1'), 'x.pdf')).title).toBe(title);
  });

  it('PDF: a page header with a link that every page repeats is read once', async () => {
    const { text, links } = await documentFrom(linkedPdfOf('t', ['Our journal'], [[0, 'http://b.test/']], 3), 'x.pdf');
    expect([text, links.urls]).toEqual(['Our journal', 'http://b.test/']);
  });

  it('PDF: title, text with joined hyphenated words, link annotations, URLs in the text', async () => {
    const lines = ['A study of hubs and autho-', 'rities. See http://c.test/z.', 'click there'];
    const document = await documentFrom(pdfOf('My study', lines, 'http://b.test/pdf'), 'study.pdf');
    expect(document.title).toBe('My study');
    expect(document.text).toBe('A study of hubs and authorities. See http://c.test/z. click there');
    expect(document.links.urls).toBe('http://c.test/z\nhttp://b.test/pdf');
    expect(document.links.anchors).toBe('http://c.test/z\nclick there');
  });

  it('PDF: links surround their text in whatever order the file lists them', async () => {
    const lines = ['A study of hubs', 'by Ann', 'more', 'by Ben', 'more', 'The end'];
    const links = [5, 4, 3, 2, 1].map((line) => [line, `http://b.test/${line}`] as const);
    const document = await documentFrom(linkedPdfOf('My study', lines, links), 'study.pdf');
    expect(document.text).toBe(lines.join(' '));
    expect(document.links.anchors.split('\n')).toEqual(lines.slice(1));
    expect(document.links.urls.split('\n')).toEqual([1, 2, 3, 4, 5].map((line) => `http://b.test/${line}`));
  });

  it('PDF: a link across two lines is one link', async () => {
    const lines = ['See', 'the longest', 'of all', 'links', 'and others'];
    const [long, other] = ['http://b.test/long', 'http://b.test/other'];
    const bytes = linkedPdfOf('My study', lines, [
      [1, long],
      [2, long],
      [3, long],
      [4, other],
    ]);
    const { text, links } = await documentFrom(bytes, 'study.pdf');
    expect(text).toBe(lines.join(' '));
    expect([links.urls, links.anchors]).toEqual([`${long}\n${other}`, 'the longest of all links\nand others']);
  });

  it('PDF: URLs in quotes or brackets end there, and the text is unchanged', async () => {
    const line = '"http://c.test/a?x=1&y=2" or <http://c.test/b>; (http://c.test/c_(d)). & http://c.test/e?f';
    const document = await documentFrom(
      pdfOf('My study', [line.replace(/[()]/g, '\\$&'), 'click there'], 'http://b.test/pdf'),
    );
    expect(document.text).toBe(`${line} click there`);
    expect(document.links.urls.split('\n')).toEqual([
      ...[
        'http://c.test/a?x=1&y=2',
        'http://c.test/b',
        'http://c.test/c_(d)',
        'http://c.test/e?f',
        'http://b.test/pdf',
      ],
    ]);
  });

  it.each([
    'Microsoft Word - final2.doc',
    'chapter 3.tex',
    'cidr03.fm',
    'Presentation1',
    'Untitled Page',
    'Document',
    'PowerPoint Presentation',
    'Pr\\351sentation PowerPoint',
    'Paper Title \\(use style: paper title\\)',
    'Proceedings Template - WORD',
    ' - ',
  ])('PDF: a title that a program wrote, or a template had, gives way to the first line: %s', async (title) => {
    const document = await documentFrom(pdfOf(title, ['Hubs and authorities'], 'http://b.test/'));
    expect(document.title).toBe('Hubs and authorities');
  });

  it.each([
    [
      'in other letters',
      '\\376\\377\\004\\036\\004\\061\\000 \\004\\105\\004\\060\\004\\061\\004\\060\\004\\105',
      'Об хабах',
    ],
    ['about such programs', 'How presentation made PowerPoint', 'How presentation made PowerPoint'],
  ])('PDF: keeps a title that a person wrote, %s', async (_, written, title) => {
    expect((await documentFrom(pdfOf(written, ['Hubs and authorities'], 'http://b.test/'))).title).toBe(title);
  });

  it('PDF: an XFA form has its labels, texts with links, and filled-in values', async () => {
    const form = formPdfOf('Licence to keep bees', LINK, 'Owner', 'Ada &amp; sons', 'Please wait...');
    const document = await documentFrom(form, 'licence.pdf');
    expect(document.title).toBe('Licence to keep bees');
    expect(document.text).toBe('Licence to keep bees\nSee the link first.\nOwner\nAda & sons');
    expect(document.links.urls).toBe(LINKED);
    expect(document.links.anchors).toBe('the link');
  });

  it.each([
    ['docx', docxOf('Report', 'Of hubs and authorities.', LINK), 'Of hubs and authorities.\nthe link'],
    ['pptx', pptxOf('Report', 'Of hubs', LINK), 'Of hubs\nthe link tail'],
    ['odt', odtOf('Report', 'Of hubs', LINK), 'Heading\nOf hubs the link'],
  ])('%s: title, text, links', async (ending, bytes, text) => {
    const document = await documentFrom(bytes, `report.${ending}`);
    expect(document).toMatchObject({ title: 'Report', text });
    expect(document.links).toMatchObject({ urls: LINKED, anchors: 'the link' });
  });

  /** Text in a font without a letter mapping, given by the numbers of its glyphs. */
  const pdfOfShapes = (...shapes: readonly number[]): Buffer => {
    const cid =
      '/Subtype /CIDFontType2 /BaseFont /X /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >>';
    const descriptor = '/FontDescriptor << /Type /FontDescriptor /FontName /X /Flags 4 >>';
    const font = `/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [<< /Type /Font ${cid} ${descriptor} >>]`;
    const text = shapes.map((shape) => `\\000\\${shape.toString(8).padStart(3, '0')}`).join('');
    const pdf = pdfOf('My study', [text, ''], 'http://b.test/').toString('latin1');
    return Buffer.from(pdf.replace('/Subtype /Type1 /BaseFont /Helvetica', font), 'latin1');
  };

  it('PDF: unmapped glyphs are not control characters, which would make it binary', async () => {
    const document = await documentFrom(pdfOfShapes(...Array.from({ length: 800 }, (_, i) => 1 + (i % 4))), 'a.pdf');
    expect(document).toMatchObject({ title: 'My study', text: '', links: { size: 1 } });
  });

  it("PDF: ligatures of TeX's fonts, by their position in the font", async () => {
    const [e, c, y] = [0x65, 0x63, 0x79];
    const words = [e, 0x1e, c, 32, e, 0x0e, c, 32, 0x1d, y, 32, e, 0x1b, 32, 0x1c, e, 32, 0x1f, y];
    expect((await documentFrom(pdfOfShapes(...words), 'a.pdf')).text).toBe('effic effic fly eff fie ffly');
  });

  it('doc: text, with its first line as title', async () => {
    const document = await documentFrom(docOf('Hubs and authorities\rGröße und Maß\r'), 'report.doc');
    expect(document).toMatchObject({ title: 'Hubs and authorities', text: 'Hubs and authorities\nGröße und Maß' });
  });

  it('doc: soft and hard hyphens, table cells, and the displayed part of fields', async () => {
    const field = 'see \x13 PAGEREF \x13 SEQ \x14 9 \x15 \x14page 7\x15 and \x13 TOC \x15more';
    const text = `Fahr\x1frad\x1ever\x1fkehr\r${field}\rone\x07two\x07\rcut \x13 HYPERLINK`;
    expect((await documentFrom(docOf(text), 'report.doc')).text).toBe(
      'Fahrrad-verkehr\nsee page 7 and more\none two\ncut HYPERLINK',
    );
  });

  it('doc: links, also relative ones, without bookmarks in the document', async () => {
    const targets = ['"http://b.test/x"', '"next.doc"', '\\l "here"', '"file:///x.doc"'];
    const text = targets.map((target) => `\x13 HYPERLINK ${target} \x14it\x15`).join(' ');
    expect((await documentFrom(docOf(text), 'report.doc')).links.urls).toBe(
      'http://b.test/x\nhttp://a.test/dir/next.doc',
    );
  });

  it('ppt: text of slides and their notes, without the masters, and links', async () => {
    const document = await documentFrom(pptOf('Größe\rzwei', 'narrow text', 'http://b.test/y'), 'talk.ppt');
    expect(document).toMatchObject({ title: 'Größe', text: 'Größe\nzwei\nnarrow text\nsaid' });
    expect(document.links.urls).toBe('http://b.test/y');
  });

  it('gz: its contents, like an uncompressed page', async () => {
    const html =
      '<title>Inside</title><meta name=robots content=noindex><nav>N</nav><p>Text. <a href="http://b.test/">b</a><a href=rel>c</a>';
    const document = await documentFrom(gzipSync(html), 'page.html.gz');
    expect(document).toMatchObject({ title: 'Inside', text: 'Text. b c', noindex: true });
    expect(document.links.urls).toBe('http://b.test/\nhttp://a.test/dir/rel');
    const text = await documentFrom(gzipSync('Notes\n\nSee http://b.test/'), 'notes.txt.gz');
    expect(text).toMatchObject({ title: 'Notes', links: { urls: 'http://b.test/' } });
  });

  it('zip: links each document under its title or name, with its first words', async () => {
    const archive = zipOf({
      'a.html': '<title>Page</title><p>hubs',
      'docs/b.txt': 'authorities',
      'c.docx': docxOf('Letter', 'dear', LINK),
      'd.bin': Buffer.from([0, 1, 2, 3]),
      'broken.pdf': '%PDF-1.4 nothing',
      '__MACOSX/e.txt': 'unseen',
    });
    const document = await documentFrom(archive, 'pack.zip');
    expect(document.title).toBe('pack.zip');
    expect(document.text).toBe('Page\nhubs\nauthorities\nauthorities\nLetter\ndear the link');
    const place = 'http://a.test/dir/pack.zip!/';
    expect(document.links.urls).toBe(`${place}a.html\n${place}docs/b.txt\n${place}c.docx`);
    expect(document.links.anchors).toBe('Page\nauthorities\nLetter');
  });

  it('zip: pictures, unreadable members and dot folders do not hide documents', async () => {
    const pictures = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${i}.png`, 'x']));
    const archive = zipOf({ ...pictures, 'a.txt': 'first one', 'broken.txt': 'second one', './c.txt': 'third one' });
    archive.fill(0xff, archive.indexOf('broken.txt') + 10, archive.indexOf('broken.txt') + 20);
    expect(await documentFrom(archive, 'pack.zip')).toMatchObject({
      text: 'first one\nfirst one\nthird one\nthird one',
    });
  });

  it('zip: slide shows, templates and files with macros are documents, too', async () => {
    const slides = pptOf('Of hubs', 'more', 'http://b.test/');
    const report = docxOf('A report', 'Of authorities.', LINK);
    const archive = zipOf({
      'a.pps': slides,
      'b.ppsx': pptxOf('A talk', 'Of links', LINK),
      'c.docm': report,
      'd.ott': odtOf('A form', 'x', LINK),
    });
    expect((await documentFrom(archive, 'pack.zip')).links.anchors).toBe('Of hubs\nA talk\nA report\nA form');
  });

  it('zip: everything is locked, or a part', async () => {
    const archive = zipOf({ 'a.txt': 'first one', 'b.txt': 'second one' });
    const lock = (name: string): void => {
      archive.writeUInt8(1, archive.lastIndexOf(name) - 38);
    };
    lock('a.txt');
    expect((await documentFrom(archive, 'pack.zip')).text).toBe('second one\nsecond one');
    lock('b.txt');
    expect(await converter.convert(archive, '', 'http://a.test/pack.zip')).toMatchObject({ reason: 'protected' });
  });

  it('zip-based files: an archive comment or bytes added by a server hide nothing', async () => {
    const comment = Buffer.from('Downloaded from the great archive of papers. '.repeat(5));
    for (const behind of [comment, Buffer.alloc(300)]) {
      const archive = Buffer.concat([zipOf({ 'a.txt': 'first one' }), behind]);
      expect((await documentFrom(archive, 'pack.zip')).text).toBe('first one\nfirst one');
      const letter = Buffer.concat([docxOf('Letter', 'dear', LINK), behind]);
      expect((await documentFrom(letter, 'a.docx')).title).toBe('Letter');
    }
  });

  it('zip: reads names in an old encoding, and keeps them distinct', async () => {
    const archive = zipOf({ [`${'A'.repeat(16)}.txt`]: 'one', [`${'B'.repeat(16)}.txt`]: 'two' }).toString('latin1');
    const first = Buffer.from('d6d0b9fab5c4c0facab7bacdcec4bbaf', 'hex').toString('latin1');
    const second = Buffer.from('c8d5b1beb5c4beadbcc3d3ebc9e7bbe1', 'hex').toString('latin1');
    const old = archive.replaceAll('A'.repeat(16), first).replaceAll('B'.repeat(16), second);
    const names = ['中国的历史和文化', '日本的经济与社会'].map(
      (name) => `http://a.test/dir/pack.zip!/${encodeURIComponent(name)}.txt`,
    );
    expect((await documentFrom(Buffer.from(old, 'latin1'), 'pack.zip')).links.urls).toBe(names.join('\n'));
  });

  it('zip: reads names in the code page of DOS', async () => {
    const archive = zipOf({ 'GrAABe.txt': 'one', 'plain.txt': 'two' }).toString('latin1');
    const old = Buffer.from(archive.replaceAll('GrAABe', 'Gr\x94\xe1\x94e'), 'latin1');
    expect((await documentFrom(old, 'pack.zip')).links.urls.split('\n')[0]).toBe(
      `http://a.test/dir/pack.zip!/${encodeURIComponent('Größöe')}.txt`,
    );
  });

  it('zip: made on Windows, with relative links to other members', async () => {
    const archive = zipOf({ 'docs\\a.html': '<p>a <a href="b.html">b</a>', 'docs\\b.html': '<p>bee' });
    const url = canonicalize('http://a.test/pack.zip!/docs/b.html')!;
    expect((await documentFrom(archive, 'pack.zip')).links.urls).toContain('pack.zip!/docs/a.html');
    expect(await converter.convert(archive, '', url)).toMatchObject({ html: '<p>bee' });
  });

  it('a zip without member URLs: the text and links of all members', async () => {
    const archive = zipOf({ 'a.html': '<title>Page</title><p>hubs', 'c.docx': docxOf('Letter', 'dear', LINK) });
    const document = await documentFrom(archive, 'download');
    expect(document.text).toBe('Page\nhubs\nLetter\ndear\nthe link');
    expect(document.links.urls).toBe(LINKED);
  });

  it('members of a zip: one page each, with relative links to other members', async () => {
    const inner = zipOf({ 'x y.txt': 'one deep', 'again.zip': zipOf({ 'b.txt': 'two deep' }) });
    const archive = zipOf({
      'docs/a.html': '<title>A</title><p>a <a href="../b.txt">b</a>',
      'b.txt': 'plain b',
      'in.zip': inner,
    });
    const member = async (name: string): Promise<AnalyzedDocument | string> => {
      const url = canonicalize(`http://a.test/dir/pack.zip!/${name}`)!;
      const converted = await converter.convert(archive, '', url);
      return isUnusable(converted)
        ? converted.detail
        : documentOf(converted.html, { url, headers: { charset: 'utf-8' } });
    };
    expect(await member('docs/a.html')).toMatchObject({
      title: 'A',
      links: { urls: 'http://a.test/dir/pack.zip!/b.txt' },
    });
    expect(await member('b.txt')).toMatchObject({ text: 'plain b' });
    expect(await member('in.zip')).toMatchObject({
      text: 'one deep\none deep',
      links: { urls: 'http://a.test/dir/pack.zip!/in.zip!/x%20y.txt' },
    });
    expect(await member('in.zip!/x%20y.txt')).toMatchObject({ text: 'one deep' });
    expect(await member('in.zip!/again.zip!/b.txt')).toBe('archives nested too deeply');
    const many = zipOf(Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`${i}.txt`, `number ${i}`])));
    expect(await converter.convert(many, '', 'http://a.test/m.zip!/2999.txt')).toMatchObject({
      html: expect.stringContaining('number 2999'),
    });
    expect(await member('missing.txt')).toBe('the archive has no such member');
  });

  it.each([
    ['tar', (tar: Buffer) => tar],
    ['tar.gz', gzipSync],
    ['tgz', gzipSync],
  ])('members of a %s: named on its page, each a page of its own', async (ending, pack) => {
    const archive = pack(
      tarOf({ 'p/a.html': '<title>A</title><p>alpha', 'photo.png': '\x89PNG', 'in.zip': zipOf({ 'b.txt': 'deep' }) }),
    );
    const place = `http://a.test/dir/p.${ending}`;
    const document = await documentFrom(archive, `p.${ending}`);
    expect(document).toMatchObject({ title: `p.${ending}`, text: 'A\nalpha\nin.zip\ndeep deep' });
    expect(document.links.urls).toBe(`${place}!/p/a.html\n${place}!/in.zip`);
    const member = await converter.convert(archive, '', canonicalize(`${place}!/p/a.html`)!);
    expect(member).toMatchObject({ html: expect.stringContaining('alpha') });
    const deep = await converter.convert(archive, '', canonicalize(`${place}!/in.zip!/b.txt`)!);
    expect(deep).toMatchObject({ html: expect.stringContaining('deep') });
  });

  it('ignores bytes after a gzip file, like gzip itself, and rejects a truncated one', async () => {
    const members = Buffer.concat([gzipSync('first '), gzipSync('second')]);
    for (const rest of ['\r\n<!-- served -->', '\x1f\x8b\x00', '\0\0'])
      expect((await documentFrom(Buffer.concat([members, Buffer.from(rest, 'latin1')]), 'a.txt.gz')).text).toBe(
        'first second',
      );
    expect(await convert(Buffer.concat([members, gzipSync('third').subarray(0, -9)]), 'a.txt.gz')).toMatchObject({
      reason: 'damaged',
    });
  });

  it('rejects a packed tar that unpacks to more than the limit', async () => {
    const bomb = gzipSync(tarOf({ 'a.txt': Buffer.alloc(6_000_000) }));
    expect(await convert(bomb, 'bomb.tar.gz')).toMatchObject({ reason: 'too-large' });
  });

  it('opens archives within archives one level deep', async () => {
    const inner = zipOf({ 'a.txt': 'one deep', 'again.zip': zipOf({ 'b.txt': 'two deep' }) });
    const document = await documentFrom(zipOf({ 'inner.zip': inner }), 'outer.zip');
    expect(document.text).toContain('one deep');
    expect(document.text).not.toContain('two deep');
  });

  it('markup in a document is text, not markup', async () => {
    const document = await documentFrom(
      zipOf({ '<b>.txt': 'plain <script>x</script> & <a href="http://e.test/">y</a>' }),
      '<i>.zip',
    );
    expect(document.text).toContain('plain <script>x</script> & <a href="http://e.test/">y</a>');
    expect(document.title).toBe('<i>.zip');
  });
});

describe('returns a reason for a document that cannot be converted', () => {
  it.each([
    ['a damaged PDF', Buffer.from('%PDF-1.4\nnothing of use'), 'damaged'],
    ['a damaged archive', zipOf({ 'a.txt': 'text' }).subarray(0, 40), 'damaged'],
    ['gzip cut short', gzipSync('text '.repeat(1000)).subarray(0, 30), 'damaged'],
    ['an archive without documents', zipOf({ 'a.bin': 'x' }), 'type'],
    [
      'a compound file that is neither Word nor PowerPoint',
      Buffer.concat([docOf('x').subarray(0, 512), Buffer.alloc(512)]),
      'damaged',
    ],
    ['a Word file of today with a password', compound({ EncryptedPackage: Buffer.alloc(5000) }), 'protected'],
    ['an old Word file with a password', compound({ WordDocument: Buffer.alloc(5000, 1) }), 'protected'],
    ['a gzip bomb', gzipSync(Buffer.alloc(6_000_000)), 'too-large'],
    ['a zip bomb', zipOf({ 'a.txt': Buffer.alloc(6_000_000, 65) }), 'too-large'],
    [
      'a bomb of many members',
      zipOf(Object.fromEntries([...'abcdef'].map((n) => [`${n}.txt`, Buffer.alloc(1_000_000, 65)]))),
      'too-large',
    ],
    ['a bomb within a bomb', zipOf({ 'a.gz': gzipSync(Buffer.alloc(6_000_000)) }), 'too-large'],
    ['a book bomb', zipOf({ 'META-INF/container.xml': Buffer.alloc(6_000_000, 32) }), 'too-large'],
    ['a Word bomb', zipOf({ 'word/document.xml': Buffer.alloc(6_000_000, 32) }), 'too-large'],
  ])('%s', async (_, bytes, reason) => {
    expect(await convert(bytes)).toMatchObject({ kind: 'unusable', reason });
  });

  it('in one line, with the configured limit', async () => {
    const members = Object.fromEntries([...'abcdef'].map((n) => [`${n}.txt`, Buffer.alloc(1_000_000, 65)]));
    expect(await convert(zipOf(members))).toMatchObject({ detail: 'unfolds to more than 5000000 bytes' });
    const laughs = '<!DOCTYPE x [<!ENTITY l "ha">]><w:document xmlns:w="w"><w:body>&l;&l2;</w:body></w:document>';
    const broken = await convert(zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': laughs }));
    expect(broken).toMatchObject({ reason: 'damaged', detail: expect.not.stringMatching(/[\n\t]/) });
    const tables = `${'<w:tbl><w:tr><w:tc>'.repeat(5000)}<w:p/>${'</w:tc></w:tr></w:tbl>'.repeat(5000)}`;
    const namespace = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
    const deep = `<w:document xmlns:w="${namespace}"><w:body>${tables}</w:body></w:document>`;
    const nested = await convert(zipOf({ '[Content_Types].xml': '<Types/>', 'word/document.xml': deep }));
    expect(nested).toMatchObject({ reason: 'damaged', detail: 'nested too deeply' });
  });

  it.each([
    ['gzip', gzipSync('text '.repeat(1000)).subarray(0, 30), 'not readable gzip: unexpected end of file'],
    [
      'zip',
      zipOf({ 'a.txt': 'text' }).subarray(0, 40),
      'no directory at the end of the archive: it is cut short, or damaged',
    ],
    [
      'a file of old Word',
      Buffer.concat([docOf('x').subarray(0, 4), Buffer.alloc(1000)]),
      expect.stringMatching(/^not a readable document: /),
    ],
  ])('in words that say what was to be read: %s', async (_, bytes, detail) => {
    expect(await convert(bytes)).toMatchObject({ reason: 'damaged', detail });
  });

  it('names the unsupported compression of a zip', async () => {
    const zip = zipOf({ 'a.txt': 'text' });
    zip.writeUInt16LE(14, zip.indexOf('PK\x01\x02') + 10);
    expect(await convert(zip)).toMatchObject({ reason: 'type', detail: 'packed by LZMA, which is not read' });
  });

  it('the same converter still converts text after all of these', async () => {
    expect((await documentFrom(zipOf({ 'a.txt': 'alive' }))).text).toContain('alive');
  });
});

describe('bombs that only their library unpacks', () => {
  const fenced = new Converter({ ...DEFAULTS.analyze, timeoutMs: 2_000 }, { maxResidentBytes: 400_000_000 });
  afterAll(() => fenced.close());

  it('a PDF stream of 100 MB in 200 kB ends at most its child, not the next document', async () => {
    const stream = deflateSync(Buffer.alloc(100_000_000, 'BT (bomb) Tj ET '));
    const [before, after] = pdfOf('bomb', ['PLACE'], 'http://b.test/')
      .toString('latin1')
      .split(/<< \/Length \d+ >>\nstream[\s\S]*?endstream/);
    const head = `<< /Filter /FlateDecode /Length ${stream.length} >>\nstream\n`;
    const bomb = Buffer.concat([
      Buffer.from(before! + head, 'latin1'),
      stream,
      Buffer.from(`\nendstream${after}`, 'latin1'),
    ]);
    const started = performance.now();
    await fenced.convert(bomb, '', 'http://a.test/bomb.pdf');
    // On a busy machine, the elapsed time is up to ten times the limit.
    expect(performance.now() - started).toBeLessThan(25_000);
    expect(await fenced.convert(zipOf({ 'a.txt': 'alive' }), '', 'http://a.test/a.zip')).toMatchObject({
      kind: 'converted',
    });
  });

  it.each(['word/document.xml', 'content.xml'])('does not expand growing entities in %s', async (name) => {
    const entities = Array.from({ length: 20 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    const laughs = `<!DOCTYPE x [<!ENTITY l0 "ha">${entities}]><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><body><p><w:p><w:r><w:t>&l20;</w:t></w:r></w:p></p></body></w:body></w:document>`;
    const result = await fenced.convert(zipOf({ mimetype: 'x', [name]: laughs }), '', 'http://a.test/laughs');
    expect(isUnusable(result) || result.html.length < 2_000).toBe(true);
  });
});

describe('the child process', () => {
  beforeAll(() => {
    for (const pid of children()) shared.add(pid);
  });

  it('returns a reason if it runs out of memory, and a new one converts the next document', async () => {
    // It must run out of memory, not out of time, however busy the machine is.
    const small = new Converter({ ...DEFAULTS.analyze, timeoutMs: 60_000 }, { heapMib: 48 });
    const paragraphs = '</w:t></w:r></w:p><w:p><w:r><w:t>'.repeat(400_000);
    const bomb = docxOf('bomb', paragraphs, LINK);
    const [first, second] = await Promise.all([
      small.convert(bomb, '', 'http://a.test/bomb.docx'),
      small.convert(zipOf({ 'a.txt': 'alive' }), '', 'http://a.test/a.zip'),
    ]);
    expect(first).toMatchObject({ kind: 'unusable', reason: 'too-large', detail: 'took more than 48 MiB of memory' });
    expect(second).toMatchObject({ kind: 'converted' });
    await small.close();
  });

  it('is ended if it uses too much processor time', async () => {
    const hasty = new Converter({ ...DEFAULTS.analyze, timeoutMs: 500 });
    const result = await hasty.convert(endlessDoc(), '', 'http://a.test/x.doc');
    expect(result).toMatchObject({ reason: 'timeout', detail: 'took more than 500 ms of processor time' });
    await hasty.close();
  });

  it('uses no processor time while it is suspended', async () => {
    const hasty = new Converter({ ...DEFAULTS.analyze, timeoutMs: 500 });
    await hasty.convert(zipOf({ 'a.txt': 'warm' }), '', 'http://a.test/a.zip');
    const [pid] = children();
    const late = hasty.convert(zipOf({ 'a.txt': 'late' }), '', 'http://a.test/a.zip');
    process.kill(pid!, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    process.kill(pid!, 'SIGCONT');
    expect(await late).toMatchObject({ kind: 'converted' });
    await hasty.close();
  });

  it('is replaced for the current document if it dies, and its end is reported', async () => {
    const mortal = new Converter({ ...DEFAULTS.analyze, timeoutMs: 60_000 });
    await mortal.convert(zipOf({ 'a.txt': 'warm' }), '', 'http://a.test/a.zip');
    const [first] = children();
    const current = mortal.convert(endlessDoc(), '', 'http://a.test/x.doc');
    const behind = mortal.convert(zipOf({ 'a.txt': 'alive' }), '', 'http://a.test/a.zip');
    process.kill(first!, 'SIGABRT');
    await expect.poll(() => children().filter((pid) => pid !== first), { timeout: 10_000 }).toHaveLength(1);
    process.kill(children()[0]!, 'SIGABRT');
    expect(await current).toMatchObject({ reason: 'crashed', detail: 'the converter ended with SIGABRT' });
    expect(await behind).toMatchObject({ kind: 'converted' });
    await mortal.close();
  });

  it('is ended with all waiting documents if the converter is closed', async () => {
    const closing = new Converter(DEFAULTS.analyze);
    const waiting = [1, 2, 3].map((n) => closing.convert(zipOf({ 'a.txt': `${n}` }), '', 'http://a.test/'));
    await closing.close();
    for (const result of await Promise.all(waiting))
      expect(result).toMatchObject({ kind: 'unusable', reason: 'crashed' });
    expect(await closing.convert(zipOf({}), '', 'http://a.test/')).toMatchObject({ reason: 'crashed' });
  });
});
