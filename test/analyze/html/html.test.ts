import { describe, expect, it } from 'vitest';
import { LINK_FLAG, unpackCounts } from '../../../src/core/index.ts';
import { analyzePage, documentOf, linksOf, urlsOf } from '../pages.ts';

describe('metadata of a page', () => {
  it('decodes the title and folds its white space', () => {
    expect(documentOf('<title> Fish &amp;\n Chips&copy; &#x41; </title>').title).toBe('Fish & Chips© A');
  });

  it('a title has no blanks at invisible characters: soft breaks, direction marks', () => {
    expect(documentOf('<title>Daten&shy;bank\u200e sy&#8288;stem</title>').title).toBe('Datenbank system');
  });

  it('uses the first title, not a title inside a drawing', () => {
    const html = '<svg><title>arrow</title></svg><title>first</title><body><title>second</title>';
    expect(documentOf(html).title).toBe('first');
  });

  it('names a page without title and heading by its sharing metadata', () => {
    const shared = '<meta property="og:title" content="For sharing">';
    expect(documentOf(`${shared}<p>text`).title).toBe('For sharing');
    expect(documentOf(`${shared}<h1>Heading</h1>`).title).toBe('Heading');
  });

  it('names a page without a title by its first heading', () => {
    expect(documentOf('<h1>The <b>heading</b></h1><h1>other</h1>').title).toBe('The heading');
    expect(documentOf('<h1>The heading<h2>of a part</h2><p>text').title).toBe('The heading');
    expect(documentOf('<h1>The heading</h2><p>text').title).toBe('The heading');
  });

  it.each([
    'Untitled Document',
    'untitled-1',
    'New Page 1',
    'Document',
    'Documento sin título',
    'Unbenannt-1',
    'PowerPoint-Präsentation',
    '- | -',
    '無題ドキュメント',
  ])('replaces the default title of a program by the heading: %s', (title) => {
    expect(documentOf(`<title>${title}</title><h1>Hubs</h1>`).title).toBe('Hubs');
    expect(documentOf(`<title>${title}</title><p>Hubs`).title).toBe(title);
    expect(documentOf(`<title>${title} of hubs</title><h1>Hubs</h1>`).title).toBe(`${title} of hubs`);
  });

  it('obeys both meta robots and X-Robots-Tag', () => {
    expect(documentOf('<meta name=ROBOTS content="NoIndex, follow">')).toMatchObject({
      noindex: true,
      nofollow: false,
    });
    expect(documentOf('<meta name=robots content=none>')).toMatchObject({ noindex: true, nofollow: true });
    const headers = { xRobotsTag: 'nofollow' };
    expect(documentOf('<meta name=robots content=noindex>', { headers })).toMatchObject({
      noindex: true,
      nofollow: true,
    });
  });

  it('ignores directives for other robots', () => {
    expect(documentOf('<meta name=googlebot content=noindex>').noindex).toBe(false);
    for (const xRobotsTag of ['googlebot: noindex', 'googlebot: noindex, nofollow', 'max-snippet: 5', 'a: b, c: none'])
      expect(documentOf('x', { headers: { xRobotsTag } })).toMatchObject({ noindex: false, nofollow: false });
  });

  it.each([
    ['bingo-crawler: noindex', true, false],
    ['Bingo-Crawler: noindex, nofollow', true, true],
    ['robots: noindex, googlebot: nofollow', true, false],
    ['googlebot: noindex, bingo-crawler: nofollow', false, true],
    ['googlebot: noindex\nnofollow', false, true],
    ['googlebot: noindex\nbingo-crawler: none', true, true],
    ['max-snippet: 5, noindex', true, false],
    ['noindex nofollow', true, true],
    ['noindex, indexifembedded', true, false],
    ['nosnippet, noarchive, noimageindex', false, false],
    ['all, googlebot: none', false, false],
  ])('directives for us are: %j', (xRobotsTag, noindex, nofollow) => {
    const parts = { headers: { xRobotsTag }, options: { robot: 'bingo-crawler' } };
    expect(documentOf('x', parts)).toMatchObject({ noindex, nofollow });
  });

  it.each([
    ['nosnippet', 0],
    ['max-snippet:0', 0],
    ['all, max-snippet: 80', 80],
    ['max-snippet: 80, noarchive, bingo-crawler: max-snippet: 20', 20],
    ['max-snippet: 80\nnosnippet', 0],
    ['max-snippet:-1', undefined],
    ['max-snippet: many', undefined],
    ['googlebot: nosnippet', undefined],
    ['noarchive', undefined],
  ])('of a page that says %j as many characters may be shown: %j', (directives, maxSnippet) => {
    const options = { robot: 'bingo-crawler' };
    expect(documentOf('x', { headers: { xRobotsTag: directives }, options }).maxSnippet).toBe(maxSnippet);
    const metas = directives.split('\n').map((content) => `<meta name=robots content="${content}">`);
    expect(documentOf(`${metas.join('')}<p>x`, { options }).maxSnippet).toBe(maxSnippet);
  });

  it.each([
    ['unavailable_after: 25 Jun 2010 15:00:00 PST', true],
    ['unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT', true],
    ['unavailable_after: Friday, 25-Jun-10 15:00:00 GMT', true],
    ['unavailable_after: 2010-06-25', true],
    ['unavailable_after: 2010-06-25T15:00:00+02:00', true],
    ['unavailable_after:2010-06-25T15:00, nofollow', true],
    ['bingo-crawler: unavailable_after: 25 Jun 2010', true],
    ['unavailable_after: 2025-06-30T23:59:59Z', true],
    ['unavailable_after: 2025-07-01T00:00:01Z', false],
    ['unavailable_after: Tue, 1 Jul 2025 00:00:00 -0100', false],
    ['unavailable_after: 25 Jun 2030 15:00:00 PST', false],
    ['googlebot: unavailable_after: 25 Jun 2010', false],
    ['unavailable_after: 25/06/2010', false],
    ['unavailable_after: some day in 2010', false],
    ['unavailable_after: 31 Jan 2010 15:00:00 ABCDE', false],
    ['unavailable_after:', false],
  ])('on 1 July 2025 a page that says %j asks to be left out: %j', (value, noindex) => {
    const parts = { options: { robot: 'bingo-crawler' }, fetchedAt: Date.UTC(2025, 6, 1) };
    expect(documentOf('x', { ...parts, headers: { xRobotsTag: value } }).noindex).toBe(noindex);
    expect(documentOf(`<meta name=robots content="${value}"><p>x`, parts).noindex).toBe(noindex);
  });

  it('obeys a meta element with the name of the crawler', () => {
    const html = '<meta charset=utf-8><meta name=Bingo-Crawler content="noindex, nofollow"><p>x';
    const parts = { options: { robot: 'bingo-crawler' } };
    expect(documentOf(html, parts)).toMatchObject({ noindex: true, nofollow: true });
    expect(documentOf(html)).toMatchObject({ noindex: false, nofollow: false });
  });

  it('resolves the canonical link against the base', () => {
    const html = '<base href="/b/"><link rel="alternate canonical" href="../c#part">';
    expect(documentOf(html).canonical).toBe('http://a.test/c');
  });

  it('describes a page without text by its meta description', () => {
    expect(documentOf('<meta name=description content="All about  quarks"><frameset><frame src=x>').text).toBe(
      'All about quarks',
    );
  });
});

