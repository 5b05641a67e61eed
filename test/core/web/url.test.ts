import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize, hostOf } from '../../../src/core/index.ts';

const SHARED = new URL('../../../../shared/', import.meta.url);
const VECTORS = new URL('vectors/url/', SHARED);
const WEBS = new URL('webs/', SHARED);

describe('canonicalize', () => {
  it.each([
    ['HTTP://WWW.Example.COM/Path', 'http://www.example.com/Path', 'lower-cases scheme and host, not the path'],
    ['https://example.com:443/', 'https://example.com/', 'drops the default port'],
    ['https://example.com:80/', 'https://example.com:80/', 'keeps another port'],
    ['http://example.com./', 'http://example.com/', 'drops the trailing dot of the host'],
    ['http://example.com/a#b', 'http://example.com/a', 'drops the fragment'],
    ['http://example.com/a?', 'http://example.com/a', 'drops an empty query'],
    ['http://user:secret@example.com/', 'http://example.com/', 'drops the user'],
    ['http://example.com/%7euser/%2fx', 'http://example.com/~user/%2Fx', 'decodes unreserved characters only'],
    ['http://example.com/a|b?c[d]=`', 'http://example.com/a%7Cb?c%5Bd%5D=%60', 'encodes what no URL may hold'],
    ['http://example.com/100%', 'http://example.com/100%25', 'encodes a percent sign that escapes nothing'],
    ['http://example.com/a/../b/./c', 'http://example.com/b/c', 'resolves dot segments'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/', 'writes international hosts in punycode'],
    ['http://2130706433/', 'http://127.0.0.1/', 'writes a decimal host as an address'],
    ['http://0177.0.0.1/', 'http://127.0.0.1/', 'writes an octal host as an address'],
    ['http://0x7f.1./', 'http://127.0.0.1/', 'writes a hexadecimal host as an address'],
    ['http://[::FFFF:127.0.0.1]/', 'http://[::ffff:7f00:1]/', 'compresses an IPv6 host'],
    ['http://example.com/index.html', 'http://example.com/index.html', 'keeps index pages'],
    ['http://example.com//a//b', 'http://example.com//a//b', 'keeps doubled slashes'],
    ['http://example.com/?b=1&a=2', 'http://example.com/?b=1&a=2', 'keeps the order of parameters'],
    ['\u00a0 http://example.com/a\n\u3000', 'http://example.com/a', 'drops white space of any kind around it'],
  ])('%s → %s: %s', (text, expected) => {
    expect(canonicalize(text)).toBe(expected);
  });

  it.each([
    ['http://example.com/?utm_source=x&id=7&utm_medium=y', 'http://example.com/?id=7'],
    ['http://example.com/?fbclid=abc', 'http://example.com/'],
    ['http://example.com/?GCLID=abc&x=1', 'http://example.com/?x=1'],
    ['http://example.com/?utm%5Fsource=x&x=1', 'http://example.com/?x=1'],
    ['http://example.com/?x=1&PHPSESSID=0123', 'http://example.com/?x=1'],
    ['http://example.com/?sid=0123456789abcdef0123456789abcdef', 'http://example.com/'],
    ['http://example.com/a;jsessionid=1A2B.node1?x=1', 'http://example.com/a?x=1'],
    ['http://example.com/..;jsessionid=1/a', 'http://example.com/a'],
    ['http://example.com/(S(lit3py55t21z5v55vlm25s55))/a', 'http://example.com/a'],
  ])('drops session ids and tracking parameters: %s', (text, expected) => {
    expect(canonicalize(text)).toBe(expected);
  });

  it.each(['http://example.com/?sid=12', 'http://example.com/?s=focused+crawler', 'http://example.com/?utm=1'])(
    'keeps a parameter that only resembles them: %s',
    (text) => {
      expect(canonicalize(text)).toBe(text);
    },
  );

  it.each(['', 'mailto:a@b.c', 'javascript:void(0)', 'ftp://a.b/', 'http://', 'http://a b/', 'no scheme', 'http://./'])(
    'refuses what is no http(s) URL: %j',
    (text) => {
      expect(canonicalize(text)).toBeUndefined();
    },
  );

  it.each([
    ['b.html', 'http://example.com/x/a.html', 'http://example.com/x/b.html'],
    ['/b', 'http://example.com/x/a.html?q', 'http://example.com/b'],
    ['?p=2', 'http://example.com/x/a?p=1', 'http://example.com/x/a?p=2'],
    ['#top', 'http://example.com/x/a', 'http://example.com/x/a'],
    ['', 'http://example.com/x/a', 'http://example.com/x/a'],
    ['../c', 'http://example.com/x/y/a', 'http://example.com/x/c'],
    ['//other.example/c', 'https://example.com/', 'https://other.example/c'],
    ['a:b/c', 'http://example.com/', undefined],
    ['./a:b', 'http://example.com/', 'http://example.com/a:b'],
    ['http.html', 'http://example.com/', 'http://example.com/http.html'],
    ['b', 'http://EXAMPLE.com/x/', 'http://example.com/x/b'],
    ['b', 'no base', undefined],
    [' /b\n', 'http://example.com/', 'http://example.com/b'],
    ['\\b', 'http://example.com/x/', 'http://example.com/b'],
  ])('reads %j against %s', (text, base, expected) => {
    expect(canonicalize(text, base)).toBe(expected);
  });

  it.each([80, 443, 8080, 9999, 10000, 34567, 59999, 64999, 65000, 65535, 65536, 70000, 99999, 123456])(
    'reads the port %i the quick way as the thorough way does',
    (port) => {
      for (const scheme of ['http', 'https']) {
        const text = `${scheme}://a.test:${port}/x`;
        expect(canonicalize(text)).toBe(canonicalize(` ${text}`));
      }
    },
  );

  it('is idempotent, and the fast path agrees with the full parser', () => {
    fc.assert(
      fc.property(urlLike, (text) => {
        const once = canonicalize(text);
        // A leading space forces the full parser.
        expect(canonicalize(` ${text}`)).toBe(once);
        if (once !== undefined) expect(canonicalize(once)).toBe(once);
        if (once !== undefined) expect(canonicalize(` ${once}`)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('resolves relative URLs like the full parser', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.constantFrom('', '../', '../../', '../../../../'), pathLike).map((parts) => parts.join('')),
        fc.constantFrom('http://a.test/x/y?z/w', 'http://a.test/', 'https://B.test/x', 'http://a.test/b//c/d/e'),
        (text, base) => {
          expect(canonicalize(text, base)).toBe(canonicalize(` ${text}`, base));
        },
      ),
      { numRuns: 4000 },
    );
  });

  it('handles long and hostile texts', () => {
    expect(canonicalize(`http://a.test/${'a/'.repeat(500_000)}`)).toHaveLength(1_000_014);
    expect(canonicalize(`http://a.test/?${'a=1&'.repeat(200_000)}utm_source=x`)).toHaveLength(800_014);
    expect(canonicalize(`http://${'a.'.repeat(900)}test/`)).toBeDefined();
  });
});

describe('hostOf', () => {
  it('keeps a port, and removes everything else', () => {
    expect(hostOf(canonicalize('http://A.test:8080/x')!)).toBe('a.test:8080');
    expect(hostOf(canonicalize('https://a.test:443/')!)).toBe('a.test');
    expect(hostOf(canonicalize('http://[::1]:81/')!)).toBe('[::1]:81');
  });
});

describe.skipIf(!existsSync(VECTORS))('crawler-commons vectors (../shared/vectors/url; skipped without them)', () => {
  it('normalises 86 of 104 as they do; the others would change the resource', () => {
    const cases = readVectors('weirdToNormalizedUrls.csv').filter(([, wanted]) =>
      /^https?:\/\/[^/]/.test(wanted ?? ''),
    );
    const differing = cases.map(([text]) => text ?? '').filter((text, i) => canonicalize(text) !== cases[i]?.[1]);
    // Doubled slashes, the order of parameters and empty values are kept; "foo.com/x" without a scheme is not a link.
    const intended = differing.filter((text) => /^\w+\.com|com.*\/\/|\?.*&|\?&/.test(text));
    expect(differing).toEqual(intended);
    expect([cases.length - differing.length, cases.length]).toEqual([86, 104]);
  });

  it('rejects their invalid URLs', () => {
    const texts = readVectors('invalidUrls.csv').map(([text]) => canonicalize(text ?? ''));
    expect(texts).toEqual([undefined, undefined]);
  });

  it('resolves as they do', () => {
    const cases = readVectors('url-resolve.csv').filter(([, , wanted]) => wanted?.startsWith('http'));
    for (const [text, base, wanted] of cases) {
      expect(canonicalize(text ?? '', base || undefined)).toBe(canonicalize(wanted ?? ''));
    }
    expect(cases).toHaveLength(21);
  });
});

describe.skipIf(!existsSync(WEBS))('the frozen webs (../shared/webs; skipped without them)', () => {
  it.each(['archwiki', 'foldoc', 'wikispeedia'])(
    'keeps the pages of %s apart, and its labels and tasks find them',
    async (web) => {
      const targets = await targetUris(new URL(`${web}.warc.gz`, WEBS));
      const canonical = new Set(targets.map((uri) => canonicalize(uri)));
      expect(canonical.size).toBe(targets.length);
      expect(canonical).not.toContain(undefined);
      const labelled = readFileSync(new URL(`${web}.labels.tsv`, WEBS), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[0]!);
      expect(labelled.filter((url) => !canonical.has(canonicalize(url)))).toEqual([]);
      const named = taskUrls(web);
      expect(named.length).toBeGreaterThan(0);
      expect(named.filter((url) => !canonical.has(canonicalize(url)))).toEqual([]);
    },
  );
});

const pathLike = fc
  .array(
    fc.constantFrom(
      ...[
        '/',
        '//',
        '.',
        '..',
        '%2e',
        '%2E',
        '%',
        '%4',
        '%41',
        '%c3%A9',
        '%20',
        ' ',
        'a',
        'B',
        'é',
        '?',
        '&',
        '=',
        ';',
        ':',
      ],
      ...[
        ';jsessionid=',
        'sid=0123456789abcdef',
        'utm_source',
        'PHPSESSID',
        '(S(0123456789abcdef))',
        '[',
        '|',
        '^',
        "'",
      ],
      ...['"', '\\', '#', '+', '@', '\t', '\u0001', '\ud800', 'http', 'index.html'],
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));
const hostLike = fc
  .array(
    fc.constantFrom(
      'a',
      'B',
      '.',
      '..',
      '1',
      '0x7f',
      '127.0.0.1',
      'xn--',
      'é',
      '-',
      '_',
      ':80',
      ':443',
      ':0',
      ':8080',
      '@',
      '[::1]',
      '%41',
      '\u00ad',
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(''));
const urlLike = fc
  .tuple(
    fc.constantFrom('http://', 'https://', 'HTTP://', 'http:/', 'http:'),
    hostLike,
    fc.constantFrom('/', '', '?'),
    pathLike,
  )
  .map((parts) => parts.join(''));

/** Reads comma-separated rows with optional double quotes; skips `#` lines. */
function readVectors(name: string): string[][] {
  const lines = readFileSync(new URL(name, VECTORS), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '' && !line.startsWith('#')).map(fields);
}

function fields(line: string): string[] {
  return [...line.matchAll(/\s*("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
    .map(([, field]) =>
      field!
        .replace(/^"(.*)"$/s, '$1')
        .replaceAll('""', '"')
        .trim(),
    )
    .slice(0, -1);
}

async function targetUris(warc: URL): Promise<string[]> {
  const uris: string[] = [];
  let rest = '';
  for await (const chunk of createReadStream(warc).pipe(createGunzip())) {
    const text = rest + (chunk as Buffer).toString('latin1');
    const end = text.lastIndexOf('\n') + 1;
    for (const found of text.slice(0, end).matchAll(/^WARC-Target-URI: (.*)\r$/gm)) uris.push(found[1]!);
    rest = text.slice(end);
  }
  return uris;
}

function taskUrls(web: string): string[] {
  const tasks = JSON.parse(readFileSync(new URL('tasks.json', WEBS), 'utf8')) as { web: string }[];
  const texts = tasks.filter((task) => task.web === web).map((task) => JSON.stringify(task));
  return texts.flatMap((text) => text.match(/http:\/\/[^"]+/g) ?? []);
}
