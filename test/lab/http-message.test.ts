import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerValue, parseHttpResponse } from '../../src/lab/web/http-message.ts';

const parse = (text: string): ReturnType<typeof parseHttpResponse> => parseHttpResponse(Buffer.from(text, 'latin1'));
const bodyOf = (text: string): string => Buffer.from(parse(text)?.body ?? []).toString('latin1');

describe('parseHttpResponse', () => {
  test('splits status, fields and body; names are found in any case, the first value counts', () => {
    const response = parse('HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\n\r\nbody\r\n\r\nmore');

    expect(response?.status).toBe(200);
    expect(headerValue(response?.headers ?? [], 'x-a')).toBe('1');
    expect(Buffer.from(response?.body ?? []).toString()).toBe('body\r\n\r\nmore');
  });

  test.each([
    ['bare line feeds', 'HTTP/1.0 404 Gone\nA: b\n\nx', 404],
    ['no reason', 'HTTP/1.1 204\r\n\r\n', 204],
    ['HTTP/2', 'HTTP/2 301 \r\nA: b\r\n\r\n', 301],
  ])('takes what servers send: %s', (_what, text, status) => {
    expect(parse(text)?.status).toBe(status);
  });

  test.each(['', 'HTTP/1.1 200 OK', 'GET / HTTP/1.1\r\n\r\n', 'HTTP/1.1 20 OK\r\n\r\n'])(
    'is undefined for %j',
    (text) => {
      expect(parse(text)).toBeUndefined();
    },
  );

  test('a field is read as UTF-8 where it is, else a character for each byte', () => {
    const response = parse('HTTP/1.1 301 Moved\r\nLocation: /caf\xc3\xa9\r\nX-Old: caf\xe9\r\n\r\n');

    expect(response?.headers).toEqual([
      ['Location', '/café'],
      ['X-Old', 'café'],
    ]);
  });

  test('a folded field is one field', () => {
    expect(headerValue(parse('HTTP/1.1 200 OK\r\nA: one\r\n  two\r\n\r\n')?.headers ?? [], 'a')).toBe('one two');
  });

  test('chunks are joined; a body that only claims to be chunked stays as it is', () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

    expect(bodyOf(`${chunked}4\r\nWiki\r\n5;ext=1\r\npedia\r\n0\r\nTrailer: x\r\n\r\n`)).toBe('Wikipedia');
    expect(bodyOf(`${chunked}<html>already joined</html>`)).toBe('<html>already joined</html>');
  });

  test('never throws, whatever the bytes', () => {
    const start = fc.constantFrom('', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip, br\r\n\r\n');
    fc.assert(
      fc.property(start, fc.uint8Array({ maxLength: 200 }), (head, bytes) => {
        const response = parseHttpResponse(Buffer.concat([Buffer.from(head), bytes]));
        expect(response === undefined || response.status >= 0).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
