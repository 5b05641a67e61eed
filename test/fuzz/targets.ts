import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { sniffEncoding } from '../../src/analyze/charset.ts';
import { convertToPage } from '../../src/analyze/convert/convert.ts';
import { isUnusable } from '../../src/analyze/index.ts';
import { readRefresh, robotsDirectives } from '../../src/analyze/page-meta.ts';
import { parseBookmarks } from '../../src/cli/sources/bookmarks.ts';
import { parseOpml } from '../../src/cli/sources/opml.ts';
import { parseUrlList } from '../../src/cli/sources/url-list.ts';
import { parseWorkspace } from '../../src/cli/workspace/workspace.ts';
import { archiveOfMember, BingoError, canonicalize, hostOf, memberUrl, unpackLinks } from '../../src/core/index.ts';
import { judgeByRobots, parseRobotsTxt, robotsGroup } from '../../src/crawl/index.ts';
import { decodeBody } from '../../src/crawl/net/content-coding.ts';
import { CookieJar } from '../../src/crawl/net/cookie-jar.ts';
import { isUsableType, parseMediaType } from '../../src/crawl/net/media-type.ts';
import { readAnswerHead } from '../../src/crawl/net/old-answer.ts';
import { parseRetryAfter } from '../../src/crawl/net/retry-after.ts';
import { WarcFile } from '../../src/crawl/warc/warc-file.ts';
import { parseHttpResponse } from '../../src/lab/http-message.ts';
import { readWarc } from '../../src/lab/index.ts';
import { docOf, docxOf, odtOf, pdfOf, pptOf, pptxOf, zipOf } from '../analyze/office-files.ts';
import { analyzePage } from '../analyze/pages.ts';
import { gzippedWarc, plainWarc } from '../lab/support/warc-writer.ts';
import type { FuzzTarget } from './fuzz.ts';

/** Says what does not hold. */
function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

const samples = (...texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text));
const words = (text: string): string[] =>
  text.split(' ').map((word) => word.replaceAll('␣', ' ').replaceAll('␤', '\r\n'));
