import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canonicalize, DEFAULTS, type FetchOutcome } from '../../src/core/index.ts';
import { HttpFetcher } from '../../src/fetch/index.ts';
import { ArchiveFetcher, type FrozenServer, FrozenWeb, serveFrozenWeb } from '../../src/lab/index.ts';

/** The address requested and recorded by default. */
const ASKED = 'http://a.test/p';
const HTML = 'Content-Type: text/html; charset=utf-8';
const TEXT = '<!DOCTYPE html><title>Bees</title><p>Bees live in hives, and hives are full of bees.</p>';
const MAX_BODY_BYTES = 100_000;

/** One kind of recorded answer. */
interface Kind {
  /** The requested address. */
  readonly asked?: string;
  readonly records: readonly Buffer[];
}

function http(status: string, headers: readonly string[], body: string | Uint8Array = TEXT): Buffer {
  const head = [status.startsWith('HTTP') ? status : `HTTP/1.1 ${status}`, ...headers, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

function record(block: Buffer, fields: Readonly<Record<string, string>> = {}): Buffer {
  const all = {
    ...{ 'WARC-Type': 'response', 'WARC-Target-URI': ASKED, 'WARC-Date': '2026-01-02T03:04:05Z' },
    ...{ 'Content-Type': 'application/http; msgtype=response', ...fields, 'Content-Length': block.length },
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`WARC/1.0\r\n${lines.join('')}\r\n`, 'latin1'), block, Buffer.from('\r\n\r\n')]);
}

const page = (headers: readonly string[], body: string | Uint8Array = TEXT): Kind => ({
  records: [record(http('200 OK', headers, body))],
});
const status = (line: string, headers: readonly string[] = [HTML], body: string | Uint8Array = TEXT): Kind => ({
  records: [record(http(line, headers, body))],
});
const redirect = (location: string): Kind => status('302 Found', [`Location: ${location}`], '');
const marked = (
  fields: Readonly<Record<string, string>>,
  body: string | Uint8Array = TEXT,
  more: string[] = [],
): Kind => ({
  records: [record(http('200 OK', [HTML, ...more], body), fields)],
});
/** An answer and its request, in the format of crawlers. */
function exchange(method: string, body: string, number: number): Buffer[] {
  const [answer, asked] = [`<urn:uuid:a${number}>`, `<urn:uuid:q${number}>`];
  return [
    record(http('200 OK', [HTML], body), { 'WARC-Record-ID': answer, 'WARC-Concurrent-To': asked }),
    record(Buffer.from(`${method} /p HTTP/1.1\r\nHost: a.test\r\n\r\n`), {
      ...{ 'WARC-Type': 'request', 'WARC-Record-ID': asked, 'WARC-Concurrent-To': answer },
    }),
  ];
}

/** A page split into several records. */
function inSegments(count: number): Buffer[] {
  const whole = http('200 OK', [HTML]);
  const size = Math.ceil(whole.length / count);
  return Array.from({ length: count }, (_, i) =>
    record(whole.subarray(i * size, (i + 1) * size), {
      ...{ 'WARC-Record-ID': `<urn:uuid:s${i}>`, 'WARC-Segment-Number': `${i + 1}` },
      ...(i > 0 && { 'WARC-Type': 'continuation', 'WARC-Segment-Origin-ID': '<urn:uuid:s0>' }),
      ...(i > 0 && i === count - 1 && { 'WARC-Segment-Total-Length': `${whole.length}` }),
    }),
  );
}

const chunked = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

