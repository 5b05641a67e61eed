import { createServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CanonicalUrl, canonicalize, DEFAULTS, type FetchOutcome } from '../../src/core/index.ts';
import { HttpFetcher } from '../../src/fetch/index.ts';

const BODY = '<title>Old</title><p>A page of an old server.</p>';
const TYPE = 'Content-Type: text/html';
const LENGTH = `Content-Length: ${BODY.length}`;
/** A response, its lines joined by `end`. */
const answer = (lines: readonly string[], end = '\r\n'): string => `${lines.join(end)}${end}${end}${BODY}`;
const OK = 'HTTP/1.1 200 OK';

const PACKED = gzipSync(brotliCompressSync(BODY)).toString('latin1');
const SIZE = BODY.length.toString(16);
const chunked = (head: string, chunks: string): string =>
  `${head}\r\n${TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;

const ANSWERS: Readonly<Record<string, string>> = {
  'an unasked 100 Continue': `HTTP/1.1 100 Continue\r\n\r\n${answer([OK, TYPE, LENGTH])}`,
  'a few interim answers': `${'HTTP/1.1 103 Early Hints\nLink: </x>\n\n'.repeat(3)}${answer([OK, TYPE, LENGTH], '\n')}`,
  'its length twice': answer([OK, TYPE, LENGTH, LENGTH]),
  'its length twice in one field': answer([OK, TYPE, `${LENGTH}, ${BODY.length}`]),
  'bare line feeds': answer([OK, TYPE, LENGTH], '\n'),
  'one bare line feed': answer([`${OK}\r\n${TYPE}\nServer: old`, LENGTH]),
  'bare line feeds and no length': answer(['HTTP/1.0 200 OK', TYPE], '\n'),
  'a folded field': answer([OK, 'Content-Type: text/html;', '\tcharset=utf-8', LENGTH]),
  'a blank before a colon': answer([OK, 'Content-Type : text/html', LENGTH]),
  'a line that is no field': answer([OK, 'Cache me not', TYPE, LENGTH]),
  'a control character in a field': answer([OK, 'X-Powered-By: a\x01b', TYPE, LENGTH]),
  'two blanks before its status': answer(['HTTP/1.1  200 OK', TYPE, LENGTH]),
  'a version of its own': answer(['HTTP/1.2 200 OK', TYPE, LENGTH]),
  'empty lines before it': `\r\n\r\n${answer([OK, TYPE, LENGTH], '\n')}`,
  'numbers and words in other fields': answer([OK, TYPE, 'Age: 7', 'X-Sent: chunked', LENGTH], '\n'),
  'blanks behind the size of a chunk': chunked(OK, `${SIZE}   \r\n${BODY}\r\n0   \r\n\r\n`),
  'bare line feeds around its chunks': chunked(OK, `${SIZE}\n${BODY}\n0\n\n`),
  'bare line feeds and chunks': chunked(`${OK}\nX: y`, `${SIZE};x=y\r\n${BODY}\r\n0\r\n\r\n`),
  'a length beside its chunks': chunked(`${OK}\r\nContent-Length: 5`, `${SIZE}\r\n${BODY}\r\n0\r\nX: y\r\n\r\n`),
  'two types, of which the last counts': answer([OK, 'Content-Type: application/octet-stream', TYPE, LENGTH]),
  'a field for each of its codings': `${OK}\r\n${TYPE}\r\nContent-Encoding: br\r\nContent-Encoding: gzip\r\n\r\n${PACKED}`,
  'a length that is none': answer([OK, TYPE, 'Content-Length: unknown']),
};

let server: Server;
let answers: Readonly<Record<string, string>>;
const requests: string[] = [];
const heads: string[] = [];
const sockets = new Set<Socket>();

beforeAll(async () => {
  server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.on('data', (data) => {
      const [, path = '', version = ''] = String(data).split(/[ \r]/);
      requests.push(`${path} ${version}`);
      heads.push(String(data));
      if (path === '/shy' && version === 'HTTP/1.0') socket.end();
      else if (path === '/held') socket.write(answers[path] ?? '');
      else if (path === '/pieces') {
        const [first, ...rest] = (answers[path] ?? '').split(/(?<=\n)/);
        socket.setNoDelay().write(first!);
        setTimeout(() => socket.end(rest.join('')), 50);
      } else socket.end(answers[path] ?? 'HTTP/1.1 404 Not Found\r\n\r\n', 'latin1');
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => server.close());

/** A fetcher for a server with these responses. */
function visitor(given: Readonly<Record<string, string>>): {
  fetcher: HttpFetcher;
  urlOf: (path: string) => CanonicalUrl;
} {
  answers = given;
  requests.length = 0;
  heads.length = 0;
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const robots = given['/robots.txt'] !== undefined;
  const fetcher = new HttpFetcher({ ...DEFAULTS.network, allowPrivate: true, robots });
  return { fetcher, urlOf: (path) => canonicalize(`http://127.0.0.1:${port}${path}`)! };
}

