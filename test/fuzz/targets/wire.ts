import { brotliCompressSync, gzipSync } from 'node:zlib';
import { readRefresh, robotsDirectives } from '../../../src/analyze/html/page-meta.ts';
import { canonicalInHeader } from '../../../src/analyze/link-header.ts';
import { archiveOfMember, canonicalize, hostOf, memberUrl } from '../../../src/core/index.ts';
import { decodeBody } from '../../../src/core/web/content-coding.ts';
import { isUsableType, parseMediaType } from '../../../src/core/web/media-type.ts';
import { CookieJar } from '../../../src/fetch/cookie-jar.ts';
import { readAnswerHead } from '../../../src/fetch/old-response.ts';
import { parseRetryAfter } from '../../../src/fetch/retry-after.ts';
import { judgeByGroup, parseRobotsTxt, robotsGroup } from '../../../src/fetch/robots-txt.ts';
import { ChunkReader } from '../../../src/kit/chunk-reader.ts';
import { parseHttpResponse } from '../../../src/warc/http-message.ts';
import type { FuzzTarget } from '../fuzz.ts';
import { must, samples, UNSHOWABLE, words } from './checks.ts';
import { HTML } from './pages.ts';

const MAX = 64 * 1024;
const ROBOTS = `User-agent: *\nDisallow: /private\nAllow: /private/open$\nCrawl-delay: 2\nSitemap: http://a.test/s.xml\n\nUser-agent: bingo-crawler\nDisallow: /*.pdf$\n`;
const HEADERS =
  'text/html; charset="utf-8"\n120\nFri, 31 Dec 1999 23:59:59 GMT\nnoindex, nofollow\n5; url=/x\n</y>; title="; rel=next", </x>; rel="canonical"\na=b; Path=/; Domain=a.test; Max-Age=3\ngzip, br\n';

/** Parsers of addresses, robots.txt and server headers. */
export const WIRE: readonly FuzzTarget[] = [
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
        must(typeof judgeByGroup(robotsGroup(robots, 'bingo-crawler'), path).allowed === 'boolean', 'no verdict');
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
        must(line.includes(canonicalInHeader(line)), 'an original from nowhere');
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
    name: 'chunks',
    samples: samples('5;x=y\r\nhello\r\n6  \n world\n0\r\nX: y\r\n\r\n'),
    words: words('0 1 a F ffffffff 100000000 ; -1 ␤ \r\n hello'),
    check: (input) => {
      const whole = new ChunkReader().read(input);
      const bytewise = new ChunkReader();
      const pieces = Array.from(input, (_, i) => bytewise.read(input.subarray(i, i + 1)));
      if (whole === undefined) return;
      must(
        Buffer.concat(whole).equals(Buffer.concat(pieces.flatMap((piece) => piece ?? []))),
        'read otherwise in pieces',
      );
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