describe('a meta refresh', () => {
  const stub = (refresh: string, rest = 'Redirecting… Click here if you are not redirected.'): string =>
    `<meta http-equiv=refresh content="${refresh}"><title>Moved</title><p>${rest}</p>`;

  it('redirects the reader of a page with few words', () => {
    expect(documentOf(stub('0; url=/next')).forward).toEqual({ target: 'http://a.test/next', isAtOnce: true });
    expect(documentOf(stub("10;URL='http://b.test/'")).forward).toEqual({ target: 'http://b.test/', isAtOnce: false });
  });

  it('may be a header, also of an empty page', () => {
    const headers = { refresh: '0; url="/next"' };
    const moved = { target: 'http://a.test/next', isAtOnce: true };
    expect(documentOf('<p>Moved', { headers }).forward).toEqual(moved);
    expect(documentOf('', { headers }).forward).toEqual(moved);
    expect(urlsOf(`<p>${'Some words that are worth reading. '.repeat(10)}`, { headers })).toEqual([moved.target]);
    expect(analyzePage('', { headers: { refresh: '5' } })).toMatchObject({ reason: 'empty' });
  });

  it.each([
    ['to the page itself', stub('0;url=#top')],
    ['after a long time', stub('300;url=/next')],
    ['of a page with a text of its own', stub('5;url=/next', 'Some words that are worth reading. '.repeat(10))],
    ['for readers without scripts', `<noscript>${stub('0;url=/next')}</noscript>`],
    ['of a page whose links are not to be followed', `<meta name=robots content=nofollow>${stub('0;url=/next')}`],
    ['without an address', stub('30')],
  ])('is not followed %s', (_, html) => {
    expect(documentOf(html).forward).toBeUndefined();
  });
});

