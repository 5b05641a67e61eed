import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isUnusable } from '../../src/analyze/index.ts';
import { Converter } from '../../src/convert/index.ts';
import { type AnalyzedDocument, DEFAULTS } from '../../src/core/index.ts';
import { documentOf } from '../analyze/pages.ts';
import { compound, docOf, docStreams, docxOf, editedPptOf, odtOf, pptxOf, wordOf, zipOf } from './office-files.ts';

/** Made by LibreOffice; `node scripts/make-office-fixtures.ts` regenerates them. */
const FIXTURES = join(import.meta.dirname, 'office');
const LINK = { url: 'http://b.test/', text: 'the link' };
const hasOffice = spawnSync('soffice', ['--version']).status === 0;

const converter = new Converter({ ...DEFAULTS.analyze, timeoutMs: 20_000 });
afterAll(() => converter.close());

async function convert(bytes: Uint8Array, name = 'file'): Promise<AnalyzedDocument> {
  const converted = await converter.convert(bytes, '', `http://a.test/${name}`);
  if (isUnusable(converted)) throw new Error(`Expected a document, got ${converted.reason}: ${converted.detail}`);
  return documentOf(converted.html, { headers: { charset: 'utf-8' } });
}

const LETTERS = ['odt', 'rtf', 'doc', 'docx', 'epub', 'pdf'];
const PAPER = 'http://linked.example/paper?a=1&b=2\nhttps://linked.example/more';

/** Letters in the fonts of any machine: office software omits a letter from a PDF if no font has it. */
const WIDESPREAD = 'größer, łódź, Ελλάδα, Москва';

/** Expects the contents of a letter from the office software, whatever its format. */
async function expectLetter(folder: string, ending: string, letters = `${WIDESPREAD}, 中文`): Promise<void> {
  const document = await convert(readFileSync(join(folder, `letter.${ending}`)), `letter.${ending}`);
  // Word 97 stores its title in a place that only Word reads.
  expect(document.title).toBe(ending === 'doc' ? 'Hubs and authorities' : 'On hubs and authorities');
  for (const part of ['A good hub points to many good authorities.', letters, 'left cell'])
    expect(document.text.replaceAll('\n', ' ')).toContain(part);
  expect(document.links).toMatchObject({ urls: PAPER, anchors: 'the paper\nmore of it' });
}

async function expectSlides(folder: string, ending: string): Promise<void> {
  const document = await convert(readFileSync(join(folder, `slides.${ending}`)), `slides.${ending}`);
  expect(document.text.replaceAll('\n', ' ')).toMatch(/^First slide about hubs Second slide, größer, with a link/);
  expect(document.links.urls).toBe('http://linked.example/slides');
}

describe('documents of real office software', () => {
  it.each(LETTERS)('%s: title, text in many scripts, links', (ending) => expectLetter(FIXTURES, ending));
  it.each(['odp', 'pptx'])('%s: slides in order, links', (ending) => expectSlides(FIXTURES, ending));
});

describe.skipIf(!hasOffice)('documents of the office software that is installed here', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'bingo-office-made-'));
    const script = join(import.meta.dirname, '../../scripts/make-office-fixtures.ts');
    const made = spawnSync(process.execPath, [script, folder]);
    expect(made.status, String(made.stderr)).toBe(0);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(LETTERS)('%s', (ending) => expectLetter(folder, ending, ending === 'pdf' ? WIDESPREAD : undefined));
  it.for(['odp', 'ppt', 'pptx'])('%s', (ending, { skip }) => {
    if (!existsSync(join(folder, `slides.${ending}`))) skip('only its word processor is installed');
    return expectSlides(folder, ending);
  });
});

