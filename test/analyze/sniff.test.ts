import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { canonicalize, unpackLinks } from '../../src/core/index.ts';
import { analyzePage, documentOf, PAGE_URL } from './pages.ts';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100, 1)]);

describe('analysed types', () => {
  it.each(['text/html', '', 'application/octet-stream', 'text/plain', 'image/png', 'application/json'])(
    'a page that begins like HTML, sent as "%s"',
    (contentType) => {
      expect(documentOf('<!-- x --> <!DOCTYPE html><title>t</title>', { headers: { contentType } }).title).toBe('t');
    },
  );

  it.each(['text/plain', 'text/markdown', ''])('text sent as "%s"', (contentType) => {
    expect(documentOf('plain words', { headers: { contentType } }).text).toBe('plain words');
  });

  it.each([
    'ID3 builds decision trees.',
    'RIFF is a container.',
    'OggS begins each page.',
    'GIF8 is no format.',
    'fLaC',
  ])('text that begins with the name of a format: %s', (text) => {
    expect(documentOf(text, { headers: { contentType: 'text/plain' } }).text).toBe(text);
  });

  it('a page with a stray NUL and other controls', () => {
    expect(documentOf('<p>hello\0world \x01 and more words that make up for it</p>').text).toMatch(/^hello world and/);
  });

  it.each(['', 'application/octet-stream'])(
    'a page with an unknown beginning, sent as "%s", by its file extension',
    (contentType) => {
      const page = '<form action=/x><p>words <a href=/y>y</a></form>';
      expect(documentOf(page, { headers: { contentType } })).toMatchObject({ text: 'words y', links: { size: 1 } });
      const elsewhere = canonicalize('http://a.test/notes')!;
      expect(documentOf(page, { headers: { contentType }, url: elsewhere }).text).toBe(page);
    },
  );

  it('a text that shows HTML tags stays text', () => {
    expect(documentOf('use <b> for bold', { headers: { contentType: 'text/plain' } }).text).toBe('use <b> for bold');
  });
});

describe('rejected types', () => {
  it.each([
    ['nothing', Buffer.alloc(0), 'text/html', 'empty'],
    ['a picture called a page', PNG, 'text/html', 'binary'],
    ['a picture', PNG, 'image/png', 'binary'],
    ['a song called text', Buffer.from('ID3\x03 and more words than its controls', 'latin1'), 'text/plain', 'binary'],
    ['a sound', Buffer.from('RIFF\x24\x08\x01\x01WAVEfmt and its data', 'latin1'), '', 'binary'],
    ['noise called a page', Buffer.from(Array.from({ length: 300 }, (_, i) => i % 32)), 'text/html', 'binary'],
    ['a PDF called a page', Buffer.from('%PDF-1.4\n'), 'text/html', 'convertible'],
    ['an archive', gzipSync('x'), 'application/gzip', 'convertible'],
    ['a style sheet', Buffer.from('body { color: red }'), 'text/css', 'type'],
    ['data', Buffer.from('{"a": 1}'), 'application/json', 'type'],
    ['XML that is no feed', Buffer.from('<?xml version="1.0"?><data></data>'), 'application/xml', 'type'],
  ])('%s is unusable, saying why', (_, body, contentType, reason) => {
    expect(analyzePage(body, { headers: { contentType } })).toMatchObject({ kind: 'unusable', reason });
  });
});