describe('a script that redirects at once', () => {
  const page = (script: string, text = 'Please wait.'): string =>
    `<title>Moved</title><p>${text}<script>${script}</script>`;

  it.each([
    'location = "/next"',
    "window.location.href='/next';\n",
    'document.location.replace("/next");',
    '\n<!--\nself.location.assign( "/next" )\n//-->',
    '// The page has moved.\n window.location = "next.html/../../next"; track();',
  ])('sends its reader elsewhere when the page has few words: %s', (script) => {
    expect(documentOf(page(script)).forward).toEqual({ target: 'http://a.test/next', isAtOnce: true });
    expect(linksOf(page(script, 'Some words that are worth reading. '.repeat(10)))).toMatchObject([
      { url: 'http://a.test/next', anchor: '', flags: LINK_FLAG.frame },
    ]);
    expect(documentOf(page(script, 'Some words that are worth reading. '.repeat(10))).forward).toBeUndefined();
  });

  it.each([
    'if (old) location = "/next";',
    'var location = "/next";',
    'location = "/next?" + id;',
    'location = "/a\\x2fb";',
    'location.reload("/next")',
    'top.location = "/next";',
    'location.hash = "#top";',
    'window.location.href = "";',
  ])('but not by what depends on something, or is no such script: %s', (script) => {
    expect(documentOf(page(script)).forward).toBeUndefined();
    expect(linksOf(page(script))).toEqual([]);
  });

  it('but not by a loaded script or by data', () => {
    expect(
      linksOf('<script src=x.js>location="/next"</script><template><script>location="/next"</script></template>'),
    ).toEqual([]);
  });
});