describe('an old Word document', () => {
  const HIDE = 0x083c;
  const runs = (value: number): Parameters<typeof docStreams>[0] => [
    { text: 'one ' },
    { text: 'two ', property: HIDE, value: [value] },
    { text: 'three\r' },
  ];

  it.each([
    ['as the style has it', 0x80, ''],
    ['unlike the style', 0x81, 'two'],
    ['shown', 0, 'two'],
    ['hidden', 1, ''],
  ])('whose style hides text shows none of it but what is switched on again: %s', async (_, value, text) => {
    expect((await convert(compound(docStreams(runs(value), true)), 'x.doc')).text).toBe(text);
  });

  it.each([
    ['as the style has it', 0x80, 'one two three'],
    ['unlike the style', 0x81, 'one three'],
  ])('whose style shows text: %s', async (_, value, text) => {
    expect((await convert(docOf(runs(value)), 'x.doc')).text).toBe(text);
  });

  it('shows the base letters below their readings', async () => {
    const ruby = '\x13 EQ \\* jc2 \\* "Font:MS Mincho" \\* hps10 \\o\\ad(\\s\\up 9(えき),駅)\x15';
    expect((await convert(docOf(`${ruby}は東京に\r`), 'x.doc')).text).toBe('駅は東京に');
  });

  it('has its links in place, also those of nested fields', async () => {
    const field = (address: string, text: string): string => `\x13 HYPERLINK "${address}" \x14${text}\x15`;
    const text = `see ${field('http://b.test/', 'the \x13 SEQ \x14first\x15 link')} and\r${field('http://c.test/?a', 'more')}\r`;
    const { links, ...document } = await convert(docOf(text), 'x.doc');
    expect(document.text).toBe('see the first link and\nmore');
    expect(links).toMatchObject({ urls: 'http://b.test/\nhttp://c.test/?a', anchors: 'the first link\nmore' });
  });

  it.each([
    ['a presentation', { 'ObjectPool/_1/PowerPoint Document': Buffer.alloc(600) }],
    ['a locked document', { 'ObjectPool/_1/EncryptedPackage': Buffer.alloc(600) }],
    ['another document', { 'ObjectPool/_1/WordDocument': Buffer.alloc(600), 'ObjectPool/_1/1Table': Buffer.alloc(99) }],
  ])('is read whole with %s embedded in it', async (_, embedded) => {
    expect((await convert(docOf('gears of the mill\r', embedded), 'x.doc')).text).toBe('gears of the mill');
  });

  it.each([(name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()])(
    'has streams whose names know no case',
    async (spelling) => {
      const streams = Object.entries(docStreams('gears of the mill\r'));
      const bytes = compound(Object.fromEntries(streams.map(([name, content]) => [spelling(name), content])));
      expect((await convert(bytes, 'x.doc')).text).toBe('gears of the mill');
    },
  );

  it('is read if its text breaks off within a character', async () => {
    const { WordDocument: words = Buffer.alloc(0), ...tables } = docStreams('gears of the mill\r');
    const cut = Buffer.from(words.subarray(0, 0x600 + 13));
    // The property pages are cut off as well.
    expect(
      (await convert(compound({ WordDocument: Buffer.concat([cut, Buffer.alloc(0)]), ...tables }), 'x.doc')).text,
    ).toBe('gears');
  });

  it('embedded in another file does not count as that file', async () => {
    const streams = Object.entries(docStreams('gears of the mill\r'));
    const within = compound(Object.fromEntries(streams.map(([name, content]) => [`Box/${name}`, content])));
    expect(await converter.convert(within, '', 'http://a.test/x.doc')).toMatchObject({ reason: 'type' });
  });
});

describe('RTF', () => {
  const read = async (rtf: string): Promise<string> => (await convert(Buffer.from(rtf, 'latin1'), 'x.rtf')).text;

  it.each([
    ['a star within a group marks nothing', '{\\rtf1 One. \\*\\unknown Two.\\par Three.}', 'One. Two.\nThree.'],
    [
      'a star at the beginning of a group does',
      '{\\rtf1 One.{\\*\\unknown Two.}{\n\\*\\other Two.} Three.}',
      'One. Three.',
    ],
    ['zeros behind the last brace are not of it', `{\\rtf1 One.}${'\0'.repeat(2000)}`, 'One.'],
    ['words behind the last brace are not of it', '{\\rtf1 One {two}.} {\\rtf1 Three.} \xff\xfe', 'One two.'],
    ['a formula has its words', '{\\rtf1 x {\\field{\\*\\fldinst { EQ \\\\f(1,2)}}{\\fldrslt {}}} y}', 'x 1 2 y'],
    [
      'a field with a result has that',
      '{\\rtf1 x {\\field{\\*\\fldinst { EQ \\\\f(1,2)}}{\\fldrslt half}} y}',
      'x half y',
    ],
  ])('%s', async (_, rtf, text) => {
    expect(await read(rtf)).toBe(text);
  });
});

describe('a .docx', () => {
  const chunk = (target: string): Readonly<Record<string, string>> => ({
    'word/_rels/document.xml.rels': `<Relationships><Relationship Id="c" Type="aFChunk" Target="${target}"/></Relationships>`,
  });
  const BODY = '<w:p><w:r><w:t>Before.</w:t></w:r></w:p><w:altChunk r:id="c"/><w:p><w:r><w:t>Behind.</w:t></w:r></w:p>';

  it.each([
    ['chunk.htm', '<html><body><p>In a chunk.</p></body></html>'],
    ['/word/chunk.rtf', '{\\rtf1 In a chunk.}'],
    ['chunk.txt', 'In a chunk.'],
    [
      'chunk.mht',
      'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>In a chunk.</p>\r\n--b--',
    ],
  ])('has the text of the part %s in its place', async (target, content) => {
    const name = `word/${target.split('/').at(-1)}`;
    const bytes = wordOf('', BODY, 'http://b.test/', 'document', { ...chunk(target), [name]: content });
    expect((await convert(bytes, 'x.docx')).text).toBe('Before.\nIn a chunk.\nBehind.');
  });

  it('keeps the rest if a chunk or a picture is missing', async () => {
    const bytes = wordOf('', BODY, 'http://b.test/', 'document', {
      ...chunk('x.png'),
      'word/x.png': '\x89PNG\0\0\0\0\0',
    });
    expect((await convert(bytes, 'x.docx')).text).toBe('Before.\nBehind.');
    expect((await convert(wordOf('', BODY, 'http://b.test/'), 'x.docx')).text).toBe('Before.\nBehind.');
  });
});

describe('an old presentation', () => {
  it('is read in the newer of two versions that it contains', async () => {
    const slide = (text: string): Buffer => {
      const words = Buffer.from(text);
      const head = Buffer.from([0, 0, 0xa8, 0x0f, words.length, 0, 0, 0]);
      return Buffer.concat([head, words, Buffer.alloc(4096)]);
    };
    const bytes = compound({
      'PowerPoint Document': slide('old'),
      'PP97_DUALSTORAGE/PowerPoint Document': slide('new one'),
    });
    expect((await convert(bytes, 'x.ppt')).text).toBe('new one');
  });

  it('reports that it needs a password if it is encrypted', async () => {
    const user = Buffer.alloc(40);
    user.writeUInt32LE(0xf3d1c4df, 12);
    const bytes = compound({ 'PowerPoint Document': Buffer.alloc(600), 'Current User': user });
    expect(await converter.convert(bytes, '', 'http://a.test/x.ppt')).toMatchObject({ reason: 'protected' });
  });
});

describe('a document without a stated title', () => {
  it.each([
    ['odt', odtOf('', 'More.', LINK), 'Heading'],
    ['docx', docxOf('', 'Of hubs &amp; authorities.', LINK), 'Of hubs & authorities.'],
    ['pptx', pptxOf('', 'Of hubs', LINK), 'Of hubs'],
    ['pptx', pptxOf('PowerPoint-Präsentation', 'Of hubs', LINK), 'Of hubs'],
    ['rtf', Buffer.from('{\\rtf1\\ansi Of hubs & authorities.\\par More.}'), 'Of hubs & authorities.'],
  ])('%s: is called by its first line', async (ending, bytes, title) => {
    expect((await convert(bytes, `x.${ending}`)).title).toBe(title);
  });

  it('odt: is read without its file of the media type', async () => {
    const content = '<body><p>Of hubs.</p></body>';
    const bytes = zipOf({ 'content.xml': content, 'META-INF/manifest.xml': '<manifest/>' });
    expect((await convert(bytes, 'x.odt')).text).toBe('Of hubs.');
  });
});

describe('OpenDocument', () => {
  const LOCK = '<manifest><file-entry full-path="content.xml"><encryption-data/></file-entry></manifest>';

  it('excludes readings above letters from the text', async () => {
    const ruby = (base: string, above: string): string =>
      `<ruby><ruby-base>${base}</ruby-base><ruby-text>${above}</ruby-text></ruby>`;
    const content = `<body><text><p>${ruby('東', 'とう')}${ruby('京', 'きょう')}</p></text></body>`;
    expect((await convert(zipOf({ 'content.xml': content, mimetype: 'x' }), 'x.odt')).text).toBe('東京');
  });

  it('keeps picture text apart, and excludes instructions for a table of contents', async () => {
    const content = `<o><body><text><text:table-of-content><text:table-of-content-source><text:index-title-template>Contents</text:index-title-template></text:table-of-content-source>
<text:index-body><text:p>Contents</text:p></text:index-body></text:table-of-content>
<text:p>A web<draw:frame><draw:image/><svg:desc>Three hubs</svg:desc></draw:frame>of pages</text:p></text></body></o>`;
    const document = await convert(zipOf({ 'content.xml': content, mimetype: 'x' }), 'x.odt');
    expect(document.text).toBe('Contents\nA web\nThree hubs\nof pages');
  });

  it('excludes deleted words, comments and footnote marks', async () => {
    const content = `<body><text><tracked-changes><deletion><creator>Ann</creator><p>old</p></deletion></tracked-changes>
<p>New word<note><note-citation>1</note-citation><note-body><p>a note</p></note-body></note>
<annotation><creator>Ben</creator><p>comment</p></annotation></p></text></body>`;
    const document = await convert(zipOf({ 'content.xml': content, mimetype: 'x' }), 'x.odt');
    expect(document.text).toBe('New word\na note');
  });

  it('excludes text that a style or a section hides', async () => {
    const style = (family: string, name: string, display: string): string =>
      `<style:style style:family="${family}" style:name="${name}"><style:text-properties text:display="${display}"/></style:style>`;
    const styles = style('text', 'T1', 'none') + style('paragraph', 'P1', 'none') + style('text', 'P2', 'true');
    const content = `<o><automatic-styles>${styles}</automatic-styles><body><text><text:p text:style-name="P2">Shown
<text:span text:style-name="T1">secret<text:span>within</text:span></text:span><text:span text:style-name="P1">too</text:span></text:p>
<text:p text:style-name="P1">gone</text:p><text:section text:display="none"><text:p>away</text:p></text:section>
<text:p text:style-name="T1">end</text:p></text></body></o>`;
    const document = await convert(zipOf({ 'content.xml': content, mimetype: 'x' }), 'x.odt');
    expect(document.text).toBe('Shown too\nend');
  });

  it('excludes text that a document style or its base style hides', async () => {
    const style = (name: string, base: string, display?: string): string =>
      `<style:style style:family="paragraph" style:name="${name}" style:parent-style-name="${base}">${display === undefined ? '' : `<style:text-properties text:display="${display}"/>`}</style:style>`;
    const [common, own] = [style('Note', 'Round', 'none') + style('Round', 'Round'), style('P1', 'Note')];
    const paragraph = (name: string, text: string): string => `<text:p text:style-name="${name}">${text}</text:p>`;
    const shown = paragraph('P2', 'shown') + paragraph('Round', 'too');
    const content = `<o>${own}${style('P2', 'Note', 'true')}<body><text>${paragraph('P1', 'gone')}${shown}${paragraph('Note', 'gone')}</text></body></o>`;
    const members = { 'content.xml': content, 'styles.xml': `<o><styles>${common}</styles></o>`, mimetype: 'x' };
    expect((await convert(zipOf(members), 'x.odt')).text).toBe('shown\ntoo');
  });

  it('reads a formula in its place', async () => {
    const math = `<math><semantics><mrow><mi>E</mi><mo stretchy="false">&lt;</mo><msup><mi>c</mi><mn>2</mn></msup></mrow><annotation>E &lt; c^2</annotation></semantics></math>`;
    const object = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>';
    const members = {
      'content.xml': `<body><text><text:p>So ${object} holds.</text:p></text></body>`,
      'Object 1/content.xml': math,
      'Object 2/content.xml': '<office:document-content>a chart</office:document-content>',
      mimetype: 'x',
    };
    expect((await convert(zipOf(members), 'x.odt')).text).toBe('So E < c 2 holds.');
  });

  it.each([
    ['as office software has locked it for long', { 'content.xml': 'x', 'META-INF/manifest.xml': LOCK }],
    ['as it does today', { 'encrypted-package': 'x', 'META-INF/manifest.xml': LOCK, mimetype: 'x' }],
  ])('that asks for a password, %s', async (_, members) => {
    await expect(convert(zipOf(members), 'x.odt')).rejects.toThrow('protected: the document asks for a password');
  });
});

it('PowerPoint: slides have the order of the presentation, whatever their file names', async () => {
  const slide = (text: string) => `<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`;
  const relation = (id: string, target: string) => `<Relationship Id="${id}" Target="${target}"/>`;
  const bytes = zipOf({
    'ppt/presentation.xml': '<p:sldIdLst><p:sldId id="256" r:id="r7"/><p:sldId id="257" r:id="r3"/></p:sldIdLst>',
    'ppt/_rels/presentation.xml.rels': `<Relationships>${relation('r3', 'slides/slide1.xml')}${relation('r7', '/ppt/slides/slide2.xml')}</Relationships>`,
    'ppt/slides/slide1.xml': slide('the end'),
    'ppt/slides/slide2.xml': slide('the beginning'),
  });
  expect(await convert(bytes, 'x.pptx')).toMatchObject({ title: 'the beginning', text: 'the beginning\nthe end' });
});

it('MHTML: reads a saved page with its original links, also inside an archive', async () => {
  const message = [
    'From: <Saved by Blink>\nSnapshot-Content-Location: http://b.test/dir/page.html\nMIME-Version: 1.0',
    'Content-Type: multipart/related; boundary="x"\n\n--x',
    'Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n',
    '<title>Hubs</title><p>Of hubs. <a href=3D"next.html">the next</a>=\n\n--x--',
  ].join('\n');
  const document = await convert(Buffer.from(message), 'saved.mht');
  expect(document).toMatchObject({ title: 'Hubs', text: 'Of hubs. the next' });
  expect(document.links.urls).toBe('http://b.test/dir/next.html');
  expect((await convert(zipOf({ 'saved.mhtml': message }), 'file')).text).toContain('Of hubs.');
});

it('Word: finds a main part with another name', async () => {
  const bytes = docxOf('Report', 'Of hubs.', LINK, 'document2');
  expect(await convert(bytes, 'x.docx')).toMatchObject({ title: 'Report', text: 'Of hubs.\nthe link' });
});

describe('Word: visible text', () => {
  const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
  const box = (text: string): string => `<w:txbxContent><w:p>${run(text)}</w:p></w:txbxContent>`;
  const drawing = (text: string): string => `<w:drawing><wps:wsp>${box(text)}</wps:wsp></w:drawing>`;
  const oval = (text: string): string => `<w:pict><v:oval><v:textbox>${box(text)}</v:textbox></v:oval></w:pict>`;
  const reading = (base: string, above: string): string =>
    `<w:r><w:ruby><w:rt>${run(above)}</w:rt><w:rubyBase>${run(base)}</w:rubyBase></w:ruby></w:r>`;

  it.each([
    ['a simple field', `${run('Figure')}<w:fldSimple w:instr="SEQ Figure">${run(' 7')}</w:fldSimple>`, 'Figure 7'],
    ['letters with readings above them', `${reading('東', 'とう')}${reading('京', 'きょう')}${run('駅')}`, '東京駅'],
    [
      'a formula',
      `${run('So ')}<m:oMath><m:f><m:num><m:r><m:t>hits</m:t></m:r></m:num><m:den><m:r><m:t>all</m:t></m:r></m:den></m:f></m:oMath>`,
      'So hits all',
    ],
    ['a formula of its own', '<m:oMathPara><m:oMath><m:r><m:t>E=1</m:t></m:r></m:oMath></m:oMathPara>', 'E=1'],
    [
      'text that runs the other way',
      `<w:dir w:val="rtl">${run('שלום')}</w:dir><w:bdo>${run(' peace')}</w:bdo>`,
      'שלום peace',
    ],
    ['lines and tabs', '<w:r><w:t>one</w:t><w:cr/><w:t>two</w:t><w:ptab/><w:t>three</w:t></w:r>', 'one two three'],
    [
      'no hidden text',
      `${run('seen')}<w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t> too</w:t></w:r>`,
      'seen too',
    ],
    [
      'a text box in any shape, once',
      `<w:r><mc:AlternateContent><mc:Choice>${drawing('box')}</mc:Choice><mc:Fallback>${oval('box')}</mc:Fallback></mc:AlternateContent></w:r><w:r>${oval('oval')}</w:r>${run('text')}`,
      'text\nbox\noval',
    ],
    [
      'a text box that old readers have a picture of',
      `<w:r><mc:AlternateContent><mc:Choice>${drawing('box')}</mc:Choice><mc:Fallback><w:pict/></mc:Fallback></mc:AlternateContent></w:r>${run('text')}`,
      'text\nbox',
    ],
  ])('%s', async (_, paragraph, text) => {
    expect((await convert(wordOf('', `<w:p>${paragraph}</w:p>`, LINK.url), 'x.docx')).text).toBe(text);
  });

  it('excludes text that a style or its base style hides', async () => {
    const style = (id: string, inside: string): string => `<w:style w:styleId="${id}">${inside}</w:style>`;
    const vanish = (value: string): string => `<w:rPr><w:vanish w:val="${value}"/></w:rPr>`;
    const styles = [
      style('Note', vanish('true')),
      style('Draft', '<w:basedOn w:val="Note"/>'),
      style('Final', `<w:basedOn w:val="Draft"/>${vanish('0')}`),
      style('Round', '<w:basedOn w:val="Round"/>'),
    ];
    const paragraph = (id: string, ...runs: readonly string[]): string =>
      `<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr>${runs.join('')}</w:p>`;
    const styled = (id: string, text: string): string =>
      `<w:r><w:rPr><w:rStyle w:val="${id}"/></w:rPr><w:t>${text}</w:t></w:r>`;
    const shown = `<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>by itself</w:t></w:r>`;
    const body = [
      paragraph('Note', run('hidden')),
      paragraph('Draft', run('hidden'), shown, styled('Note', ' by both')),
      paragraph('Final', run('final'), styled('Draft', 'hidden')),
      paragraph('Round', run('round')),
    ];
    const bytes = wordOf('', body.join(''), LINK.url, 'document', {
      'word/styles.xml': `<w:styles xmlns:w="w">${styles.join('')}</w:styles>`,
    });
    expect((await convert(bytes, 'x.docx')).text).toBe('by itself by both\nfinal\nround');
  });

  it.each([
    ['a tip', '\\o "a tip"'],
    ['a place in the page', '\\l "there"'],
    ['a window of its own', '\\t "_blank"'],
  ])('a link that is a field with %s', async (_, option) => {
    const mark = (type: string): string => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const code = `<w:r><w:instrText> HYPERLINK "http://b.test/?a=1&amp;b=2" ${option} </w:instrText></w:r>`;
    const field = `${mark('begin')}${code}${mark('separate')}${run('here')}${mark('end')}`;
    const { links } = await convert(wordOf('', `<w:p>${field}</w:p>`, LINK.url), 'x.docx');
    expect([links.urls, links.anchors]).toEqual(['http://b.test/?a=1&b=2', 'here']);
  });

  it('a link that is a simple field', async () => {
    const field = `<w:fldSimple w:instr=' HYPERLINK "${LINK.url}" '>${run('here')}</w:fldSimple>`;
    const { links } = await convert(wordOf('', `<w:p>${run('See ')}${field}</w:p>`, LINK.url), 'x.docx');
    expect([links.urls, links.anchors]).toEqual([LINK.url, 'here']);
  });
});

describe('PowerPoint until 2003', () => {
  it('excludes changed and deleted text that is still in the file', async () => {
    expect((await convert(editedPptOf('of old', 'gone', 'of today'), 'x.ppt')).text).toBe('of today');
  });

  it('reads slides behind bytes that belong to no record', async () => {
    const between = Buffer.from([0, 0, 0, 0, 0xff, 0xff, 0, 0]);
    expect((await convert(editedPptOf('of old', 'gone', 'of today', between), 'x.ppt')).text).toBe('of today');
  });

  it('reads all text if the table of parts is damaged', async () => {
    const bytes = editedPptOf('of old', 'gone', 'of today');
    const damaged = Buffer.from(bytes.toString('latin1').replaceAll('\x72\x17', '\x73\x17'), 'latin1');
    expect((await convert(damaged, 'x.ppt')).text).toBe('of old\ngone\nof today');
  });
});

describe('Word until 2003: visible text', () => {
  it.each([
    ['letters that are spaced wider', 0x8840, [5, 0], 'one two three'],
    ['letters that are spaced closer', 0x8840, [0xff, 0xff], 'one two three'],
    ['bold letters', 0x0835, [1], 'one two three'],
    ['no deleted words', 0x0800, [1], 'one three'],
    ['no hidden words', 0x083c, [1], 'one three'],
    ['words that are not hidden', 0x083c, [0], 'one two three'],
  ])('%s', async (_, property, value, text) => {
    const runs = [{ text: 'one ' }, { text: 'two ', property, value }, { text: 'three\r' }];
    expect((await convert(docOf(runs), 'x.doc')).text).toBe(text);
  });
});

describe('diagrams and charts', () => {
  const paragraph = (words: string): string => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`;
  const diagram = `<dgm:dataModel><dgm:pt><dgm:t>${paragraph('fetch')}</dgm:t></dgm:pt><dgm:pt><dgm:t>${paragraph('classify')}</dgm:t></dgm:pt></dgm:dataModel>`;

  it('pptx: are read after their slide', async () => {
    const names = (...all: readonly string[]): string =>
      `<c:strCache><c:ptCount val="${all.length}"/>${all.map((name) => `<c:pt><c:v>${name}</c:v></c:pt>`).join('')}</c:strCache>`;
    const categories = `<c:cat>${names('first', 'second &amp; last')}</c:cat>`;
    const values = '<c:val><c:numCache><c:pt><c:v>8.2</c:v></c:pt></c:numCache></c:val>';
    const series = `<c:ser><c:tx>${names('Pages')}</c:tx>${categories}${values}</c:ser><c:ser>${categories}</c:ser>`;
    const relations =
      '<Relationship Id="a" Target="../diagrams/data4.xml"/><Relationship Id="b" Target="../charts/chart2.xml"/>';
    const bytes = zipOf({
      'ppt/presentation.xml': '<p:presentation/>',
      'ppt/slides/slide1.xml': `<p:sld>${paragraph('A crawler')}</p:sld>`,
      'ppt/slides/_rels/slide1.xml.rels': `<Relationships>${relations}</Relationships>`,
      'ppt/slides/slide2.xml': `<p:sld>${paragraph('The end')}</p:sld>`,
      'ppt/diagrams/data4.xml': diagram,
      'ppt/charts/chart2.xml': `<c:chart><c:title>${paragraph('Harvest rate')}</c:title>${series}</c:chart>`,
    });
    const chart = 'Harvest rate\nPages, first, second & last';
    expect((await convert(bytes, 'x.pptx')).text).toBe(`A crawler\nfetch\nclassify\n${chart}\nThe end`);
  });

  it('docx: are read after the text', async () => {
    const body = '<w:p><w:r><w:t>A crawler</w:t></w:r></w:p>';
    const bytes = wordOf('', body, LINK.url, 'document', { 'word/diagrams/data1.xml': diagram });
    expect((await convert(bytes, 'x.docx')).text).toBe('A crawler\nfetch\nclassify');
  });
});

it('pptx: shapes and pictures are links, too', async () => {
  const link = '<a:hlinkClick r:id="l"/>';
  const shape = `<p:sp><p:nvSpPr><p:cNvPr id="2">${link}</p:cNvPr></p:nvSpPr><p:txBody><a:p><a:r><a:rPr/><a:t>Press here</a:t></a:r></a:p></p:txBody></p:sp>`;
  const bytes = zipOf({
    'ppt/presentation.xml': '<p:presentation/>',
    'ppt/slides/slide1.xml': `<p:sld>${shape}</p:sld>`,
    'ppt/slides/_rels/slide1.xml.rels': `<Relationships><Relationship Id="l" Target="${LINK.url}" TargetMode="External"/></Relationships>`,
  });
  const { text, links } = await convert(bytes, 'x.pptx');
  expect([text, links.urls]).toEqual(['Press here', LINK.url]);
});

describe('text repeated on each slide', () => {
  it('pptx: excludes headers, footers, dates and numbers; reads fallback drawings once', async () => {
    const shape = (placeholder: string, words: string): string =>
      `<p:sp><p:nvSpPr><p:cNvPr id="2"/><p:nvPr>${placeholder}</p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>${words}</a:t></a:r></a:p></p:txBody></p:sp>`;
    const repeated = ['hdr', 'ftr', 'dt', 'sldNum']
      .map((type) => shape(`<p:ph type="${type}"/>`, `the ${type}`))
      .join('');
    const twice = `<mc:AlternateContent><mc:Choice>${shape('', 'a formula')}</mc:Choice><mc:Fallback>${shape('', 'a formula')}</mc:Fallback></mc:AlternateContent>`;
    const bytes = zipOf({
      'ppt/presentation.xml': '<p:presentation/>',
      'ppt/slides/slide1.xml': `<p:sld>${repeated}${shape('<p:ph type="title"/>', 'Of hubs')}${twice}</p:sld>`,
    });
    expect(await convert(bytes, 'x.pptx')).toMatchObject({ title: 'Of hubs', text: 'Of hubs\na formula' });
  });

  it('odp: excludes headers, footers, dates and numbers, in both dialects', async () => {
    const frame = (kind: string, words: string): string =>
      `<draw:frame presentation:class="${kind}"><draw:text-box><text:p>${words}</text:p></draw:text-box></draw:frame>`;
    const declared = ['header', 'footer', 'date-time']
      .map((kind) => `<presentation:${kind}-decl>the ${kind}</presentation:${kind}-decl>`)
      .join('');
    const frames = ['header', 'footer', 'date-time', 'page-number'].map((kind) => frame(kind, `a ${kind}`)).join('');
    const content = `<o><body><presentation>${declared}<draw:page>${frames}${frame('title', 'Of hubs')}</draw:page></presentation></body></o>`;
    const document = await convert(zipOf({ 'content.xml': content, mimetype: 'x' }), 'x.odp');
    expect(document).toMatchObject({ title: 'Of hubs', text: 'Of hubs' });
  });
});

it("pptx: reads the speaker's notes after their slide, each once", async () => {
  const text = (words: string): string => `<p:sld><a:p><a:r><a:t>${words}</a:t></a:r></a:p></p:sld>`;
  const notesOf = (n: number): string =>
    `<Relationships><Relationship Id="a" Target="../notesSlides/notesSlide${n}.xml"/></Relationships>`;
  const bytes = zipOf({
    'ppt/presentation.xml': '<p:presentation/>',
    'ppt/slides/slide1.xml': text('one'),
    'ppt/slides/_rels/slide1.xml.rels': notesOf(7),
    'ppt/slides/slide2.xml': text('two'),
    'ppt/slides/slide3.xml': text('three'),
    'ppt/slides/_rels/slide3.xml.rels': notesOf(9),
    'ppt/notesSlides/notesSlide7.xml': text('said of one'),
    'ppt/notesSlides/notesSlide8.xml': text('of a slide that is gone'),
  });
  expect((await convert(bytes, 'x.pptx')).text).toBe('one\nsaid of one\ntwo\nthree');
});

describe('RTF', () => {
  const rtf = (text: string): Promise<AnalyzedDocument> => convert(Buffer.from(`{\\rtf1\\ansi ${text}}`, 'latin1'));

  it('reads a title once that is stored in a code page and in Unicode', async () => {
    const title = "{\\upr{\\title R\\'e4der \\'3f\\'3f}{\\*\\ud{\\title R\\u228\\'e4der \\u33258\\'3f\\u-26474\\'3f}}}";
    expect(await rtf(`{\\info${title}{\\author J}}Text.`)).toMatchObject({ title: 'Räder 自颖', text: 'Text.' });
  });

  it('reads bytes by the code page of the document and of the font', async () => {
    const fonts = '{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}{\\f2\\fcharset128 Mincho;}}';
    const document = await rtf(
      `\\ansicpg1250${fonts}\\f0 na\\'efve \\f1 \\'cc\\'ee\\'f1\\'ea\\'e2\\'e0\\f2  \\'93\\'fa\\'96\\'7b`,
    );
    expect(document.text).toBe('naïve Москва 日本');
  });

  it('reads Unicode and skips its fallback, also of several characters', async () => {
    expect((await rtf("\\uc1 gr\\u246 \\'f6\\u223?er {\\uc2 \\u8364 EU 5}")).text).toBe('größer € 5');
  });

  it('shows no font names, pictures, headers, hidden text or unknown destinations', async () => {
    const hidden =
      '{\\pict 89504e47}{\\header top}{\\*\\unknown x}{\\v secret}{\\footer{\\b bottom}}{\\stylesheet{\\s1 Heading;}}';
    expect((await rtf(`{\\fonttbl{\\f0 Arial;}}${hidden}seen\\par again`)).text).toBe('seen\nagain');
  });

  it('reads unescaped bytes, and characters of an escaped and a plain byte', async () => {
    const fonts = '{\\fonttbl{\\f0\\fcharset204 Arial;}{\\f1\\fcharset128 Mincho;}}';
    const document = await rtf(`${fonts}\\f0 \xcc\xee\xf1\xea\xe2\xe0 \\f1 \\'83e\\'83X\\'83g\\'83\\\\`);
    expect(document.text).toBe('Москва テストソ');
  });

  it('reads the characters of old Macintosh files', async () => {
    const { text } = await convert(Buffer.from("{\\rtf1\\mac caf\\'8e}"));
    expect(text).toBe('café');
  });

  it('shows footnotes, not deleted text, whatever the table of styles contains', async () => {
    const styles = '{\\stylesheet{\\s1\\v0\\deleted0 Heading;}}';
    const text = '{\\deleted\\revauth1 old}new{\\*\\footnote\\tab a note} {\\v x\\plain seen}';
    expect((await rtf(`${styles}${text}`)).text).toBe('new a note seen');
  });

  it('reads links from fields, except script links and bookmarks', async () => {
    const field = (target: string, text: string): string =>
      `{\\field{\\*\\fldinst{HYPERLINK "${target}"}}{\\fldrslt{\\ul ${text}}}}`;
    const document = await rtf(
      `${field('http://b.test/x', 'there')} ${field('javascript:alert(1)', 'bad')} ${field('#top', 'up')}`,
    );
    expect(document.text).toBe('there bad up');
    expect(document.links).toMatchObject({ urls: 'http://b.test/x', anchors: 'there' });
  });

  it('reads relative links, and no links to local files of the author', async () => {
    const field = (instruction: string): string => `{\\field{\\*\\fldinst{HYPERLINK ${instruction}}}{\\fldrslt it}}`;
    const targets = [
      '"next.rtf"',
      '"..\\\\\\\\a\\\\\\\\b.rtf"',
      '"C:\\\\\\\\x.rtf"',
      '"\\\\\\\\\\\\\\\\server\\\\\\\\x.rtf"',
      '\\\\l "here"',
      'file:///x',
      'http://b.test/bare',
      'http://b.test/framed \\\\t "_blank"',
      '\\\\o "a tip" "tip.rtf"',
    ];
    const { links } = await rtf(targets.map(field).join(' '));
    expect(links.urls.split('\n')).toEqual([
      'http://a.test/dir/next.rtf',
      'http://a.test/a/b.rtf',
      'http://b.test/bare',
      'http://b.test/framed',
      'http://a.test/dir/tip.rtf',
    ]);
  });

  it('shows the text of a drawing once, not its shape', async () => {
    const property = '{\\sp{\\sn fillColor}{\\sv 13606770}}';
    const drawing = `{\\shp{\\*\\shpinst\\shpwr3${property}{\\shptxt in a box\\par}}{\\shprslt{\\dptxbxtext in a box}}}`;
    expect((await rtf(`before ${drawing}after`)).text).toBe('before in a box\nafter');
  });

  it('shows the letters of a formula, not its layout', async () => {
    const fraction = '{\\mf{\\mfPr{\\mtype bar}{\\mctrlPr\\f0 x}}{\\mnum{\\mr m}}{\\mden{\\mr 2}}}';
    const picture = '{\\mmathPict{\\*\\shppict{\\pict 8950}}}';
    expect((await rtf(`So {\\mmath{\\*\\moMath{\\mr E}{\\mr =}${fraction}}${picture}} holds`)).text).toBe(
      'So E=m2 holds',
    );
  });

  it('handles truncated, unbalanced and endlessly nested input', async () => {
    expect((await rtf('text}}}} more{{{')).text).toContain('text');
    expect((await rtf("cut \\'e")).text).toContain('cut');
    await expect(rtf('{'.repeat(5000))).rejects.toThrow('nested too deeply');
    expect((await rtf('\\bin99999999 hidden')).text).toBe('');
  });
});

