import { describe, expect, it } from 'vitest';
import { canonicalize } from '../../../src/core/index.ts';
import { cpuMsSince } from '../../support/cpu-time.ts';
import { analyzePage, documentOf } from '../pages.ts';

const feed = (xml: string, contentType = 'application/rss+xml') =>
  documentOf(xml, { url: canonicalize('http://a.test/blog/feed')!, headers: { contentType } });

const RSS = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:content="c" xmlns:atom="a"><channel>
<title>Rails &amp; trains</title><link>http://a.test/</link><atom:link href="http://a.test/blog/feed" rel="self"/>
<description>All about railways</description><language>en-GB</language>
<image><title>Logo</title><link>http://a.test/logo</link></image>
<item><title>Steam</title><link>/steam</link><guid>http://a.test/?p=1</guid>
<description><![CDATA[<p>Old engines. <a href="http://b.test/x">more</a>]]></description></item>
<item><title>Diesel</title><link>http://a.test/diesel</link><content:encoded>&lt;p&gt;Newer engines.&lt;/p&gt;</content:encoded></item>
</channel></rss>`;

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Bahn</title><link rel="alternate" href="http://a.test/"/>
<link rel="self" href="http://a.test/feed"/><link rel="next" href="?page=2"/>
<entry><title type="html">&lt;b&gt;Dampf&lt;/b&gt;</title><link href="dampf"/><link rel="enclosure" href="x.mp3"/><summary>Alte Loks.</summary></entry>
<entry><title>Diesel</title><link href="http://a.test/diesel"/><content type="xhtml"><div><p>Neue <b>Loks</b>.</p></div></content></entry></feed>`;

const RDF = `<rdf:RDF xmlns:rdf="r"><channel rdf:about="http://a.test/"><title>Rails</title><link>http://a.test/</link></channel>
<item rdf:about="http://a.test/1"><title>One</title><link>http://a.test/1</link><description>First</description></item></rdf:RDF>`;