/** Control characters and marks that turn text around have no place in what is shown. */
const UNSHOWABLE = /[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

function checkPage(body: Uint8Array, contentType: string, charset = ''): void {
  const options = { maxLinksPerPage: 50, maxTextChars: 5_000, maxTokens: 500 };
  const result = analyzePage(body, { headers: { contentType, charset }, options });
  if (isUnusable(result)) return;
  for (const { url } of unpackLinks(result.links)) must(canonicalize(url) === url, `link ${url} is not canonical`);
  must(result.links.size <= options.maxLinksPerPage, 'too many links');
  must(result.text.length <= options.maxTextChars, 'too much text');
  must(
    result.canonical === '' || canonicalize(result.canonical) === result.canonical,
    'canonical link is not canonical',
  );
  for (const text of [result.title, result.text, result.links.anchors, result.links.contexts]) {
    must(text.isWellFormed(), 'text is not well formed');
    must(!UNSHOWABLE.test(text), 'text holds control characters');
  }
  must(!result.title.includes('\n'), 'a title of several lines');
}

const LIMITS = { maxPdfPages: 20, maxHtmlChars: 200_000, maxInflatedBytes: 4_000_000, maxMembers: 50 };

/** Any error is an answer: in the product the converter lives in a process of its own that may fail. */
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

const OFFICE = join(import.meta.dirname, '../analyze/office');
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

const DOCUMENTS: readonly FuzzTarget[] = [
  converted(
    'pdf',
    [pdfOf('t', ['some text', 'and more'], 'http://b.test/')],
    'obj endobj stream endstream xref trailer /Length 9999999 << >> [ ] /Kids /Type␣/Page R 0 -1',
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
  converted('zip', [zipOf({ 'a.html': '<p>x', 'b.txt': 'text', 'in.zip': zipOf({ 'c.txt': 'deep' }) })], ZIP_WORDS),
  converted(
    'gz',
    [gzipSync('<p>page'), gzipSync('<urlset><url><loc>/a</loc></url></urlset>')],
    '\x1f\x8b\x08 \x00 \xff',
  ),
];

const HTML = `<!doctype html><html lang=en><head><title>A title</title><base href="/b/"><meta name=robots content="nofollow">
<meta http-equiv=refresh content="0;url=/next"><link rel=canonical href=/c></head><body><nav><ul><li><a href=/1>one</a></ul></nav>
<p>Some text &amp; more &nbsp;<a href="x?a=1&b=2" rel=nofollow>link</a><img alt=pic><table><tr><td>cell</table><iframe src=/f></iframe>
<svg><title>t</title></svg><script>var x = "<a href=/no>"</script><map><area href=/area></map></body></html>`;
const HTML_WORDS =
  '<a␣href= <p> </p> <div␣class=nav> </div> <table> <td> <svg> </svg> <title> <script> </script> <!-- --> <![CDATA[ ]]> <base␣href= <meta␣ &#xD800; &#0; &amp &nbsp; " \' > < = http:// javascript: \u202e <frame␣src= <template> <h1> <iframe␣data-src= rel=nofollow';

const FEED = `<?xml version="1.0"?><rss><channel><title>T</title><link>http://a.test/</link><item><title>One</title><link>/1</link>
<description><![CDATA[<p>text <a href=/x>x</a>]]></description></item></channel></rss>`;
const SITEMAP = `<?xml version="1.0"?><urlset><url><loc>http://a.test/1</loc></url><url><loc>/2</loc></url></urlset>`;
const XML_WORDS =
  '<![CDATA[ ]]> <!-- --> <?xml <!DOCTYPE␣a␣[ <!ENTITY␣a␣"b"> &a; </ /> <item> </item> <link> <loc> </loc> <url> <sitemap> <sitemapindex> <feed> <content␣type="xhtml"> <entry> xmlns:a="b" "';

const PAGES: readonly FuzzTarget[] = [
  { name: 'html', samples: samples(HTML), words: words(HTML_WORDS), check: (input) => checkPage(input, 'text/html') },
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

const ROBOTS = `User-agent: *\nDisallow: /private\nAllow: /private/open$\nCrawl-delay: 2\nSitemap: http://a.test/s.xml\n\nUser-agent: bingo-crawler\nDisallow: /*.pdf$\n`;
const HEADERS =
  'text/html; charset="utf-8"\n120\nFri, 31 Dec 1999 23:59:59 GMT\nnoindex, nofollow\n5; url=/x\na=b; Path=/; Domain=a.test; Max-Age=3\ngzip, br\n';

const TEXTS: readonly FuzzTarget[] = [
  {
    name: 'url',
    samples: samples(
      'http://User:pw@Example.COM:80/a/../b/%7Ec;jsessionid=1?utm_source=x&b=2#f',
      '//b.test/x',
      '../y?z',
      'http://[::1]:8080/',
      'http://a.test/p.zip!/x/y.html',
    ),
    words: words(
      'http:// https:// // / ../ ./ %2e %2F %zz ? & = # ; @ : [ ] \\ .zip!/ !/ jsessionid= utm_source= ;sid= (S(abcdefghijklmnop)) xn-- 。 ␣ ␤ \u202e 0x7f.1 ..',
    ),
    check: (input) => {
      const text = input.toString('utf8').slice(0, 5_000);
      for (const base of [undefined, 'http://base.test/dir/page?q']) {
        const url = canonicalize(text, base);
        if (url === undefined) continue;
        must(canonicalize(url) === url, `${url} is not stable`);
        const parsed = new URL(url);
        must(
          /^https?:$/.test(parsed.protocol) && parsed.hash === '' && parsed.username === '',
          `${url} is no plain URL`,
        );
        must(hostOf(url) === parsed.host, `host of ${url}`);
        must(!UNSHOWABLE.test(url) && !/\s/.test(url), 'unshowable');
        const archive = archiveOfMember(url);
        must(archive === undefined || canonicalize(archive) === archive, `archive of ${url}`);
        const member = memberUrl(url, text.slice(0, 50));
        must(member === undefined || canonicalize(member) === member, `member of ${url}`);
      }
    },
  },
  {
    name: 'robots',
    samples: samples(ROBOTS),
    words: words(
      'User-agent: Disallow: Allow: * $ / /* ** %2F %zz # : Crawl-delay: 1e9 -1 Sitemap: ␤ \ufeff bingo-crawler',
    ),
    check: (input) => {
      const robots = parseRobotsTxt(input);
      const delay = robotsGroup(robots, 'bingo-crawler')?.crawlDelayMs ?? 0;
      must(delay >= 0 && !Number.isNaN(delay), `a delay of ${delay}`);
      const long = `/${'a'.repeat(900)}`;
      for (const path of ['/', '/private/x?y', '/%7Ea/b.pdf', long])
        must(typeof judgeByRobots(robots, 'bingo-crawler', path).allowed === 'boolean', 'no verdict');
    },
  },
  {
    name: 'headers',
    samples: samples(HEADERS, ...HEADERS.split('\n')),
    words: words(
      '; = " , / charset= Max-Age= Expires= Domain= Path= Secure 99999999999999999999 Jan 1970 GMT noindex: none unavailable_after: url= \'␤ \0',
    ),
    check: async (input) => {
      for (const line of input.toString('latin1').split('\n').slice(0, 20)) {
        const { type, charset } = parseMediaType(line);
        must(type === type.toLowerCase() && typeof charset === 'string', 'media type');
        must(typeof isUsableType(type, line) === 'boolean', 'usable');
        const wait = parseRetryAfter(line, 1e12);
        must(wait === undefined || (wait >= 0 && wait <= 7 * 24 * 3600 * 1000), `a pause of ${wait}`);
        robotsDirectives(line);
        readRefresh(line);
        const jar = new CookieJar(() => 1e12);
        jar.store(canonicalize('http://www.a.test/dir/x')!, [line, line]);
        const sent = jar.header(canonicalize('http://www.a.test/dir/y')!);
        must(!/[\r\n\0]/.test(sent), 'a cookie with line breaks');
        await decodeBody(Buffer.from(line, 'latin1'), line.slice(0, 50), 10_000);
      }
    },
  },
  {
    name: 'answer-head',
    samples: samples(
      'HTTP/1.1 200 OK\nContent-Type: text/html;\n\tcharset=utf-8\nContent-Length: 10, 10\nX : y',
      'HTTP/1.0 302\r\nLocation: /x\r\nno field\r\nTransfer-Encoding: identity\r\nContent-Length: a',
    ),
    words: words('HTTP/1.1 200 ␤ ␤␣ : , Content-Length: Transfer-Encoding: chunked 18446744073709551616 -1'),
    check: (input) => {
      const head = readAnswerHead(input.toString('latin1'));
      if (head === undefined) return;
      must(head.fields.length % 2 === 0, 'a name without a value');
      must(!/[\r\n\0]/.test(head.fields.join('')), 'a field with line breaks');
      must(head.length === undefined || head.length >= 0, `a length of ${head.length}`);
    },
  },
  {
    name: 'coding',
    samples: [gzipSync(HTML), brotliCompressSync(HTML), gzipSync(gzipSync(HTML))],
    words: words('\x1f\x8b\x08 \x00\x00 \xff\xff \x28\xb5\x2f\xfd'),
    check: async (input) => {
      for (const coding of ['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip']) {
        const decoded = await decodeBody(input, coding, 50_000);
        must(decoded.kind !== 'decoded' || decoded.body.length <= 50_000, 'more than the limit');
      }
    },
  },
  {
    name: 'bookmarks',
    samples: samples(
      '<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p><DT><H3>Folder</H3><DL><p><DT><A HREF="http://a.test/">a</A></DL><p></DL>',
    ),
    words: words('<DL> </DL> <DT> <H3> </H3> <A␣HREF=" </A> <p> &amp; " http:// place:x <DD>'),
    check: (input) => answers(() => parseBookmarks(input.toString('utf8'))),
  },
  {
    name: 'opml',
    samples: samples(
      '<opml><body><outline text="F"><outline text="a" htmlUrl="http://a.test/" xmlUrl="http://a.test/f"/></outline></body></opml>',
    ),
    words: words('<outline␣text=" </outline> /> xmlUrl=" htmlUrl=" <body> &amp; <!-- <![CDATA['),
    check: (input) => answers(() => parseOpml(input.toString('utf8'))),
  },
  {
    name: 'url-list',
    samples: samples('http://a.test/\nhttp://b.test/\tscience/physics\n# comment\n\n'),
    words: words('http:// \t ␤ # / // \ufeff \u202e'),
    check: (input) => answers(() => parseUrlList(input.toString('utf8'), 'list.txt', 'topic')),
  },
  {
    name: 'bingo.yaml',
    share: 0.2,
    maxMs: 5_000,
    samples: samples(
      'topics:\n  - name: cycling\n    examples: [https://a.test/, {file: x.txt}]\n    seeds: [https://b.test/]\n    topics:\n      - name: sub\n        query: words here\nothers: [https://c.test/]\nnetwork: {delayMs: 1s, maxBodyBytes: 8MiB}\ncrawl: {budget: 10}\n',
    ),
    words: words(
      'topics: others: - name: : [ ] { } & * &a *a !!js/function <<: | > " \' ␤␣␣ 1e999 .nan null true ~ budget: -1 delayMs: examples: ? % @ `',
    ),
    check: (input) => answers(() => parseWorkspace(input.toString('utf8'), 'bingo.yaml', '/nowhere')),
  },
  {
    name: 'http',
    samples: samples(
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    ),
    words: words('HTTP/1.1 ␤ ␤␤ chunked Content-Encoding:␣gzip 0␤␤ ffffffff : ␣folded'),
    check: (input) => {
      const found = parseHttpResponse(input);
      must(found === undefined || (found.status >= 0 && found.body.length <= 100 * MAX), 'an odd response');
    },
  },
];
const MAX = 64 * 1024;

/** Mistakes of a person are told as such; anything else is ours. */
function answers(parse: () => unknown): void {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof BingoError)) throw error;
  }
}