describe('EPUB', () => {
  const PACKAGE = `<package xmlns:dc="d"><metadata><dc:title>A book</dc:title></metadata><manifest>
<item id="two" href="text/b%20c.xhtml" media-type="application/xhtml+xml"/><item id="one" href="a.xhtml" media-type="application/xhtml+xml"/>
<item id="css" href="s.css" media-type="text/css"/></manifest><spine><itemref idref="one"/><itemref idref="css"/><itemref idref="two"/></spine></package>`;
  const book = (more: Record<string, string> = {}): Buffer =>
    zipOf({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml': '<container><rootfiles><rootfile full-path="OPS/p.opf"/></rootfiles></container>',
      'OPS/p.opf': PACKAGE,
      'OPS/text/b c.xhtml':
        '<html><body><p>Second chapter. <a href="http://b.test/">out</a> <a href="a.xhtml">in</a></body></html>',
      'OPS/a.xhtml': '<html><body><p>First chapter.</p><script>no',
      'OPS/s.css': 'p {}',
      ...more,
    });

  it('reads chapters in reading order, with the links that lead out of the book', async () => {
    const document = await convert(book(), 'book.epub');
    expect(document).toMatchObject({ title: 'A book', links: { urls: 'http://b.test/' } });
    expect(document.text).toMatch(/^First chapter\.\nSecond chapter\. out in/);
  });

  it.each(['', 'Untitled', 'Unknown Title', 'book.docx'])(
    'that states %j as its title is called by its first line',
    async (stated) => {
      const table = PACKAGE.replace('A book', stated);
      expect((await convert(book({ 'OPS/p.opf': table }), 'book.epub')).title).toBe('First chapter.');
    },
  );

  it.each([
    ['names no chapters', { 'OPS/p.opf': '<package/>' }],
    ['names chapters that are not there', { 'OPS/p.opf': PACKAGE.replaceAll('.xhtml', '.gone') }],
    ['is cut short', { 'OPS/p.opf': PACKAGE.slice(0, 120) }],
    ['is not there', { 'META-INF/container.xml': '<container/>' }],
  ])('all pages are read by their names when the table of files %s', async (_, broken) => {
    const { text } = await convert(book({ 'OPS/c10.html': '<p>Tenth.', 'OPS/c9.html': '<p>Ninth.', ...broken }));
    expect(text).toMatch(/^First chapter\.\nNinth\.\nTenth\.\nSecond chapter/);
  });

  it('reads chapters as XML: an empty title, script or anchor is complete', async () => {
    const chapter =
      '<html><head><title/><script src="x.js"/></head><body><div id="a"/><p>First chapter.</p></body></html>';
    expect((await convert(book({ 'OPS/a.xhtml': chapter }))).text).toMatch(/^First chapter\.\nSecond chapter/);
  });

  it('reads a chapter once that is listed twice', async () => {
    const twice = PACKAGE.replace('<itemref idref="css"/>', '<itemref idref="one"/>');
    expect((await convert(book({ 'OPS/p.opf': twice }))).text.match(/First/g)).toHaveLength(1);
  });

  it('skips locked chapters, and reports a book as locked if all are', async () => {
    const lock = (...names: string[]): string =>
      `<encryption>${names.map((name) => `<e:CipherReference URI="${name}"/>`).join('')}</encryption>`;
    const font = lock('OPS/a.ttf', 'OPS/a.xhtml');
    expect((await convert(book({ 'META-INF/encryption.xml': font }))).text).toMatch(/^Second chapter/);
    const all = lock('OPS/a.xhtml', 'OPS/text/b%20c.xhtml');
    await expect(convert(book({ 'META-INF/encryption.xml': all }))).rejects.toThrow('protected: the book is locked');
  });

  it('reports a book without pages as damaged', async () => {
    await expect(convert(zipOf({ 'META-INF/container.xml': '<container/>' }))).rejects.toThrow('without chapters');
  });
});
