import { sniffEncoding } from '../../../src/analyze/encoding/charset.ts';
import type { FuzzTarget } from '../fuzz.ts';
import { checkPage, must, samples, words } from './checks.ts';

export const HTML = `<!doctype html><html lang=en><head><title>A title</title><base href="/b/"><meta name=robots content="nofollow">
<meta http-equiv=refresh content="0;url=/next"><link rel=canonical href=/c></head><body><nav><ul><li><a href=/1>one</a></ul></nav>
<p>Some text &amp; more &nbsp;<a href="x?a=1&b=2" rel=nofollow>link</a><img alt=pic><table><tr><td>cell</table><iframe src=/f></iframe>
<svg><title>t</title></svg><script>var x = "<a href=/no>"</script><map><area href=/area></map></body></html>`;
const HTML_WORDS =
  '<a␣href= <p> </p> <div␣class=nav> </div> <table> <td> <svg> </svg> <title> <script> </script> <!-- --> <![CDATA[ ]]> <base␣href= <meta␣ &#xD800; &#0; &amp &nbsp; " \' > < = http:// javascript: \u202e <frame␣src= <template> <h1> <iframe␣data-src= rel=nofollow <noscript> </noscript> <template␣shadowrootmode=open> <button> <object␣data= <site-nav> </site-nav> <div␣id=menu> <script␣type=application/ld+json>{"text":"x"} <a␣href=#x> <iframe␣srcdoc="<p>x <script␣type=application/json>[{"body":1},"x"] <div␣data-page="{&quot;';
/** Shows no text, so that the fuzzer reaches the data for scripts. */
const STATE = `<title>App</title><div id=root></div><script type=application/json>{"page":{"body":"${'Words that are read, one by one. '.repeat(9)}"}}</script>
<script>window.__STATE__ = [{"text":1},{"content":[{"value":"x"}]}];</script><div data-page="{&quot;html&quot;:&quot;<b>x&quot;}"></div>`;

const FEED = `<?xml version="1.0"?><rss><channel><title>T</title><link>http://a.test/</link><item><title>One</title><link>/1</link>
<description><![CDATA[<p>text <a href=/x>x</a>]]></description></item></channel></rss>`;
const JSON_FEED =
  '{"version":"https://jsonfeed.org/version/1.1","title":"Trains","items":[{"id":"1","url":"/a","content_html":"<p>Old <a href=b>one</a>"},{"id":2,"title":"B","content_text":"New"}]}';
const SITEMAP = `<?xml version="1.0"?><urlset><url><loc>http://a.test/1</loc></url><url><loc>/2</loc></url></urlset>`;
const XML_WORDS =
  '<![CDATA[ ]]> <!-- --> <?xml <!DOCTYPE␣a␣[ <!ENTITY␣a␣"b"> &a; </ /> <item> </item> <link> <loc> </loc> <url> <sitemap> <sitemapindex> <feed> <content␣type="xhtml"> <entry> xmlns:a="b" "';

/** Parsers of pages. */
export const PAGES: readonly FuzzTarget[] = [
  {
    name: 'html',
    samples: samples(HTML, STATE),
    words: words(HTML_WORDS),
    check: (input) => checkPage(input, 'text/html'),
  },
  {
    name: 'xhtml',
    samples: samples(HTML),
    words: words(HTML_WORDS),
    check: (input) => checkPage(input, 'application/xhtml+xml'),
  },
  {
    name: 'text',
    samples: samples('A title\n\nSee http://a.test/x and (www.b.test).\n\n* item\n'),
    words: words('http:// https://x ( ) [x](/y) # ␤ ␤␤ <b> \u2028 * _ ```'),
    check: (input) => checkPage(input, 'text/plain'),
  },
  {
    name: 'markdown',
    samples: samples('# Title\n\nText [link](/x "t") ![alt](/i.png) `code`\n\n- item <http://b.test/>\n'),
    words: words('[ ]( ) ![ # ␤ ``` <http:// > * _ \\ | --- [x]:␣/y'),
    check: (input) => checkPage(input, 'text/markdown'),
  },
  {
    name: 'feed',
    samples: samples(FEED, FEED.replaceAll('item', 'entry').replaceAll('rss', 'feed')),
    words: words(XML_WORDS),
    check: (input) => checkPage(input, 'text/xml'),
  },
  {
    name: 'json-feed',
    samples: samples(JSON_FEED),
    words: words(
      '{ } [ ] , : " \\u0000 null "title" "items" "url" "content_html" "content_text" "version" <p> <a␣href="x">',
    ),
    check: (input) => checkPage(input, 'application/feed+json'),
  },
  {
    name: 'sitemap',
    samples: samples(SITEMAP, SITEMAP.replaceAll('urlset', 'sitemapindex')),
    words: words(XML_WORDS),
    check: (input) => checkPage(input, 'application/xml'),
  },
  {
    name: 'encoding',
    samples: [
      Buffer.from(HTML),
      Buffer.from(HTML, 'utf16le'),
      Buffer.from([0xff, 0xfe, 65, 0]),
      Buffer.from('日本語', 'utf8'),
    ],
    words: words(
      '<meta␣charset= utf-8 utf-16le shift_jis iso-2022-jp x-user-defined gb18030 \x1b$B \x1b(B \xef\xbb\xbf \xfe\xff',
    ),
    check: (input) => {
      const label = input.subarray(0, 12).toString('latin1');
      must(/^[a-z0-9_-]+$/.test(sniffEncoding(input, label, true).encoding), 'an encoding without a name');
      checkPage(input, 'text/html', label);
    },
  },
];
