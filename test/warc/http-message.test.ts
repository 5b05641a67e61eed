import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerValue, parseHttpResponse } from '../../src/warc/http-message.ts';

const parse = (text: string): ReturnType<typeof parseHttpResponse> => parseHttpResponse(Buffer.from(text, 'latin1'));
const bodyOf = (text: string): string => Buffer.from(parse(text)?.body ?? []).toString('latin1');

describe('parseHttpResponse', () => {
  test('splits status, fields and body; names match in any case, the first value counts', () => {
    const response = parse('HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: 2\r\n\r\nbody\r\n\r\nmore');

    expect(response?.status).toBe(200);
    expect(headerValue(response?.headers ?? [], 'x-a')).toBe('1');
    expect(Buffer.from(response?.body ?? []).toString()).toBe('body\r\n\r\nmore');
  });

  test.each([
    ['bare line feeds', 'HTTP/1.0 404 Gone\nA: b\n\nx', 404],
    ['no reason', 'HTTP/1.1 204\r\n\r\n', 204],
    ['HTTP/2', 'HTTP/2 301 \r\nA: b\r\n\r\n', 301],
    ['two blanks', 'HTTP/1.1  404 Gone\r\n\r\n', 404],
    ['no blank', 'http/1.1 200OK\r\n\r\n', 200],
    ['an answer announced', 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 404 Gone\r\n\r\n', 404],
  ])('takes what servers send: %s', (_what, text, status) => {
    expect(parse(text)?.status).toBe(status);
  });

  test.each([
    '',
    'HTTP/1.1 200 OK',
    'GET / HTTP/1.1\r\n\r\n',
    'HTTP/1.1 20 OK\r\n\r\n',
    'HTTP/1.1 000 OK\r\n\r\n',
    'HTTP/1.1 101 Switch\r\n\r\n',
  ])('is undefined for %j', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  test('reads a field as UTF-8 if it is valid, and otherwise as one character per byte', () => {
    const response = parse('HTTP/1.1 301 Moved\r\nLocation: /caf\xc3\xa9\r\nX-Old: caf\xe9\r\n\r\n');

    expect(response?.headers).toEqual([
      ['Location', '/café'],
      ['X-Old', 'café'],
    ]);
  });

  test('reads a folded field as one field', () => {
    expect(headerValue(parse('HTTP/1.1 200 OK\r\nA: one\r\n  two\r\n\r\n')?.headers ?? [], 'a')).toBe('one two');
  });

  test('joins chunks, and keeps a body that is chunked only by its header', () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

    expect(bodyOf(`${chunked}4\r\nWiki\r\n5;ext=1\r\npedia\r\n0\r\nTrailer: x\r\n\r\n`)).toBe('Wikipedia');
    expect(bodyOf(`${chunked}<html>already joined</html>`)).toBe('<html>already joined</html>');
  });

  test('removes chunk marks from a truncated chunked body, and marks it incomplete', () => {
    const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

    expect(bodyOf(`${chunked}4\r\nWiki\r\n50\r\npedia`)).toBe('Wikipedia');
    expect(parse(`${chunked}4\r\nWiki\r\n50\r\npedia`)?.isWhole).toBe(false);
    expect(parse(`${chunked}4\r\nWiki\r\n0\r\n\r\n`)?.isWhole).toBe(true);
  });

  const words = Array.from({ length: 400 }, (_, i) => `word${(i * 7919) % 1000}`).join(' ');
  const coded = (coding: string, body: Uint8Array): ReturnType<typeof parseHttpResponse> =>
    parseHttpResponse(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`), body]));
  const textOf = (response: ReturnType<typeof parseHttpResponse>): string =>
    Buffer.from(response?.body ?? []).toString();

  test.each([
    ['a quoted name', '"br"', brotliCompressSync(words)],
    [
      'several frames',
      'zstd',
      Buffer.concat([words.slice(0, 99), words.slice(99)].map((part) => zstdCompressSync(part))),
    ],
    ['a comment behind the data', 'gzip', Buffer.concat([gzipSync(words), Buffer.from('<!-- cached -->')])],
    ['another coding than it says', 'br', gzipSync(words)],
    ['two headers', 'deflate\r\nContent-Encoding: gzip', gzipSync(deflateSync(words))],
  ])('codings are undone as forgivingly as in a crawl: %s', (_what, coding, body) => {
    expect(textOf(coded(coding, body))).toBe(words);
    expect(coded(coding, body)?.isWhole).toBe(true);
  });

  test.each([
    ['br', brotliCompressSync(words)],
    ['deflate', deflateRawSync(words)],
    ['deflate', deflateSync(words)],
    ['gzip', gzipSync(words)],
  ])('reads the intact part of a truncated body in %s', (coding, body) => {
    const response = coded(coding, body.subarray(0, body.length - 20));

    expect(response?.isWhole).toBe(false);
    expect(textOf(response).length).toBeGreaterThan(100);
    expect(words.startsWith(textOf(response))).toBe(true);
  });

  test.each(['gzip', 'br', 'deflate', 'zstd'])('keeps a plain body if %s is declared but not applied', (coding) => {
    // The second and the third start like bodies in br and deflate.
    for (const text of ['<html>plain</html>', 'automatically propagate to it', '[1]', '{ fprintf(a) }', ''])
      expect(textOf(coded(coding, Buffer.from(text)))).toBe(text);
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