describe('a feed', () => {
  it('RSS 2.0: text and titled links of the entries, and links in their text', () => {
    const document = feed(RSS);
    expect(document.title).toBe('Rails & trains');
    expect(document.language).toBe('en');
    expect(document.text).toContain('Old engines.');
    expect(document.text).toContain('Newer engines.');
    expect(document.text).not.toMatch(/<p>|Logo|CDATA/);
    expect(document.links.urls).toBe('http://a.test/\nhttp://a.test/steam\nhttp://b.test/x\nhttp://a.test/diesel');
    expect(document.links.anchors).toBe('Rails & trains\nSteam\nmore\nDiesel');
  });

  it('Atom: pages, the next part of the feed, no enclosures; titles without markup', () => {
    const document = feed(ATOM, 'application/atom+xml');
    expect(document.title).toBe('Bahn');
    expect(document.text).toContain('Alte Loks.');
    expect(document.text.replaceAll(/\s+/g, ' ')).toContain('Neue Loks');
    expect(document.links.urls).toBe(
      'http://a.test/\nhttp://a.test/blog/feed?page=2\nhttp://a.test/blog/dampf\nhttp://a.test/diesel',
    );
    expect(document.links.anchors.split('\n')[2]).toBe('Dampf');
  });

  it('Atom: the main link of an entry gets its title; other links are kept, too', () => {
    const { links } = feed(
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>Bahn</title><link rel="next" href="?page=2"/><link rel="prev-archive" href="2024.xml"/>
<link type="application/json" href="bahn.json"/><link rel="http://www.iana.org/assignments/relation/alternate" type="text/html" href="http://a.test/"/>
<entry><title>Dampf</title><link rel="via" href="http://b.test/"/><link rel="replies" href="talk"/><link href="dampf"/><content type="application/pdf" src="dampf.pdf"/></entry></feed>`,
      'application/atom+xml',
    );
    expect(links.urls.split('\n')).toEqual([
      'http://a.test/',
      'http://a.test/blog/feed?page=2',
      'http://a.test/blog/2024.xml',
      'http://a.test/blog/bahn.json',
      'http://a.test/blog/dampf',
      'http://b.test/',
      'http://a.test/blog/dampf.pdf',
    ]);
    expect(links.anchors.split('\n').filter((anchor) => anchor !== '')).toEqual(['Bahn', 'Dampf']);
  });

  it('RSS: finds the next part of the feed through an Atom link', () => {
    const { links } = feed(RSS.replace('rel="self"', 'rel="next"').replace('blog/feed', 'blog/feed?page=2'));
    expect(links.urls.split('\n').slice(0, 2)).toEqual(['http://a.test/', 'http://a.test/blog/feed?page=2']);
  });

  it('reads Atom with prefixed names', () => {
    const prefixed = ATOM.replaceAll(/<(\/?)(feed|entry|title|link|summary|content)\b/g, '<$1atom:$2');
    const document = feed(prefixed.replace('xmlns=', 'xmlns:atom='), 'application/atom+xml');
    expect(document).toMatchObject(feed(ATOM, 'application/atom+xml'));
    expect(document.links.urls).toContain('http://a.test/blog/dampf');
  });

  it('RSS 1.0', () => {
    expect(feed(RDF, 'application/rdf+xml').links.urls).toBe('http://a.test/\nhttp://a.test/1');
  });

  it.each([
    'rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/rss-0.91.dtd"',
    'rss [<!ENTITY nbsp "&#160;">]',
  ])('RSS 0.91 with its document type: %s', (type) => {
    const document = feed(RSS.replace('<rss', `<!DOCTYPE ${type}><rss`), 'text/xml');
    expect(document.links.anchors).toBe('Rails & trains\nSteam\nmore\nDiesel');
  });

  it('an aggregated feed: each entry has its own title and URL, not those of its source', () => {
    const document = feed(`<feed><title>Planet</title>
<entry><title>Steam</title><link href="http://b.test/steam"/><summary>Old engines.</summary>
<source><title>The blog of Ben</title><subtitle>Ben writes</subtitle><link href="http://b.test/"/></source></entry></feed>`);
    expect(document.links).toMatchObject({ urls: 'http://b.test/steam', anchors: 'Steam' });
    expect(document.text).toBe('Planet\nSteam\nOld engines.');
  });

  it('resolves relative URLs against xml:base, and otherwise against the URL of the feed', () => {
    const document = feed(`<feed xml:base="http://b.test/ben/"><title>Planet</title>
<entry xml:base="2003/"><title>Steam</title><link href="steam"/><summary>&lt;a href="old">older&lt;/a></summary></entry>
<entry><title>Diesel</title><link href="diesel"/><content type="xhtml" xml:base="http://c.test/x/"><div><a href="y">newer</a></div></content>
</entry></feed>`);
    expect(document.links.urls.split('\n')).toEqual([
      ...['http://b.test/ben/2003/steam', 'http://b.test/ben/2003/old'],
      ...['http://b.test/ben/diesel', 'http://c.test/x/y'],
    ]);
  });

  it('Atom with inline markup: words stay whole, links and escaped markup are kept', () => {
    const document = feed(`<feed><title type="xhtml"><div><b>Rail</b>ways</div></title>
<entry><title>E</title><content type="xhtml"><div>An <b>en</b>gine, <a href="/x">more</a>, &lt;br&gt;</div></content></entry></feed>`);
    expect(document.title).toBe('Railways');
    expect(document.text).toContain('An engine, more, <br>');
    expect(document.links).toMatchObject({ urls: 'http://a.test/x', anchors: 'more' });
  });

  it('uses the permanent identifier of an RSS entry without a link as its URL', () => {
    const document = feed(`<rss><channel><title>Rails</title>
<item><title>Steam</title><guid>http://b.test/1</guid></item><item><title>Diesel</title><guid isPermaLink="false">http://b.test/2</guid></item>
<item><title>Power</title><guid>tag:b.test,3</guid></item>
<item><guid>http://b.test/?p=4</guid><title>Gas</title><link>http://b.test/gas</link></item></channel></rss>`);
    expect(document.links).toMatchObject({ urls: 'http://b.test/1\nhttp://b.test/gas', anchors: 'Steam\nGas' });
  });

  it('decodes titles that are escaped twice', () => {
    expect(feed('<rss><channel><title><![CDATA[Rails &amp; trains]]></title></channel></rss>').title).toBe(
      'Rails & trains',
    );
  });

  it.each(['text/xml', 'application/xml', 'text/html', 'text/plain', ''])(
    'is known by its first element, sent as "%s"',
    (type) => {
      expect(feed(RSS, type).links.urls).toContain('http://a.test/steam');
    },
  );

  it('reads UTF-8 whose XML declaration says UTF-16', () => {
    const xml = '<?xml version="1.0" encoding="utf-16"?><rss><channel><title>Größe</title></channel></rss>';
    const headers = { contentType: 'application/rss+xml' };
    expect(documentOf(xml, { headers }).title).toBe('Größe');
    expect(documentOf(Buffer.from(`\ufeff${xml}`, 'utf16le'), { headers }).title).toBe('Größe');
  });

  it('reads another encoding that its XML declaration names', () => {
    const xml = '<?xml version="1.0" encoding="windows-1251"?><rss><channel><title>';
    const body = Buffer.concat([
      Buffer.from(xml),
      Buffer.from([0xcc, 0xee, 0xf1]),
      Buffer.from('</title></channel></rss>'),
    ]);
    expect(documentOf(body, { headers: { contentType: 'text/xml' } }).title).toBe('Мос');
  });

  it('cannot insert markup outside its entries', () => {
    const trap = '<base href="http://evil.test/"><meta name="robots" content="noindex"><script>/*<!--';
    const document = feed(RSS.replace('Old engines.', `${trap.replaceAll(']]>', '')} Old`));
    expect(document.noindex).toBe(false);
    expect(document.links.urls).toContain('http://a.test/steam\n');
    expect(document.text).toContain('Newer engines.');
  });

  it('reads a "billion laughs" feed quickly', () => {
    const entities = Array.from({ length: 30 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    const before = process.cpuUsage();
    const document = feed(
      `<!DOCTYPE rss [<!ENTITY l0 "ha">${entities}]><rss><channel><title>&l30;</title></channel></rss>`,
    );
    expect(document.title.length).toBeLessThan(100);
    expect(cpuMsSince(before)).toBeLessThan(1000);
  });

  it('reads endless nesting and endless entries quickly', () => {
    const before = process.cpuUsage();
    feed(`<rss>${'<a>'.repeat(300_000)}`);
    const many = feed(`<rss><channel>${'<item><title>t</title><link>/x</link></item>'.repeat(20_000)}</channel></rss>`);
    expect(many.links.size).toBeLessThanOrEqual(500);
    expect(cpuMsSince(before)).toBeLessThan(5000);
  });
});

describe('a JSON Feed', () => {
  const items = [
    {
      id: '1',
      url: 'http://a.test/steam',
      title: 'Steam & smoke',
      content_html: '<p>Old engines. <a href="more">more</a>',
    },
    {
      id: 'http://a.test/diesel',
      external_url: 'http://b.test/d',
      title: 'Diesel',
      content_text: 'Newer <engines>.\n\nAnd oil.',
    },
    { id: '3', url: '/short', summary: 'A note.' },
    null,
  ];
  const json = {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Trains',
    home_page_url: 'http://a.test/',
    feed_url: 'http://a.test/feed.json',
  };
  const feedOf = (value: object, contentType = 'application/feed+json') => feed(JSON.stringify(value), contentType);

  it('has the texts of its entries, and their titled links', () => {
    const document = feedOf({
      ...json,
      language: 'en-GB',
      next_url: '?page=2',
      description: 'All about railways',
      items,
    });
    expect(document).toMatchObject({ title: 'Trains', language: 'en' });
    for (const part of [
      'All about railways',
      'Steam & smoke',
      'Old engines.',
      'Newer <engines>.',
      'And oil.',
      'A note.',
    ])
      expect(document.text).toContain(part);
    expect(document.links.urls.split('\n')).toEqual([
      'http://a.test/',
      'http://a.test/blog/feed?page=2',
      'http://a.test/steam',
      'http://a.test/blog/more',
      'http://a.test/diesel',
      'http://b.test/d',
      'http://a.test/short',
    ]);
    expect(document.links.anchors.split('\n')[2]).toBe('Steam & smoke');
  });

  it('ignores an entry number that is not a URL', () => {
    const entry = { id: '7', external_url: 'http://b.test/seven', title: 'Seven' };
    const document = feed(JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', items: [entry] }));
    expect(document.links).toMatchObject({ urls: 'http://b.test/seven', anchors: 'Seven' });
  });

  it('has each word once, and the words around a link', () => {
    const item = {
      url: '/1',
      title: 'Hubs',
      content_html: '<p>They point to <a href="/good">many good</a> pages. <a href="/x"><img></a>',
    };
    const document = feedOf({ ...json, items: [item] });
    expect(document.text.match(/many good/g)).toHaveLength(1);
    const at = document.links.urls.split('\n').indexOf('http://a.test/good');
    expect(document.links.contexts.split('\n')[at]).toMatch(/They point to … pages\./);
    expect(document.links.urls).toContain('http://a.test/x');
  });

  it('is recognised by its version, also with escaped slashes; other data are not', () => {
    const escaped = JSON.stringify(json).replaceAll('/', '\\/');
    expect(feed(escaped, 'application/json').title).toBe('Trains');
    for (const other of [
      '{"version": "https://example.org/1"}',
      `{"of": "${json.version}"}`,
      '{"version":"https://jsonfeed.org/version/1"',
      '[]',
    ])
      expect(analyzePage(other, { headers: { contentType: 'application/json' } })).toMatchObject({ reason: 'type' });
  });

  it('accepts empty entries, and reads at most 500 entries', () => {
    const many = Array.from({ length: 600 }, (_, n) => ({ id: n, title: `Entry ${n}.` }));
    const { text } = feedOf({ ...json, items: [{}, [], 5, ...many] });
    expect(text).toContain('Entry 400.');
    expect(text).not.toContain('Entry 500.');
    expect(feedOf({ ...json, title: 7, items: 'none' }).title).toBe('');
  });
});

describe('vocabularies of a feed', () => {
  it.each(['rss', 'r', 'x1'])('RSS 1.0 with the prefix %s', (p) => {
    const xml = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:${p}="http://purl.org/rss/1.0/"><${p}:channel><${p}:title>News</${p}:title></${p}:channel><${p}:item><${p}:title>Gears</${p}:title><${p}:link>http://a.test/g</${p}:link><${p}:description>They turn.</${p}:description></${p}:item></rdf:RDF>`;
    const { text, links } = feed(xml);
    expect(text).toContain('They turn.');
    expect(links.urls).toContain('http://a.test/g');
  });

  it.each(['media', 'm'])('reads media:description once under the prefix %s', (p) => {
    const item = (inner: string): string =>
      `<item><title>T</title>${inner}<${p}:group><${p}:description>Old engines run.</${p}:description></${p}:group></item>`;
    const xml = (inner: string): string =>
      `<rss xmlns:${p}="http://search.yahoo.com/mrss/"><channel>${item(inner)}</channel></rss>`;
    expect(feed(xml('')).text).toContain('Old engines run.');
    expect(feed(xml('<description>Old engines run.</description>')).text.match(/Old engines/g)).toHaveLength(1);
    expect(feed(xml('<description>New ones.</description>')).text).toContain('New ones.\nOld engines run.');
  });

  it('decodes content in base64', () => {
    const content = Buffer.from('<p>Räder und <a href="/x">mehr</a></p>').toString('base64');
    const xml = `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><entry><title>T</title><content type="text/html" mode="base64">\n${content.slice(0, 20)}\n${content.slice(20)}</content></entry></feed>`;
    const { text, links } = feed(xml);
    expect(text).toContain('Räder und mehr');
    expect(links.urls).toContain('http://a.test/x');
  });
});