const KINDS: Readonly<Record<string, Kind>> = {
  'a page': page([HTML]),
  gzip: page([HTML, 'Content-Encoding: gzip'], gzipSync(TEXT)),
  'gzip without a label': page([HTML], gzipSync(TEXT)),
  'gzip twice': page([HTML, 'Content-Encoding: gzip'], gzipSync(gzipSync(TEXT))),
  'gzip as a file': page(['Content-Type: application/gzip'], gzipSync(TEXT)),
  'a label without gzip': page([HTML, 'Content-Encoding: gzip']),
  'gzip without an end': page([HTML, 'Content-Encoding: gzip'], gzipSync(TEXT.repeat(99)).subarray(0, 90)),
  'damaged gzip': page(
    [HTML, 'Content-Encoding: gzip'],
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 9]),
  ),
  br: page([HTML, 'Content-Encoding: br'], brotliCompressSync(TEXT)),
  deflate: page([HTML, 'Content-Encoding: deflate'], deflateSync(TEXT)),
  'raw deflate': page([HTML, 'Content-Encoding: deflate'], deflateRawSync(TEXT)),
  zstd: page([HTML, 'Content-Encoding: zstd'], zstdCompressSync(TEXT)),
  'an unknown coding': page([HTML, 'Content-Encoding: exi']),
  chunks: page([HTML, 'Transfer-Encoding: chunked'], chunked(TEXT)),
  'chunks without an end': page([HTML, 'Transfer-Encoding: chunked'], chunked(TEXT).slice(0, -5)),
  'chunks that are none': page([HTML, 'Transfer-Encoding: chunked']),
  'a wrong length': page([HTML, 'Content-Length: 7']),
  'a length beyond the end': page([HTML, 'Content-Length: 70000']),
  'cut by the connection': marked({ 'WARC-Truncated': 'disconnect' }),
  'cut by time': marked({ 'WARC-Truncated': 'time' }),
  'cut for its length': marked({ 'WARC-Truncated': 'length' }),
  'cut to nothing': marked({ 'WARC-Truncated': 'disconnect' }, ''),
  'cut to nothing, with a length': marked({ 'WARC-Truncated': 'disconnect' }, '', ['Content-Length: 700']),
  'cut to nothing for its length': marked({ 'WARC-Truncated': 'length' }, '', ['Content-Length: 900000']),
  'cut to nothing for an unknown length': marked({ 'WARC-Truncated': 'length' }, ''),
  'a cut redirect': { records: [record(http('301 Moved', ['Location: /q'], 'mo'), { 'WARC-Truncated': 'length' })] },
  'a cut error': {
    records: [record(http('404 No', [HTML, 'Content-Length: 100'], 'mo'), { 'WARC-Truncated': 'disconnect' })],
  },
  'a cut picture': {
    records: [
      record(http('200 OK', ['Content-Type: image/png', 'Content-Length: 100'], ''), { 'WARC-Truncated': 'length' }),
    ],
  },
  'a cut PDF': {
    records: [
      record(http('200 OK', ['Content-Type: application/pdf', 'Content-Length: 100'], '%PDF'), {
        'WARC-Truncated': 'disconnect',
      }),
    ],
  },
  'a redirect': redirect('http://b.test/q'),
  'a relative redirect': redirect('../q?a=b'),
  'a redirect to a fragment': redirect('#part'),
  'a redirect off the web': redirect('mailto:bees@a.test'),
  'a redirect to no address': redirect('http://'),
  'a redirect to itself': redirect(ASKED),
  'a redirect in Latin-1': redirect('/caf\xe9'),
  'a redirect in UTF-8': redirect('/caf\xc3\xa9'),
  'a permanent redirect': status('308 Permanent Redirect', ['Location: /q']),
  'a redirect to nowhere': status('302 Found'),
  'many choices': status('300 Many', [HTML, 'Location: /q']),
  created: status('201 Created', [HTML, 'Location: /q']),
  'no content': status('204 No Content', [], ''),
  'no content, with a body': status('204 No Content', [HTML], TEXT),
  'reset content': status('205 Reset Content', [], ''),
  'a part': status('206 Partial Content', [HTML, 'ETag: "1"', 'Content-Range: bytes 0-9/100']),
  'a part that is all': status('206 Partial Content', [
    HTML,
    'ETag: "1"',
    `Content-Range: bytes 0-${TEXT.length - 1}/${TEXT.length}`,
  ]),
  'a part of who knows what': status('206 Partial Content', [HTML, 'ETag: "1"']),
  'not modified': status('304 Not Modified', ['ETag: "1"'], ''),
  'not found': status('404 Not Found'),
  'gone, without a body': status('410 Gone', [], ''),
  'too many requests': status('429 Too Many', [HTML, 'Retry-After: 3']),
  'a password for a proxy': status('407 Proxy Authentication Required', [HTML, 'Proxy-Authenticate: Basic']),
  'an error': status('500 Error'),
  'a strange status': status('999 Request denied'),
  'a status below 100': status('099 What'),
  'an answer announced': {
    records: [record(Buffer.concat([http('103 Early', ['Link: </x>'], ''), http('200 OK', [HTML])]))],
  },
  'HTTP/2': status('HTTP/2 200'),
  'HTTP/1.0 with bare line feeds': { records: [record(Buffer.from(`HTTP/1.0 200 OK\n${HTML}\n\n${TEXT}`))] },
  ICY: status('ICY 200 OK'),
  'nothing at all': { records: [record(Buffer.alloc(0))] },
  'a body alone': { records: [record(Buffer.from(TEXT))] },
  'an empty page': page([HTML], ''),
  'no media type': page([]),
  'two media types': page(['Content-Type: text/plain', HTML]),
  'an odd charset': page(
    ['Content-Type: text/html; charset="ISO-8859-1"; charset=x'],
    Buffer.from('caf\xe9', 'latin1'),
  ),
  'a broken media type': page(['Content-Type: text/html;;charset']),
  'a picture': page(['Content-Type: image/png']),
  'an attachment': page([
    'Content-Type: application/octet-stream',
    'Content-Disposition: attachment; filename="bees.pdf"',
  ]),
  'headers in Latin-1': page([HTML, 'X-Title: caf\xe9', 'Content-Language: \xe9']),
  'headers twice': page([HTML, 'ETag: "1"', 'ETag: "2"', 'X-Robots-Tag: noindex', 'X-Robots-Tag: bot: nofollow']),
  'links in UTF-8': page([HTML, 'Link: </caf\xc3\xa9>; rel=canonical', 'Link: </x>; rel=next']),
  'a folded header': page([HTML, 'X-Robots-Tag: noindex,\r\n  nofollow']),
  'names that are none': page([HTML, 'Bad Name: x', 'X\x01: y', ': z', 'no colon']),
  'control characters in a value': page([HTML, 'X-A: a\x01b', 'Content-Language: e\x00n']),
  'a refresh': page([HTML, 'Refresh: 0; url=/q']),
  'a cookie': page([HTML, 'Set-Cookie: a=b', 'Set-Cookie: c=d']),
  'a cookie and a redirect to itself': status('302 Found', [`Location: ${ASKED}`, 'Set-Cookie: a=b'], ''),
  'an upgrade': page([HTML, 'Upgrade: h2c', 'Connection: Upgrade, close', 'Trailer: X', 'Keep-Alive: 5']),
  'as long as a page may be': page([HTML], 'x'.repeat(MAX_BODY_BYTES)),
  'too long a page': page([HTML], 'x'.repeat(MAX_BODY_BYTES + 1)),
  'unpacks to too long a page': page([HTML, 'Content-Encoding: gzip'], gzipSync('x'.repeat(MAX_BODY_BYTES + 1))),
  'unpacks to too long a page, without a label': page([HTML], gzipSync('x'.repeat(MAX_BODY_BYTES + 1))),
  'a resource': {
    records: [record(Buffer.from(TEXT), { 'WARC-Type': 'resource', 'Content-Type': 'text/html; charset=utf-8' })],
  },
  'a resource without a type': {
    records: [record(Buffer.from(TEXT), { 'WARC-Type': 'resource', 'Content-Type': '' })],
  },
  'an address in angle brackets': marked({ 'WARC-Target-URI': `<${ASKED}>` }),
  'an address with a fragment': marked({ 'WARC-Target-URI': `${ASKED}#x` }),
  'an address with escapes': {
    asked: 'http://a.test/%C3%A9',
    ...marked({ 'WARC-Target-URI': 'http://A.test:80/%c3%a9' }),
  },
  'an address with a port': { asked: 'http://a.test:8080/p', ...marked({ 'WARC-Target-URI': 'http://a.test:8080/p' }) },
  'an address with another port': { asked: 'http://a.test:8080/p', ...page([HTML]) },
  'http and https': {
    records: ['http', 'https'].map((scheme) =>
      record(http('200 OK', [HTML], scheme), { 'WARC-Target-URI': `${scheme}://a.test/p` }),
    ),
  },
  'a repeat': {
    records: [
      record(http('200 OK', [HTML]), { 'WARC-Target-URI': 'http://a.test/first' }),
      record(http('200 OK', [HTML, 'ETag: "2"'], ''), {
        ...{
          'WARC-Type': 'revisit',
          'WARC-Refers-To-Target-URI': 'http://a.test/first',
          'WARC-Refers-To-Date': '2026-01-02T03:04:05Z',
        },
      }),
    ],
  },
  'a repeat of what is not there': {
    records: [
      record(http('200 OK', [HTML], ''), {
        'WARC-Type': 'revisit',
        'WARC-Refers-To-Target-URI': 'http://a.test/first',
      }),
    ],
  },
  'a repeat of what is not there, with a length': {
    records: [
      record(http('200 OK', [HTML, 'Content-Length: 800'], ''), {
        'WARC-Type': 'revisit',
        'WARC-Refers-To-Target-URI': 'http://a.test/first',
      }),
    ],
  },
  'a repeat that names the record alone': {
    records: [
      record(http('200 OK', [HTML]), { 'WARC-Target-URI': 'http://a.test/first', 'WARC-Record-ID': '<urn:uuid:1>' }),
      record(http('200 OK', [HTML], ''), { 'WARC-Type': 'revisit', 'WARC-Refers-To': '<urn:uuid:1>' }),
    ],
  },
  'the answer to a form, and then the page': {
    records: [...exchange('POST', 'sent', 1), ...exchange('GET', TEXT, 2)],
  },
  'the page, and then its head alone': {
    records: [...exchange('GET', TEXT, 1), ...exchange('HEAD', '', 2)],
  },
  'requests before their answers': {
    records: [...exchange('OPTIONS', '', 1).reverse(), ...exchange('GET', TEXT, 2).reverse()],
  },
  'a page in three records': { records: inSegments(3) },
  'the first record of a page alone': { records: inSegments(3).slice(0, 1) },
  'a page whose second record is missing': { records: inSegments(3).toSpliced(1, 1) },
  'the first record of a page, and then the page': {
    records: [...inSegments(3).slice(0, 1), record(http('200 OK', [HTML]))],
  },
  'a part, and then the page': {
    records: [
      record(http('206 Partial Content', [HTML, 'Content-Range: bytes 0-9/100'], 'ten')),
      record(http('200 OK', [HTML])),
    ],
  },
  "a browser's crawl": {
    records: [
      record(Buffer.from('{}'), { 'WARC-Type': 'resource', 'WARC-Target-URI': `urn:pageinfo:${ASKED}` }),
      record(http('HTTP/2.0 200', [HTML])),
    ],
  },
  'what is not there': { asked: 'http://a.test/none', ...page([HTML]) },
  'a host that is not there': { asked: 'http://none.test/p', ...page([HTML]) },
};

