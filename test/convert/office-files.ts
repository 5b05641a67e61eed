import { crc32, deflateRawSync } from 'node:zlib';
import CFB from 'cfb';

/** Builds a zip archive of the given members, deflated. */
export function zipOf(members: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(members)) {
    const raw = Buffer.from(content);
    const packed = deflateRawSync(raw);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(raw), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(raw.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}

/** Builds a tar archive of the given members; `type` is the type of all its entries. */
export function tarOf(members: Readonly<Record<string, string | Uint8Array>>, type = '0'): Buffer {
  const blocks = Object.entries(members).flatMap(([name, content]) => {
    const data = Buffer.from(content);
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(data.length.toString(8).padStart(11, '0'), 124);
    header.write(`        ${type}`, 148);
    header.write('ustar\x0000', 257, 'latin1');
    header.write(
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0`,
      148,
    );
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const CORE = (title: string): string =>
  `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${title}</dc:title></cp:coreProperties>`;

/** Builds a Word document with a paragraph and a link; `part` is the name of its main part. */
export function docxOf(
  title: string,
  paragraph: string,
  link: { readonly url: string; readonly text: string },
  part = 'document',
): Buffer {
  const body = `<w:p><w:r><w:t>${paragraph}</w:t></w:r></w:p><w:p><w:hyperlink r:id="x"><w:r><w:t>${link.text}</w:t></w:r></w:hyperlink></w:p>`;
  return wordOf(title, body, link.url, part);
}

/** Builds a Word document with this body, in which the relation `x` leads to `url`, and `more` files. */
export function wordOf(
  title: string,
  body: string,
  url: string,
  part = 'document',
  more: Readonly<Record<string, string>> = {},
): Buffer {
  const ooxml = 'http://schemas.openxmlformats.org';
  const r = `${ooxml}/officeDocument/2006/relationships`;
  const relations = `${ooxml}/package/2006/relationships`;
  const prefixes = {
    ...{ w: `${ooxml}/wordprocessingml/2006/main`, r, m: `${ooxml}/officeDocument/2006/math` },
    ...{ mc: `${ooxml}/markup-compatibility/2006`, v: 'urn:schemas-microsoft-com:vml', wps: 'word/2010/shape' },
  };
  const names = Object.entries(prefixes).map(([prefix, name]) => ` xmlns:${prefix}="${name}"`);
  return zipOf({
    '[Content_Types].xml': `<Types xmlns="${ooxml}/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${relations}"><Relationship Id="a" Type="${r}/officeDocument" Target="word/${part}.xml"/></Relationships>`,
    [`word/_rels/${part}.xml.rels`]: `<Relationships xmlns="${relations}"><Relationship Id="x" Type="${r}/hyperlink" Target="${url}" TargetMode="External"/></Relationships>`,
    [`word/${part}.xml`]: `<w:document${names.join('')}><w:body>${body}</w:body></w:document>`,
    'docProps/core.xml': CORE(title),
    ...more,
  });
}

/** Builds two slides, the second with a link; the first is stored last. */
export function pptxOf(title: string, first: string, second: { readonly url: string; readonly text: string }): Buffer {
  const slide = (inner: string): string =>
    `<p:sld xmlns:p="p" xmlns:a="a" xmlns:r="r"><p:txBody>${inner}</p:txBody></p:sld>`;
  return zipOf({
    'ppt/presentation.xml': '<p:presentation xmlns:p="p"/>',
    'ppt/slides/slide10.xml': slide(
      `<a:p><a:r><a:rPr><a:hlinkClick r:id="l"/></a:rPr><a:t>${second.text}</a:t></a:r><a:r><a:t> tail</a:t></a:r></a:p>`,
    ),
    'ppt/slides/_rels/slide10.xml.rels': `<Relationships><Relationship Id="l" Target="${second.url}" TargetMode="External"/></Relationships>`,
    'ppt/slides/slide2.xml': slide(`<a:p><a:r><a:t>${first}</a:t></a:r></a:p>`),
    'docProps/core.xml': CORE(title),
  });
}

export function odtOf(title: string, paragraph: string, link: { readonly url: string; readonly text: string }): Buffer {
  return zipOf({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'content.xml': `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:xlink="x"><office:styles>unseen</office:styles><office:body><office:text><text:h>Heading</text:h><text:p>${paragraph}<text:s/><text:a xlink:href="${link.url}">${link.text}</text:a></text:p></office:text></office:body></office:document-content>`,
    'meta.xml': `<office:document-meta xmlns:office="o" xmlns:dc="d"><dc:title>${title}</dc:title></office:document-meta>`,
  });
}

/** Builds a PDF of one page: lines of text, a title, and a link over the last line. */
export function pdfOf(title: string, lines: readonly string[], url: string): Buffer {
  return linkedPdfOf(title, lines, [[lines.length - 1, url]]);
}

/** Builds a PDF with links over lines, which are numbered from 0, and several equal pages. */
export function linkedPdfOf(
  title: string,
  lines: readonly string[],
  links: readonly (readonly [line: number, url: string])[],
  pages = 1,
): Buffer {
  const height = (line: number): number => 700 - 20 * line;
  const content = lines.map((line, i) => `BT /F1 12 Tf 72 ${height(i)} Td (${line}) Tj ET`).join('\n');
  const annotations = links.map(
    ([line, url]) =>
      `<< /Type /Annot /Subtype /Link /Rect [70 ${height(line) - 4} 400 ${height(line) + 14}] /Border [0 0 0] /A << /S /URI /URI (${url}) >> >>`,
  );
  const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> /Annots [${annotations.map((_, i) => `${7 + i} 0 R`).join(' ')}] >>`;
  const more = Array.from({ length: pages - 1 }, (_, i) => 7 + annotations.length + i);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${[3, ...more].map((at) => `${at} 0 R`).join(' ')}] /Count ${pages} >>`,
    page,
    streamOf(content),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Title (${title}) >>`,
    ...annotations,
    ...more.map(() => page),
  ];
  return pdfFile(objects, '/Info 6 0 R');
}

/** Builds an XFA form: a heading, a text with a link, a filled-in field. Readers without XFA see `page`. */
export function formPdfOf(
  heading: string,
  link: { url: string; text: string },
  field: string,
  filled: string,
  page: string,
): Buffer {
  const template = `<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form" layout="tb" locale="en_US">
<pageSet><pageArea name="sheet"><contentArea x="9mm" y="9mm" w="190mm" h="270mm"/><medium stock="a4" short="210mm" long="297mm"/></pageArea></pageSet>
<subform name="body" layout="tb" w="190mm">
<draw w="180mm" h="12mm"><value><text>${heading}</text></value></draw>
<draw w="180mm" h="12mm"><value><exData contentType="text/html"><body xmlns="http://www.w3.org/1999/xhtml"><p>See <a href="${link.url}">${link.text}</a> first.</p></body></exData></value></draw>
<field name="one" w="90mm" h="9mm"><caption reserve="40mm"><value><text>${field}</text></value></caption><ui><textEdit/></ui><value><text>${filled}</text></value></field>
<field name="two" w="90mm" h="9mm"><ui><choiceList/></ui><items><text>Apiary</text><text>Orchard</text></items></field>
</subform></subform></template>`;
  const xdp = `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">${template}</xdp:xdp>`;
  return pdfFile([
    '<< /Type /Catalog /Pages 2 0 R /NeedsRendering true /AcroForm << /Fields [] /XFA 6 0 R >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    streamOf(`BT /F1 12 Tf 72 700 Td (${page}) Tj ET`),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    streamOf(xdp),
  ]);
}

function streamOf(content: string): string {
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/** Builds a PDF file of these objects, numbered from 1, the catalogue first. */
function pdfFile(objects: readonly string[], trailer = ''): Buffer {
  let pdf = '%PDF-1.7\n';
  const offsets = objects.map((object, i) => {
    const at = pdf.length;
    pdf += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const xref = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  pdf += `xref\n0 ${count}\n0000000000 65535 f \n${xref}trailer\n<< /Size ${count} /Root 1 0 R ${trailer} >>\nstartxref\n${pdf.length}\n%%EOF`;
  return Buffer.from(pdf, 'latin1');
}

/** A record of the PowerPoint binary format. */
function record(type: number, content: Buffer, isContainer = false): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16LE(isContainer ? 0xf : 0, 0);
  header.writeUInt16LE(type, 2);
  header.writeUInt32LE(content.length, 4);
  return Buffer.concat([header, content]);
}

/** Builds the container of Word and PowerPoint files until 2003, and of encrypted files. */
export function compound(streams: Readonly<Record<string, Buffer>>): Buffer {
  const file = CFB.utils.cfb_new();
  for (const [name, content] of Object.entries(streams)) CFB.utils.cfb_add(file, `/${name}`, content);
  return Buffer.from(CFB.write(file, { type: 'buffer' }) as Uint8Array);
}

/**
 * Builds a presentation from before 2007: masters of slides and notes (not to be read), a slide with text in both
 * encodings and notes, a link.
 */
export function pptOf(wide: string, narrow: string, url: string): Buffer {
  const master = record(0x03f8, record(0x0fa8, Buffer.from('Click to edit')), true);
  const notes = [0, 0x80000001, 256].map((slideNumber) => {
    const of = Buffer.alloc(8);
    of.writeUInt32LE(slideNumber);
    const text = slideNumber === 256 ? 'said' : 'Click to edit notes';
    return record(0x03f0, Buffer.concat([record(0x03f1, of), record(0x0fa8, Buffer.from(text))]), true);
  });
  const slide = record(
    0x03ee,
    Buffer.concat([record(0x0fa0, Buffer.from(wide, 'utf16le')), record(0x0fa8, Buffer.from(narrow, 'latin1'))]),
    true,
  );
  const link = record(
    0x0fd7,
    Buffer.concat([record(0x0fba, Buffer.from('name', 'utf16le')), record(0x0fba, Buffer.from(url, 'utf16le'))]),
    true,
  );
  return compound({ 'PowerPoint Document': Buffer.concat([record(0x03e8, link, true), master, slide, ...notes]) });
}

/**
 * Builds a presentation with a fast save: the slide with `old` was changed to `text`, the slide with `gone` was
 * deleted.
 * @param between - bytes that belong to no record, before the second save
 */
export function editedPptOf(old: string, gone: string, text: string, between: Buffer = Buffer.alloc(0)): Buffer {
  const numbers = (...values: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, 4 * i);
    return bytes;
  };
  const slide = (words: string): Buffer => record(0x03ee, record(0x0fa8, Buffer.from(words)), true);
  const document = (...slides: readonly number[]): Buffer =>
    record(
      0x03e8,
      record(0x0ff0, Buffer.concat(slides.map((id) => record(0x03f3, numbers(id, 0, 0, 0, 0)))), true),
      true,
    );
  let stream = Buffer.alloc(0);
  let edit = 0;
  const add = (bytes: Buffer): number => {
    const at = stream.length;
    stream = Buffer.concat([stream, bytes]);
    return at;
  };
  // Part 1 is the document; parts 2 and 3 are its slides.
  const save = (parts: readonly number[]): void => {
    const directory = add(record(0x1772, numbers(1 + 0x100000 * parts.length, ...parts)));
    edit = add(record(0x0ff5, numbers(0, 0, edit, directory, 1, 3, 0)));
  };
  save([add(document(2, 3)), add(slide(old)), add(slide(gone))]);
  stream = Buffer.concat([stream, between]);
  save([add(document(2)), add(slide(text))]);
  const user = record(0x0ff6, numbers(20, 0xe391c05f, edit, 0));
  return compound({ 'PowerPoint Document': stream, 'Current User': user });
}

/** A text run of a Word document with a property: its number, and its value in bytes. */
interface DocRun {
  readonly text: string;
  readonly property?: number;
  readonly value?: readonly number[];
}

/** Builds a Word document from before 2007: one piece of text in UTF-16, or 8-bit text if given in runs. */
export function docOf(said: string | readonly DocRun[], more: Readonly<Record<string, Buffer>> = {}): Buffer {
  return compound({ ...docStreams(said), ...more });
}

/** Builds a paragraph style that hides text, number 1, after one that does not ([MS-DOC] §2.9.271, §2.9.260). */
function hidingStyleSheet(): Buffer {
  const style = (name: string, characters: readonly number[]): Buffer => {
    const head = Buffer.alloc(10);
    head.writeUInt16LE(0xfff1, 2);
    head.writeUInt16LE(2, 4);
    const named = Buffer.concat([Buffer.from([name.length, 0]), Buffer.from(`${name}\0`, 'utf16le')]);
    const all = Buffer.concat([
      head,
      named,
      Buffer.from([2, 0, 0, 0]),
      Buffer.from([characters.length, 0, ...characters]),
    ]);
    const bytes = Buffer.alloc(2 + all.length + (all.length % 2));
    bytes.writeUInt16LE(all.length, 0);
    all.copy(bytes, 2);
    return bytes;
  };
  const head = Buffer.from([4, 0, 2, 0, 10, 0]);
  return Buffer.concat([head, style('Normal', []), style('Aside', [0x3c, 0x08, 1])]);
}

/**
 * Builds the streams of a Word document from before 2007. @param hidingStyle - all its paragraphs have a style that
 * hides text
 */
export function docStreams(said: string | readonly DocRun[], hidingStyle = false): Readonly<Record<string, Buffer>> {
  const runs = typeof said === 'string' ? [] : said;
  const text = typeof said === 'string' ? said : said.map((run) => run.text).join('');
  const words = Buffer.from(text, 'utf16le');
  const at = 0x600;
  const main = Buffer.alloc(Math.max(0x2000, at + words.length));
  main.writeUInt16LE(0xa5ec, 0);
  main.writeUInt16LE(0x0200, 0x0a);
  main.writeUInt32LE(at, 0x18);
  main.writeUInt32LE(text.length, 0x4c);
  const pieces = Buffer.alloc(5 + 16);
  pieces.writeUInt8(2, 0);
  pieces.writeUInt32LE(16, 1);
  pieces.writeUInt32LE(text.length, 9);
  pieces.writeUInt32LE(at, 15);
  main.writeUInt32LE(0, 0x1a2);
  main.writeUInt32LE(pieces.length, 0x1a6);
  words.copy(main, at);
  const page = 15;
  main.writeUInt32LE(pieces.length, 0xfa);
  main.writeUInt32LE(12, 0xfe);
  const table = Buffer.alloc(12);
  table.writeUInt32LE(at, 0);
  table.writeUInt32LE(at + words.length, 4);
  table.writeUInt32LE(page, 8);
  propertiesPage(runs, at).copy(main, 512 * page);
  if (!hidingStyle) return { WordDocument: main, '1Table': Buffer.concat([pieces, table, Buffer.alloc(4096)]) };
  const sheet = hidingStyleSheet();
  const paragraphs = Buffer.from(table);
  paragraphs.writeUInt32LE(page - 1, 8);
  main.writeUInt32LE(pieces.length + 12, 0x102);
  main.writeUInt32LE(12, 0x106);
  main.writeUInt32LE(pieces.length + 24, 0xa2);
  main.writeUInt32LE(sheet.length, 0xa6);
  const styled = Buffer.alloc(512);
  styled.writeUInt8(1, 511);
  styled.writeUInt32LE(at, 0);
  styled.writeUInt32LE(at + words.length, 4);
  styled.writeUInt8(100, 8);
  styled.set([2, 1, 0, 0], 200);
  styled.copy(main, 512 * (page - 1));
  return { WordDocument: main, '1Table': Buffer.concat([pieces, table, paragraphs, sheet, Buffer.alloc(4096)]) };
}

/**
 * Builds a property page: the bounds of the runs, the offsets of their properties, and the properties ([MS-DOC]
 * §2.9.33).
 */
function propertiesPage(runs: readonly DocRun[], from: number): Buffer {
  const page = Buffer.alloc(512);
  page.writeUInt8(runs.length, 511);
  let at = from;
  let free = 256;
  page.writeUInt32LE(at, 0);
  for (const [i, { text, property, value = [] }] of runs.entries()) {
    at += 2 * text.length;
    page.writeUInt32LE(at, 4 * (i + 1));
    if (property === undefined) continue;
    page.writeUInt8(free / 2, 4 * (runs.length + 1) + i);
    page.writeUInt8(2 + value.length, free);
    page.writeUInt16LE(property, free + 1);
    page.set(value, free + 3);
    free += 16;
  }
  return page;
}