const WARC_PAGES = ['a', 'b', 'c'].map((name) => ({ url: `http://x.test/${name}`, body: `page ${name}` }));
const WARC_INFO = { software: 's', userAgent: 'u', contact: '', obeysRobots: true };

/** What is written behind a damaged file can be read. */
async function checkWarc(input: Buffer, ending: string): Promise<void> {
  const path = join(tmpdir(), `bingo-fuzz-${process.pid}-${Math.random().toString(36).slice(2)}${ending}`);
  try {
    writeFileSync(path, input);
    let end = 0;
    for await (const { offset } of damagedWarc(path)) {
      must(offset >= end && offset <= input.length, 'records out of order');
      end = offset;
    }
    const file = answered(() => new WarcFile(path, WARC_INFO, 0));
    if (file === undefined) return;
    const url = canonicalize('http://x.test/last')!;
    file.write({
      url,
      fetchedAt: 0,
      address: '',
      requestFields: [],
      status: 200,
      responseFields: [],
      body: Buffer.from('x'),
      cut: false,
    });
    file.close();
    let last = '';
    for await (const record of damagedWarc(path)) if (record.type === 'response') last = record.url;
    must(last === url, 'what was written last is not there');
  } finally {
    rmSync(path, { force: true });
  }
}

async function* damagedWarc(path: string): ReturnType<typeof readWarc> {
  try {
    yield* readWarc(path, { onDamage: () => {} });
  } catch (error) {
    if (!(error instanceof BingoError)) throw error;
  }
}

function answered<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof BingoError) return undefined;
    throw error;
  }
}

const WARC_WORDS = 'WARC/1.1 WARC/1.0 ␤ ␤␤ Content-Length: 0 99999999 -1 WARC-Type:␣response \x1f\x8b\x08';
const WARCS: readonly FuzzTarget[] = [
  {
    name: 'warc',
    samples: [plainWarc(WARC_PAGES)],
    words: words(WARC_WORDS),
    share: 0.1,
    maxMs: 5_000,
    check: (input) => checkWarc(input, '.warc'),
  },
  {
    name: 'warc.gz',
    samples: [gzippedWarc(WARC_PAGES)],
    words: words(WARC_WORDS),
    share: 0.1,
    maxMs: 5_000,
    check: (input) => checkWarc(input, '.warc.gz'),
  },
];

/** Every parser of outside input. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [...TEXTS, ...PAGES, ...WARCS, ...DOCUMENTS];