describe('links', () => {
  it('come from drawings too', () => {
    const html = `<p>Map <svg><a xlink:href=/a><text>Lake <tspan>one</tspan></text></a><text>scale</text><a href=/b xlink:title=Hill><path/></a></svg>
      end <template><svg><a href=/no></a></svg></template><a href=/c>c</a>`;
    expect(linksOf(html).map(({ url, anchor }) => [new URL(url).pathname, anchor])).toEqual([
      ['/a', ''],
      ['/b', 'Hill'],
      ['/c', 'c'],
    ]);
    expect(documentOf(html).text).toBe('Map end\nc');
  });

  it('come from anchors, areas, frames and meta refresh, in document order', () => {
    const html = `<meta http-equiv=Refresh content="5; URL='/refresh'"><a href=/a>a</a><iframe src=/iframe></iframe>
      <map><area href=/area alt=corner></map><frame src=/frame>`;
    expect(linksOf(html).map(({ url, anchor, flags }) => [new URL(url).pathname, anchor, flags])).toEqual([
      ['/refresh', '', LINK_FLAG.frame],
      ['/a', 'a', 0],
      ['/iframe', '', LINK_FLAG.frame],
      ['/area', 'corner', LINK_FLAG.image],
      ['/frame', '', LINK_FLAG.frame],
    ]);
  });

  it('come from attributes that scripts read later', () => {
    const html = `<a data-href=/a>a</a><iframe src="about:blank" data-src=/b></iframe><iframe data-lazy-src=/c></iframe>
      <iframe src=/d data-src=/no></iframe>`;
    expect(urlsOf(html).map((url) => new URL(url).pathname)).toEqual(['/a', '/b', '/c', '/d']);
  });

  it('have a placeholder until scripts insert their URL', () => {
    const html = `<a href="#" data-href=/a>a</a><a href=" javascript:void(0)" data-href=/b>b</a><a href="" data-href=/c>c</a>
      <a href=/d data-href=/no>d</a><a href="#part">e</a>`;
    expect(urlsOf(html).map((url) => new URL(url).pathname)).toEqual(['/a', '/b', '/c', '/d']);
  });

  it.each([
    [`<a href="#" onclick="location.href='/x'; return false">x</a>`, 'x'],
    [`<a href="javascript:void(0)" onclick="window.open('/x', 'w', 'width=9')">x</a>`, 'x'],
    [`<a onclick="self.location = &quot;/x&quot;">x</a>`, 'x'],
    [`<a href="javascript:window.open('/x')">x</a>`, 'x'],
    [`<table><tr onclick="location.assign('/x')" title="to x"><td>1</table>`, 'to x'],
    [`<div onclick="if (!event.ctrlKey) { window.location='/x' }">1</div>`, ''],
    [`<button onclick="document.location.href='/x'">1</button>`, ''],
    [`<table><tr class=clickable-row data-href="/x"><td>1</table>`, ''],
    [`<ul><li data-href="/x">1</ul>`, ''],
  ])('that a click leads to count where their address stands there in full: %s', (html, anchor) => {
    expect(linksOf(html)).toEqual([expect.objectContaining({ url: 'http://a.test/x', anchor })]);
  });

  it.each([
    `<a href="#" onclick="location.href='/x?id=' + id">x</a>`,
    `<a href="#" onclick="place.location='Berlin'">x</a>`,
    `<a href="#" onclick="if (location == '/x') go()">x</a>`,
    `<a href="#" onclick="dialog.open('/x')">x</a>`,
    `<a href="#" onclick="reopen('/x')">x</a>`,
    `<div class="fb-like" data-href="/x">1</div>`,
    `<div onclick="window.open('javascript:void(0)')">1</div>`,
  ])('that only scripts can tell do not: %s', (html) => {
    expect(linksOf(html)).toEqual([]);
  });

  it('of an anchor with a URL are kept, whatever a click does', () => {
    expect(linksOf(`<a href=/own onclick="window.open('/popup')">x</a>`).map(({ url }) => url)).toEqual([
      'http://a.test/own',
    ]);
  });

  it('are flagged if their author does not endorse them, however rel is separated', () => {
    const html =
      '<a rel="noopener,nofollow" href=/a>a</a><a rel="external ugc" href=/b>b</a><a rel=no-follow href=/c>c</a>';
    expect(linksOf(html).map(({ flags }) => flags)).toEqual([LINK_FLAG.nofollow, LINK_FLAG.nofollow, 0]);
  });

  it('exclude scripts, style sheets, images, and the contents of scripts and comments', () => {
    const html = `<link rel=stylesheet href=/s.css><script src=/s.js>"<a href=/no>"</script><img src=/i.png>
      <!-- <a href=/no>no</a> --><textarea><a href=/no>no</a></textarea><template><a href=/no>no</a></template>`;
    expect(urlsOf(html)).toEqual([]);
  });

  it('are resolved against the base, with character references decoded', () => {
    expect(urlsOf('<base href="/b/"><a href=" x?a=1&amp;copy=2&copy=3 ">x</a>')).toEqual([
      'http://a.test/b/x?a=1&copy=2&copy=3',
    ]);
  });

  it('have the first URL of a tag that names several', () => {
    const html = '<a href=/a href=/no class=x href>a</a><td data-href=/b data-href=/no><a href href=/no>c</a>';
    expect(urlsOf(html).map((url) => new URL(url).pathname)).toEqual(['/a', '/b']);
  });

  it.each([
    ['iso-8859-1', [0x5a, 0xf6], '?q=Z%F6'],
    ['windows-1251', [0xef, 0xf0, 0x88], '?q=%EF%F0%88'],
    ['koi8-r', [0xd0, 0xd2], '?q=%D0%D2'],
    ['shift_jis', [0x93, 0xfa, 0x96, 0x7b, 0xb1, 0xfb, 0xfc], '?q=%93%FA%96%7B%B1%FB%FC'],
    ['euc-jp', [0xc6, 0xfc, 0x8e, 0xb1], '?q=%C6%FC%8E%B1'],
    ['euc-kr', [0xc7, 0xd1], '?q=%C7%D1'],
    ['gbk', [0xd6, 0xd0, 0x80], '?q=%D6%D0%80'],
    ['big5', [0xa4, 0xa4], '?q=%A4%A4'],
    ['utf-8', [0xc3, 0xb6], '?q=%C3%B6'],
    ['iso-2022-jp', [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x1b, 0x28, 0x42], '?q=%E6%97%A5'],
  ])('have in their query the bytes of the page, as browsers ask for them: %s', (charset, letters, query) => {
    const html = Buffer.concat([Buffer.from('<a href="/s?q='), Buffer.from(letters), Buffer.from('">x</a>')]);
    expect(documentOf(html, { headers: { charset } }).links.urls).toBe(`http://a.test/s${query}`);
  });

  it('keep the page encoding in the query only, with references for missing letters', () => {
    const html = Buffer.from('<a href="/\xf6?\xf6&&#x4e2d;#\xf6">x</a><link rel=canonical href="?\xf6">', 'latin1');
    const { links, canonical } = documentOf(html, { headers: { charset: 'iso-8859-1' } });
    expect(links.urls).toBe('http://a.test/%C3%B6?%F6&%26%2320013%3B');
    expect(canonical).toBe('http://a.test/dir/page.html?%F6');
  });

  it('exclude links to the page itself, to its fragments, and to other schemes', () => {
    const html = `<a href="#top">t</a><a href="page.html#x">p</a><a href="">e</a><a href="mailto:a@b.test">m</a>
      <a href="javascript:void(0)">j</a><a href="ftp://a.test/">f</a><a href="http://[bad/">b</a><a name=here>n</a>`;
    expect(urlsOf(html)).toEqual([]);
  });

  it('hold each pair of URL and anchor once', () => {
    const html = '<a href=/x>one</a> <a href=/x>one</a> <a href=/x#part>two</a> <a href=/y>one</a>';
    expect(linksOf(html).map((link) => `${link.url} ${link.anchor}`)).toEqual([
      'http://a.test/x one',
      'http://a.test/x two',
      'http://a.test/y one',
    ]);
  });

  it('hold at most maxLinksPerPage, each at most maxUrlChars long', () => {
    const many = Array.from({ length: 30 }, (_, i) => `<a href=/${i}>${i}</a>`).join(' ');
    expect(urlsOf(many, { options: { maxLinksPerPage: 7 } })).toHaveLength(7);
    expect(urlsOf(`<a href="/${'x'.repeat(50)}">x</a>`, { options: { maxUrlChars: 40 } })).toEqual([]);
  });

  it('an anchor without words has the alternative text of its image', () => {
    const html = '<a href=/1><img alt=" a  picture "></a> <a href=/2><img alt=icon> words</a> <a href=/3></a>';
    expect(linksOf(html).map(({ anchor, flags }) => [anchor, flags])).toEqual([
      ['a picture', LINK_FLAG.image],
      ['words', 0],
      ['', 0],
    ]);
  });

  it('an anchor without visible words has the label that its author gave it', () => {
    const html = `<a href=/1 aria-label="Tom &amp; Jerry"><svg><title>icon</title></svg></a><a href=/2 title=two>
      <a href=/3 title=three><img alt=picture></a><a href=/4 title=four><img alt=""></a><a href=/5 title=five>words</a><a href=/6 hidden title=six></a>`;
    expect(linksOf(html).map(({ anchor }) => anchor)).toEqual(['Tom & Jerry', 'two', 'picture', 'four', 'words', '']);
  });

  it('an anchor ends at the start of the next one', () => {
    const html = '<p>see <a href=/1>one <a href=/2>two</a> three';
    expect(linksOf(html).map((link) => link.anchor)).toEqual(['one', 'two']);
  });

  it('an anchor around paragraphs holds their text', () => {
    expect(linksOf('<p>before</p><a href=/card><h3>Card</h3><p>of text</p></a>')[0]?.anchor).toBe('Card of text');
  });

  it('context is ten words before and after, with … for the anchor', () => {
    const html = `<p>zero one two three four five six seven eight nine ten <a href=/x>the anchor</a> a b c d e f g h i j k`;
    expect(linksOf(html)[0]?.context).toBe('one two three four five six seven eight nine ten … a b c d e f g h i j');
  });

  it('context has one single …, whatever the text around the anchor contains', () => {
    expect(linksOf('<p>a teaser … of a story … <a href=/x>on</a> more…')[0]?.context).toBe(
      'a teaser . of a story . … more.',
    );
  });

  it('context continues across paragraphs and keeps words apart', () => {
    expect(linksOf('<p>left</p><p><a href=/x>x</a></p><p>right</p>')[0]?.context).toBe('left … right');
    expect(linksOf('<a href=/x>alone</a>')[0]?.context).toBe('');
  });

  it('flags rel=nofollow, ugc and sponsored', () => {
    const html =
      '<a rel="me nofollow" href=/1>1</a> <a rel=UGC href=/2>2</a> <a rel=sponsored href=/3>3</a> <a rel=next href=/4>4</a>';
    const { nofollow } = LINK_FLAG;
    expect(linksOf(html).map((link) => link.flags)).toEqual([nofollow, nofollow, nofollow, 0]);
    const drawn =
      '<map><area rel=nofollow href=/1><area href=/2></map><svg><a rel=nofollow href=/3>3</a><a href=/4>4</a></svg>';
    expect(linksOf(drawn).map((link) => link.flags & nofollow)).toEqual([nofollow, 0, nofollow, 0]);
  });

  it.each([
    ['<nav>', '</nav>'],
    ['<footer>', '</footer>'],
    ['<aside>', '</aside>'],
    ['<header>', '</header>'],
    ['<div role=navigation>', '</div>'],
    ['<div class="left sidebar">', '</div>'],
    ['<div id=mainNav>', '</div>'],
    ['<ul class=breadcrumb>', '</ul>'],
    ['<div style="display: none">', '</div>'],
    ['<section hidden>', '</section>'],
    ['<blockquote style=display:none>', '</blockquote>'],
  ])('a link in %s is boilerplate, one behind it is not', (open, close) => {
    const flags = linksOf(`${open}<p><a href=/in>in</a></p>${close}<p><a href=/out>out</a></p>`).map(
      (link) => link.flags,
    );
    expect(flags).toEqual([LINK_FLAG.boilerplate, 0]);
  });

  it.each([
    '<div class=has-sidebar>',
    '<div class=content>',
    '<article><header>',
    '<div class="page-wrapper navless">',
  ])('a link in %s is not boilerplate', (open) => {
    expect(linksOf(`${open}<a href=/in>in</a>`)[0]?.flags).toBe(0);
  });

  it('flags links in a list of mostly links, not in a list of sentences', () => {
    const item = (n: number, text: string): string => `<li><a href=/${n}>link ${n}</a>${text}`;
    const bare = `<ul>${item(1, '')}${item(2, '')}${item(3, '')}</ul>`;
    const prose = `<ul>${[4, 5, 6].map((n) => item(n, ' with a sentence that explains it at length')).join('')}</ul>`;
    const { list } = LINK_FLAG;
    expect(linksOf(bare + prose).map((link) => link.flags)).toEqual([list, list, list, 0, 0, 0]);
  });

  it('positions run from the start of the page to its end', () => {
    const html = `<a href=/1>1</a>${'<p>filler</p>'.repeat(100)}<a href=/2>2</a>${'<p>filler</p>'.repeat(100)}<a href=/3>3</a>`;
    const [first, second, third] = linksOf(html).map((link) => link.position);
    expect(first).toBeCloseTo(0, 2);
    expect(second).toBeCloseTo(0.5, 1);
    expect(third).toBeCloseTo(1, 1);
  });

  it('CDATA is text in XHTML, and in other pages a comment up to the first ">"', () => {
    const html =
      '<p>One<![CDATA[ <two> &amp; three ]]>four</p><script><![CDATA[no]]></script><nav><![CDATA[menu]]></nav>';
    const headers = { contentType: 'application/xhtml+xml' };
    expect(documentOf(html, { headers }).text).toBe('One <two> &amp; three four');
    expect(documentOf(html).text).toBe('One & three ]]>four');
    expect(documentOf('<p>One<![CDATA[two]]>three</p>').text).toBe('Onethree');
    expect(documentOf('<p>a</p><![CDATA[<b>b</b> <a href="/c">c</a> d').links.urls).toBe('http://a.test/c');
    expect(documentOf('<p>a</p><svg><style><![CDATA[ a > b { c } ]]></style></svg><p>d</p>').text).toBe('a\nd');
  });

  it('XHTML sent as XML may close any tag itself', () => {
    const headers = { contentType: 'application/xhtml+xml' };
    const html = '<?xml version="1.0"?><html xml:lang="fr"><script src="x"/><p>texte <a href="/x">lien</a></p></html>';
    const document = documentOf(html, { headers });
    expect(document.text).toBe('texte lien');
    expect(document.links.urls).toBe('http://a.test/x');
  });

  it.each(['application/xml', 'text/xml'])(
    'XHTML sent as %s is XML, too; its document type has no text',
    (contentType) => {
      const subset = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd" [<!ENTITY me "Ann">]>';
      const html = `<?xml version="1.0"?>\n${subset}<html><head><title/></head><body><h1>Head</h1><script/><p>text</p></body></html>`;
      expect(documentOf(html, { headers: { contentType } })).toMatchObject({ title: 'Head', text: 'Head\ntext' });
    },
  );
});