let dir = '';
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'bingo-same-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** Returns what a crawl continues with if all its attempts end alike, without times and wording. */
function end(outcome: FetchOutcome): unknown {
  if (outcome.kind === 'failed' && outcome.part !== undefined) return end(outcome.part);
  const { fetchedAt: _at, ...rest } = outcome as FetchOutcome & Record<string, unknown>;
  for (const key of ['durationMs', 'address', 'retry', 'retryAfterMs']) delete rest[key];
  const body = outcome.kind === 'fetched' ? { body: Buffer.from(outcome.body).toString('latin1') } : {};
  if (outcome.kind !== 'fetched') delete rest.detail;
  return { ...rest, ...body };
}

test.each(Object.entries(KINDS))(
  'a lab run and a crawl of the served web get the same: %s',
  async (name, { records, asked = ASKED }) => {
    const path = join(dir, `${name.replaceAll(/\W+/g, '-')}.warc`);
    writeFileSync(path, Buffer.concat(records));
    const web = await FrozenWeb.open(path);
    const server: FrozenServer = await serveFrozenWeb({ web, port: 0 });
    const network = {
      ...DEFAULTS.network,
      robots: false,
      maxBodyBytes: MAX_BODY_BYTES,
      proxy: `http://127.0.0.1:${server.port}`,
    };
    const fetcher = new HttpFetcher({ ...network, allowPrivate: true, totalTimeoutMs: 2000 });
    try {
      const url = canonicalize(asked)!;
      const served = await fetcher.fetch(url);
      const direct = await new ArchiveFetcher(web, MAX_BODY_BYTES).fetch(url);
      expect(end(direct)).toEqual(end(served));
    } finally {
      await fetcher.close();
      await server.close();
      web.close();
    }
  },
);