describe('plain text and markdown', () => {
  const plain = { headers: { contentType: 'text/plain' } };
  const markdown = { headers: { contentType: 'text/markdown' } };

  it('the first line is the title, an empty line separates paragraphs, URLs are links', () => {
    expect(documentOf('(See http://b.test/x_(y).) http://b.test/z)', plain).links.urls).toBe(
      'http://b.test/x_(y)\nhttp://b.test/z',
    );
    const document = documentOf('A title\n\nSee (http://b.test/x), or https://c.test/y.\nMore\n\nEnd', plain);
    expect(document.title).toBe('A title');
    expect(document.text).toBe('A title\nSee (), or . More\nEnd');
    expect(document.links.urls).toBe('http://b.test/x\nhttps://c.test/y');
    expect(document.links.contexts.split('\n')[0]).toBe('A title See ( …), or . More End');
  });

  it('headings, links and pictures of markdown', () => {
    const text =
      '[![build](http://ci.test/b.svg)](http://ci.test/)\n\n# The tool\n\nRead [the *guide*](docs/guide.md "Guide"). ![shot](shot.png)';
    const document = documentOf(text, markdown);
    expect(document.title).toBe('The tool');
    expect(document.text).toBe('build\nThe tool\nRead the *guide*. shot');
    expect(document.links.urls).toBe('http://ci.test/\nhttp://a.test/dir/docs/guide.md');
    expect(document.links.anchors).toBe('build\nthe *guide*');
  });

  it('front matter of markdown is not text, but may name the title', () => {
    const body = '# Heading\n\nText.';
    for (const [front, title] of [
      ['---\nlayout: post\ntitle: "On bees: a start"\ntags: [a, b]\n---\n', 'On bees: a start'],
      ["---\r\ntitle: 'Bees'\r\n---\r\n", 'Bees'],
      ['---\ntitle: Bees and hives  \n...\n', 'Bees and hives'],
      ['---\nsubtitle: none\n---\n', 'Heading'],
    ])
      expect(documentOf(`${front}${body}`, markdown)).toMatchObject({ title, text: 'Heading\nText.' });
    expect(documentOf(`---\nA line between rules\n\n${body}`, markdown).text).toContain('A line between rules');
    expect(documentOf('---\ntitle: x\n---\nText.', plain).text).toContain('title: x');
  });

  it('code in markdown has neither headings nor markdown links', () => {
    const document = documentOf('# Title\n```\n# comment [a](b)\n```\n', markdown);
    expect(document.title).toBe('Title');
    expect(document.links.size).toBe(0);
  });

  it('reads line ends of old Macintoshes', () => {
    expect(documentOf('Title\rOne\r\rTwo\r', plain)).toMatchObject({ title: 'Title', text: 'Title One\nTwo' });
  });

  it('code fences are not text, whatever language they name', () => {
    const { text } = documentOf(
      '# Title\nBefore:\n```rust\nlet a = 1;\n```\nAfter.\n~~~\nb\n~~~\n```c``` is inline.',
      markdown,
    );
    expect(text).toBe('Title\nBefore:\nlet a = 1;\nAfter.\nb\n```c``` is inline.');
  });

  it('pictures in markdown links give their alternative text, however they are written', () => {
    const badges =
      '[![build][img]][ci] [<img src="a.svg" alt="downloads">](/npm) [`<div>` element](/div) [![x](y.svg) page](/x)\n\n[ci]: /ci\n[img]: i.svg';
    const { links } = documentOf(badges, markdown);
    expect(unpackLinks(links).map(({ anchor }) => anchor)).toEqual([
      'build',
      'downloads',
      '`<div>` element',
      'x page',
      '',
      '',
    ]);
  });

  it('resolves reference links of markdown', () => {
    const text = `# Bees
See [the *guide*][1], [hives], [none], [![logo](l.png)][1] and <http://b.test/x>.[^1]

[1]: docs/guide.md "The guide"
[Hives]: <hives.html>
[^1]: A note.
[long]: /${'x'.repeat(300)}
`;
    const { text: shown, links } = documentOf(text, markdown);
    expect(shown).toBe('Bees\nSee the *guide*, hives, [none], logo and .[^1]\n[^1]: A note.');
    expect(unpackLinks(links).map(({ url, anchor }) => [new URL(url).pathname, anchor])).toEqual([
      ['/dir/docs/guide.md', 'the *guide*'],
      ['/dir/hives.html', 'hives'],
      ['/dir/docs/guide.md', 'logo'],
      ['/x', ''],
      ['/dir/docs/guide.md', ''],
      ['/dir/hives.html', ''],
      [`/${'x'.repeat(300)}`, ''],
    ]);
  });

  it('HTML in markdown is not text, its links are links; code is neither', () => {
    const text =
      '<p align="center">\n<img src="x.png" alt="no">Bees <!-- no --> and <a class=x href="a.md?b&amp;c">hives</a><br/>\n</p>\n`[x](y) <b>` <3\n';
    const { text: shown, links } = documentOf(text, markdown);
    expect(shown).toBe('Bees and hives `[x](y) <b>` <3');
    expect([links.urls, links.anchors]).toEqual(['http://a.test/dir/a.md?b&c', 'hives']);
    expect(documentOf('a <b> c [x][y]\n\n[y]: /z', plain).text).toBe('a <b> c [x][y]\n[y]: /z');
  });

  it('the title of markdown has no link or picture syntax', () => {
    const title = (text: string): string => documentOf(`${text}\n\nWords.`, markdown).title;
    expect(title('# [Bees](http://b.test/) & <b>hives</b> ##')).toBe('Bees & hives');
    expect(title('# <img src=x.png>\n## ![Bees](l.png)')).toBe('Bees');
    expect(title(`# ${'word '.repeat(100)}`)).toHaveLength(199);
  });

  it('a text with a URL that ends in .md is markdown', () => {
    const url = new URL('README.md', PAGE_URL).href as typeof PAGE_URL;
    expect(documentOf('[x](/y_(z)), (see [q](/r))', { ...plain, url }).links.urls).toBe(
      'http://a.test/y_(z)\nhttp://a.test/r',
    );
    expect(documentOf('[x](/y)', { ...plain, url }).links.urls).toBe('http://a.test/y');
  });

  it('does not decode HTML entities in plain text', () => {
    expect(documentOf('a &amp; b', plain).text).toBe('a &amp; b');
  });
});

describe('content after long comments', () => {
  const COMMENT = `<!-- ${'generated by a plugin > do not edit '.repeat(200)} -->`;

  it('is found: a sitemap', () => {
    const xml = `<?xml version="1.0"?>${COMMENT}<?xml-stylesheet href="a>b.xsl"?>${COMMENT}<urlset><url><loc>http://a.test/x</loc></url></urlset>`;
    const { links } = documentOf(xml, { headers: { contentType: 'application/xml' } });
    expect(unpackLinks(links).map(({ url }) => url)).toEqual(['http://a.test/x']);
  });

  it.each([(xml: string) => Buffer.from(xml), (xml: string) => Buffer.from(`\ufeff${xml}`, 'utf16le')])(
    'is found: a feed',
    (coded) => {
      const xml = `<?xml version="1.0"?>${COMMENT}<rss><channel><item><title>Steam</title><description>Old engines.</description></item></channel></rss>`;
      expect(documentOf(coded(xml), { headers: { contentType: 'text/xml' } }).text).toContain('Old engines.');
    },
  );

  it('is an HTML page if nothing else follows', () => {
    expect(documentOf(`${COMMENT}<p>A page.`, { headers: { contentType: '' } }).text).toBe('A page.');
  });
});