describe('text', () => {
  it('separates a link from the words before it by one blank, whatever it starts with', () => {
    for (const blank of [' ', '&nbsp;', '\u00a0', '<br>', ''])
      expect(documentOf(`<p>see <a href="/next">${blank}the next</a> one</p>`).text).toBe('see the next one');
  });

  it.each([
    '<p>see <a href="/x"></a><a href="/next">the next</a></p>',
    '<p>see <a href="/x"><a href="/next">the next</a></p>',
    '<p>see <a href="/x"> </a><a href="/next">the next</a></p>',
    '<p>see<a href="/x"></a> <a href="/y"></a><a href="/next">the next</a></p>',
  ])('a link without text leaves one blank, too: %s', (html) => {
    expect(documentOf(html).text).toBe('see the next');
    expect(documentOf(html).links.anchors).toMatch(/the next$/);
  });

  it('paragraphs end in line breaks, white space is folded, invisible letters removed', () => {
    const html =
      '<p>one\n  two&nbsp;three</p>\n<div>fo\u00adur <b>fi</b>ve<br>six</div><ul><li>se\u200even<li>eight</ul>';
    expect(documentOf(html).text).toBe('one two three\nfour five six\nseven\neight');
  });

  it('has one composed character per accented letter, however the page writes it', () => {
    for (const written of ['Đà Lạt, crème brûlée', 'グラフ 日本のガス', '데이터베이스', 'Ἀθῆναι']) {
      const [apart, whole] = [written.normalize('NFD'), written.normalize('NFC')];
      const document = documentOf(`<title>${apart}</title><p>${apart}`);
      expect([document.title, document.text]).toEqual([whole, whole]);
      expect(document).toEqual(documentOf(`<title>${whole}</title><p>${whole}`));
    }
    expect(documentOf('<p>e\u0301e\u0301e\u0301', { options: { maxTextChars: 4 } }).text).toBe('éé');
  });

  it('a closing tag of a line break is a line break, except in XHTML', () => {
    expect(documentOf('<p>one</br>two</br></br>three').text).toBe('one two\nthree');
    const headers = { contentType: 'application/xhtml+xml' };
    expect(documentOf('<p>one<br></br>two<br/>three</p>', { headers }).text).toBe('one two three');
  });

  it('omits fallback text for browsers without video, sound or drawings', () => {
    const sources = '<source src="a.mp4"><source src="b.webm"/>\n';
    expect(
      documentOf(`<p>one <video controls>${sources}Your browser does not support the video tag.</video> two
<audio src="a.mp3">No audio.</audio> three <canvas>No canvas.</canvas> four <progress value="7">seven</progress></p>
<picture>${sources}<img src="c.png"></picture><p><video src="d.mp4" /></p><p>five`).text,
    ).toBe('one two three four\nfive');
  });

  it('omits fallback paragraphs in a video, keeps their links, survives an open video', () => {
    const fallback = '<p>Your browser cannot show this. <a href=/film.mp4>Fetch it</a></p>';
    const html = `<p>one</p><VIDEO controls><source src=a.mp4>${fallback}</VIDEO><p>two <canvas>${fallback}</canvas>three`;
    expect(documentOf(html).text).toBe('one\ntwo\nthree');
    expect(urlsOf(html)).toEqual(['http://a.test/film.mp4']);
    expect(documentOf('<p>one <video src=a.mp4 /><p>two <audio src=b.mp3><p>three').text).toBe('one\ntwo\nthree');
    expect(documentOf(`<p>one <video src=a.mp4 /><p>two<video>${fallback}</video>`).text).toBe('one\ntwo');
  });

  it('groups of headings are paragraphs, and a search form is not text', () => {
    expect(
      documentOf(`<p>one</p>two<hgroup>three<h1>four</h1></hgroup><search>six</search><listing>five</listing>`).text,
    ).toBe('one\ntwo\nthree\nfour\nfive');
  });

  it('two line breaks in a row and table cells separate paragraphs', () => {
    expect(documentOf('one<br><br>two<table><tr><td>three<td>four</table>').text).toBe('one\ntwo\nthree\nfour');
  });

  it('is cut at maxTextChars, never inside a character', () => {
    expect(documentOf('<p>ab𝒜cd', { options: { maxTextChars: 3 } }).text).toBe('ab');
    expect(documentOf('<p>abc<p>def', { options: { maxTextChars: 5 } }).text).toBe('abc\nd');
  });

  it('equal text has an equal hash whatever the markup; empty text has none', () => {
    const a = documentOf('<p>one two</p><p>three');
    const b = documentOf('<div>one   <i>two</i></div><div>three</div>');
    expect(a.contentHash).toMatch(/^[0-9a-f]{32}$/);
    expect(b.contentHash).toBe(a.contentHash);
    expect(documentOf('<p>one two</p><p>four').contentHash).not.toBe(a.contentHash);
    expect(documentOf('<p>').contentHash).toBe('');
  });

  it('counts words up to maxTokens', () => {
    expect(documentOf('<title>t</title><p>one the two').tokens).toBe(4);
    expect(documentOf('word '.repeat(100), { options: { maxTokens: 10 } }).tokens).toBe(10);
  });

  it('words of the title count three times more', () => {
    const { terms } = documentOf('<title>Frontiers</title><p>frontier crawler').features;
    expect(unpackCounts(terms!)).toEqual([
      ['frontier', 4],
      ['crawler', 1],
    ]);
  });

  it('builds only the requested spaces', () => {
    expect(Object.keys(documentOf('x').features)).toEqual(['terms']);
    expect(Object.keys(documentOf('x', { options: { spaces: ['pairs', 'anchors'] } }).features)).toEqual(['pairs']);
  });
});