/** Fetches pages one after the other. */
async function fetched(given: Readonly<Record<string, string>>, paths: readonly string[]): Promise<FetchOutcome[]> {
  const { fetcher, urlOf } = visitor(given);
  const outcomes: FetchOutcome[] = [];
  for (const path of paths) outcomes.push(await fetcher.fetch(urlOf(path)));
  await fetcher.close();
  return outcomes;
}

describe('returns the page of an old or non-standard server', () => {
  it.each(Object.keys(ANSWERS))('with %s', async (oddity) => {
    const [page] = await fetched({ '/page': ANSWERS[oddity]! }, ['/page']);
    expect(page).toMatchObject({ kind: 'fetched', status: 200, headers: { contentType: 'text/html' } });
    expect(page?.kind === 'fetched' && Buffer.from(page.body).toString()).toBe(BODY);
  });

  it('with a head that arrives in pieces', async () => {
    const [page] = await fetched({ '/pieces': ANSWERS['bare line feeds']! }, ['/pieces']);
    expect(page).toMatchObject({ kind: 'fetched', status: 200, headers: { contentType: 'text/html' } });
  });

  it('and asks it twice only for the first of its pages', async () => {
    const page = ANSWERS['bare line feeds']!;
    await fetched({ '/1': page, '/2': page }, ['/1', '/2']);
    expect(requests).toEqual(['/1 HTTP/1.1', '/1 HTTP/1.0', '/2 HTTP/1.0']);
  });

  it('and sends the same user agent and host as to any server', async () => {
    await fetched({ '/page': ANSWERS['bare line feeds']! }, ['/page']);
    const fieldsOf = (head: string): string[] => head.trimEnd().split('\r\n').slice(1).sort();
    const [strict = [], forgiving = []] = heads.map(fieldsOf);
    const isOurs = (field: string): boolean => !field.startsWith('connection:');
    expect(forgiving).toContain('user-agent: bingo-crawler/0.1');
    expect(forgiving).toContain('connection: close');
    expect(forgiving.filter(isOurs)).toEqual(strict.filter(isOurs));
  });

  it('and its other pages, although they are chunked', async () => {
    const chunks = chunked(OK, `${SIZE}\r\n${BODY}\r\n0\r\n\r\n`);
    const outcomes = await fetched({ '/1': ANSWERS['bare line feeds']!, '/2': chunks, '/3': chunks }, [
      '/1',
      '/2',
      '/3',
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['fetched', 'fetched', 'fetched']);
    expect(requests.slice(2)).toEqual(['/2 HTTP/1.0', '/3 HTTP/1.0']);
  });

  it.each([
    ['is unchanged', 304, 'unchanged'],
    ['has no content', 204, 'fetched'],
  ])('and waits for no body where a page %s', async (_, status, kind) => {
    const { fetcher, urlOf } = visitor({ '/held': `HTTP/1.1 ${status} Said\nX: y\n\n` });
    expect(await fetcher.fetch(urlOf('/held'), { etag: '"1"' })).toMatchObject({ kind });
    await fetcher.close();
  });

  it('until the fetcher is closed', async () => {
    const { fetcher, urlOf } = visitor({ '/page': ANSWERS['bare line feeds']!, '/held': 'HTTP/1.1 200 OK\n' });
    await fetcher.fetch(urlOf('/page'));
    const held = fetcher.fetch(urlOf('/held'));
    await expect.poll(() => requests).toContain('/held HTTP/1.0');
    await fetcher.close();
    expect(await held).toMatchObject({ kind: 'failed' });
  });

  it('and its cookies, redirects and robots.txt', async () => {
    const robots = 'HTTP/1.0 200 OK\n\nUser-agent: *\nDisallow: /no';
    const moved = 'HTTP/1.1 302 Found\nLocation: /new\nSet-Cookie: a=1\nSet-Cookie: b=2\n\n';
    const [no, old] = await fetched({ '/robots.txt': robots, '/old': moved }, ['/no', '/old', '/new']);
    expect(heads.at(-1)).toContain('\r\ncookie: a=1; b=2\r\n');
    expect(no).toMatchObject({ kind: 'refused', reason: 'robots' });
    expect(old).toMatchObject({ kind: 'redirected', target: expect.stringMatching(/\/new$/) });
  });
});

describe('an unreadable response', () => {
  it.each([
    ['two lengths', answer([OK, TYPE, LENGTH, 'Content-Length: 7'])],
    ['interim answers without an end', `${'HTTP/1.1 100 Continue\n\n'.repeat(99)}${answer([OK, TYPE, LENGTH], '\n')}`],
    ['chunks without a size', chunked(OK, `${BODY}\r\n0\r\n\r\n`)],
    ['a size without an end', chunked(OK, `1;${'a'.repeat(100_000)}`)],
    ['no end of its head', `${OK}\n${TYPE}\nX: ${'a'.repeat(100_000)}`],
    ['a change of protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
  ])('fails: %s', async (_, text) => {
    const [page] = await fetched({ '/page': text }, ['/page']);
    expect(page).toMatchObject({ kind: 'failed' });
  });

  it.each([
    ['HTTP/1.1 000 OK', 'status 000'],
    ['HTTP/1.1 099 OK', 'status 099'],
    ['HTTP/1.1 42 OK', 'status 42'],
    ['HTTP/1.1 1000 OK', 'status 1000'],
    ['HTTP/1.1 OK', 'status OK'],
    ['HTTP/1.1', 'its first line names no status'],
    ['HTTP/1.1 101 Go on', 'status 101, an unrequested change to another protocol'],
    ['HTTP/1.1 101 Go on\r\nUpgrade: x', 'status 101, an unrequested change to another protocol'],
    ['ICY 200 OK', 'it does not begin with HTTP/'],
  ])('is described in plain words: %s', async (line, why) => {
    const text = answer([line, TYPE, LENGTH, 'Connection: upgrade']);
    const said = {
      kind: 'failed',
      retry: 'never',
      reason: 'protocol',
      detail: `the server's answer is not HTTP: ${why}`,
    };
    expect(await fetched({ '/page': text }, ['/page'])).toMatchObject([said]);
    const old = ANSWERS['bare line feeds']!;
    expect(await fetched({ '/old': old, '/page': text }, ['/old', '/page'])).toMatchObject([{ kind: 'fetched' }, said]);
    expect(requests.filter((request) => request.startsWith('/page')).length).toBeLessThan(3);
  });

  it('is reported in plain words: a head too long', async () => {
    const text = answer([OK, TYPE, `X: ${'a'.repeat(40_000)}`, LENGTH]);
    const detail = 'the head of the answer is longer than 32 KiB';
    expect(await fetched({ '/page': text }, ['/page'])).toMatchObject([{ kind: 'failed', reason: 'protocol', detail }]);
  });

  it('fails if the server is silent at the second request', async () => {
    const [page] = await fetched({ '/shy': ANSWERS['bare line feeds']! }, ['/shy']);
    expect(page).toMatchObject({ kind: 'failed', reason: 'protocol' });
    expect(requests).toEqual(['/shy HTTP/1.1', '/shy HTTP/1.0']);
  });

  it('is requested once if it is not HTTP', async () => {
    const [page] = await fetched({ '/page': '220 mail.test ESMTP\r\n' }, ['/page']);
    expect(page).toMatchObject({ kind: 'failed', reason: 'protocol' });
    expect(requests).toEqual(['/page HTTP/1.1']);
  });

  it('is a partial page if it breaks off within its chunks', async () => {
    const [page] = await fetched({ '/page': chunked(OK, `${SIZE}  \r\n${BODY}\r\n5\r\nab`) }, ['/page']);
    const part = page?.kind === 'failed' && page.part !== undefined ? Buffer.from(page.part.body).toString() : '';
    expect(part).toBe(`${BODY}ab`);
  });

  it('is a partial page if it breaks off', async () => {
    const [page] = await fetched({ '/page': answer([OK, TYPE, 'Content-Length: 999'], '\n') }, ['/page']);
    expect(page).toMatchObject({ kind: 'failed', reason: 'truncated', part: { kind: 'fetched' } });
  });
});
