import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { canonicalize } from '../../src/core/index.ts';
import {
  judgeByGroup,
  parseRobotsTxt,
  type RobotsTxt,
  type RobotsVerdict,
  robotsGroup,
} from '../../src/fetch/robots-txt.ts';
import { cpuMsSince } from '../support/cpu-time.ts';

const VECTORS = new URL('../../../shared/vectors/robots/', import.meta.url);

const read = (...lines: string[]) => parseRobotsTxt(Buffer.from(lines.join('\n')));

function judgeByRobots(robots: RobotsTxt, product: string, path: string): RobotsVerdict {
  return judgeByGroup(robotsGroup(robots, product), path);
}

describe('robots.txt (RFC 9309)', () => {
  it('names the deciding rule and its line', () => {
    const robots = read('# for all', 'User-agent: *', 'Disallow: /private # keep out', 'Allow: /private/open');
    expect(judgeByRobots(robots, 'bingo-crawler', '/private/x')).toMatchObject({
      allowed: false,
      rule: { line: 3, text: 'Disallow: /private' },
    });
    expect(judgeByRobots(robots, 'bingo-crawler', '/private/open/x')).toMatchObject({
      allowed: true,
      rule: { line: 4 },
    });
    expect(judgeByRobots(robots, 'bingo-crawler', '/else')).toEqual({ allowed: true, rule: undefined });
  });

  it('matches a forbidden path with every letter escaped, and no longer path', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '_', '.', '~'), maxLength: 20 });
    fc.assert(
      fc.property(letters, letters, fc.boolean(), (start, rest, isWhole) => {
        const escaped = [...start].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
        const robots = read('User-agent: *', `Disallow: /${escaped}${isWhole ? '$' : ''}`);
        const isForbidden = (path: string): boolean => !judgeByRobots(robots, '', path).allowed;
        expect(isForbidden(`/${start}`)).toBe(true);
        expect(isForbidden(`/${start}${rest}`)).toBe(!isWhole || rest === '');
        expect(start !== '' && isForbidden(`/${start.slice(0, -1)}`)).toBe(false);
      }),
    );
  });

  it('uses the longest matching rule in any order, and Allow if two are equally long', () => {
    const rules = [
      'Allow: /a/b',
      'Disallow: /a',
      'Disallow: /a/b/c',
      'Disallow: /d',
      'Allow: /d',
      'Allow: /e',
      'Disallow: /e',
    ];
    for (const lines of [rules, rules.toReversed()]) {
      const robots = read('User-agent: *', ...lines);
      const allowed = ['/a/x', '/a/b/x', '/a/b/c/x', '/d', '/e'].map(
        (path) => judgeByRobots(robots, 'a', path).allowed,
      );
      expect(allowed).toEqual([false, true, false, true, true]);
    }
  });

  it('ignores an empty rule', () => {
    const robots = read('User-agent: *', 'Disallow:', 'Disallow: /x', 'Allow:');
    expect(['/', '/x'].map((path) => judgeByRobots(robots, 'a', path).allowed)).toEqual([true, false]);
  });

  it('allows a folder whose index is allowed, and nothing else in it', () => {
    const robots = read('User-agent: *', 'Disallow: /', 'Allow: /x/index.html', 'Allow: /y/index.php');
    const allowed = ['/x/', '/x/index.html', '/x/other', '/y/'].map((path) => judgeByRobots(robots, 'a', path).allowed);
    expect(allowed).toEqual([true, true, false, false]);
  });

  it("obeys the crawler's own group instead of the group for all", () => {
    const robots = read(
      'User-agent: *',
      'Disallow: /',
      'Crawl-delay: 9',
      '',
      'User-agent: Bingo-Crawler/2.0',
      'Disallow: /x',
    );
    expect(judgeByRobots(robots, 'bingo-crawler', '/y').allowed).toBe(true);
    expect(judgeByRobots(robots, 'bingo-crawler', '/x').allowed).toBe(false);
    expect(robotsGroup(robots, 'bingo-crawler')?.crawlDelayMs).toBeUndefined();
    expect(judgeByRobots(robots, 'bingo', '/y').allowed).toBe(false);
  });

  it('lets a crawler without a name obey the group for all', () => {
    const robots = read('User-agent: *', 'Disallow: /x', 'Crawl-delay: 2');
    expect([judgeByRobots(robots, '', '/x').allowed, judgeByRobots(robots, '', '/y').allowed]).toEqual([false, true]);
    expect(robotsGroup(robots, '')?.crawlDelayMs).toBe(2000);
  });

  it('reads a star as all crawlers, whatever follows it', () => {
    const robots = read('User-agent: * (all others)', 'Disallow: /x');
    expect(judgeByRobots(robots, 'bingo-crawler', '/x').allowed).toBe(false);
  });

  it('merges groups of the same agent, and ignores rules outside any group', () => {
    const robots = read(
      'Disallow: /',
      'User-agent: a',
      'Disallow: /1',
      'User-agent: b',
      'Disallow: /2',
      'User-agent: a',
      'Disallow: /3',
    );
    expect(['/0', '/1', '/2', '/3'].map((path) => judgeByRobots(robots, 'a', path).allowed)).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it('reads ten thousand names with as many rules and delays quickly', () => {
    const times = (text: string): string => `${text}\n`.repeat(12_000);
    const robots = read(`${times('User-agent: *')}User-agent: a`, times('Crawl-delay: 3'), times('Disallow: /x'));
    expect(['*', 'a'].map((name) => robotsGroup(robots, name)?.rules.length)).toEqual([12_000, 12_000]);
    expect(['*', 'a'].map((name) => robotsGroup(robots, name)?.crawlDelayMs)).toEqual([3000, 3000]);
  });

  it('reads a crawl delay in seconds, also a fractional one', () => {
    expect(robotsGroup(read('User-agent: *', 'Crawl-delay: 2.5'), 'a')?.crawlDelayMs).toBe(2500);
    expect(robotsGroup(read('User-agent: *', 'Crawl-delay: 10 seconds'), 'a')?.crawlDelayMs).toBe(10_000);
    expect(robotsGroup(read('User-agent: *', 'Crawl-delay: 1,5s'), 'a')?.crawlDelayMs).toBe(1500);
    expect(robotsGroup(read('User-agent: *', 'Crawl-delay: 2 min'), 'a')?.crawlDelayMs).toBe(120_000);
    expect(robotsGroup(read('User-agent: *', 'Crawl-delay: soon'), 'a')?.crawlDelayMs).toBeUndefined();
    expect(robotsGroup(read('User-agent: *', 'Crawl-delay: -1'), 'a')?.crawlDelayMs).toBeUndefined();
  });

  it('reads UTF-16 with a byte order mark', () => {
    const text = Buffer.from('\ufeffUser-agent: *\r\nDisallow: /ü', 'utf16le');
    for (const bytes of [text, Buffer.from(text).swap16()])
      expect(judgeByRobots(parseRobotsTxt(bytes), 'a', '/%C3%BCber').allowed).toBe(false);
  });

  it('applies a crawl delay between two names to both', () => {
    const robots = read('User-agent: a', 'Crawl-delay: 3', 'User-agent: b', 'Disallow: /');
    expect([robotsGroup(robots, 'a')?.crawlDelayMs, robotsGroup(robots, 'b')?.crawlDelayMs]).toEqual([3000, undefined]);
    expect(judgeByRobots(robots, 'a', '/').allowed).toBe(false);
  });

  it('keeps the last letter of a path, whatever its bytes', () => {
    const robots = read('User-agent: *', 'Disallow: /', 'Allow: /à', 'Allow: /Р');
    const allowed = ['/%C3%A0', '/%D0%A0x', '/%C3%A9', '/%D0%9F'].map(
      (path) => judgeByRobots(robots, 'a', path).allowed,
    );
    expect(allowed).toEqual([true, true, false, false]);
  });

  it('treats no-break spaces around a value as blanks', () => {
    const robots = read('User-agent:\u00a0*', '\u00a0Disallow: /private\u00a0');
    expect(judgeByRobots(robots, 'a', '/private/x').allowed).toBe(false);
  });

  it('lists the sitemaps, wherever they are in the file', () => {
    expect(read('Sitemap: http://a.test/1.xml', 'User-agent: *', 'Site-map: http://a.test/2.xml').sitemaps).toEqual([
      'http://a.test/1.xml',
      'http://a.test/2.xml',
    ]);
  });

  it('applies a Disallow in either reading of its escapes', () => {
    const robots = read('User-agent: *', 'Disallow: /%70rivate', 'Disallow: /t%C3%A9');
    expect(judgeByRobots(robots, 'a', '/private').allowed).toBe(false);
    expect(judgeByRobots(robots, 'a', '/t%C3%A9').allowed).toBe(false);
  });

  it('reads %2A and %24 of a Disallow as a literal star and dollar', () => {
    const robots = read('User-agent: *', 'Disallow: /file-%2A.html', 'Disallow: /price-%24$', 'Disallow: /%74*-%2a');
    const paths = ['/file-*.html', '/file-%2A.html', '/file-x.html', '/price-$', '/price-$9', '/t/x-*', '/t/x-y'];
    const allowed = paths.map((path) => judgeByRobots(robots, 'a', path).allowed);
    expect(allowed).toEqual([false, false, true, false, true, false, true]);
  });

  it('applies to characters that are escaped in the request', () => {
    const robots = read(
      'User-agent: *',
      'Disallow: /*?f[0]=',
      'Disallow: /a b|c',
      'Disallow: /{id}',
      'Disallow: /100%',
    );
    const paths = ['/shop?f[0]=red', '/a b|c', '/{id}', '/100%', '/shop?f=red', '/a', '/id', '/100'];
    const allowed = paths.map((path) => {
      const url = canonicalize(path, 'http://a.test/')!;
      return judgeByRobots(robots, 'a', url.slice('http://a.test'.length)).allowed;
    });
    expect(allowed).toEqual([false, false, false, false, true, true, true, true]);
  });

  it('shows rules in their original letters', () => {
    const robots = read('User-agent: *', 'Disallow: /über', 'Disallow: /中文');
    const shown = ['/%C3%BCber', '/%E4%B8%AD%E6%96%87'].map((path) => judgeByRobots(robots, 'a', path).rule?.text);
    expect(shown).toEqual(['Disallow: /über', 'Disallow: /中文']);
  });

  it('applies an Allow only as written', () => {
    const robots = read('User-agent: *', 'Disallow: /', 'Allow: /%70ublic', 'Allow: /caf\u00e9');
    const allowed = ['/public', '/%70ublic', '/caf%C3%A9'].map((path) => judgeByRobots(robots, 'a', path).allowed);
    expect(allowed).toEqual([false, true, true]);
  });

  it('matches a $ only at the end of the whole path, after everything before it', () => {
    const robots = read('User-agent: *', 'Disallow: /a$', 'Disallow: /bc*c$');
    expect(['/a', '/b/a', '/bc', '/bcc'].map((path) => judgeByRobots(robots, 'a', path).allowed)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  it('matches wildcards like a regular expression', () => {
    const glyph = fc.constantFrom('/', 'a', 'b', '*', '$', '.');
    const text = fc.array(glyph, { maxLength: 10 }).map((glyphs) => `/${glyphs.join('')}`);
    fc.assert(
      fc.property(text, text, (pattern, path) => {
        const robots = read('User-agent: *', `Disallow: ${pattern}`);
        const source = pattern.replace(/\$$/, '').replace(/[.$/]/g, '\\$&').replace(/\*+/g, '.*');
        const slow = new RegExp(`^${source}${pattern.endsWith('$') ? '$' : ''}`, 's');
        expect(judgeByRobots(robots, 'a', path).allowed).toBe(!slow.test(path));
      }),
      { numRuns: 3000 },
    );
  });

  it('never fails, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string(), (bytes, path) => {
        expect(typeof judgeByRobots(parseRobotsTxt(bytes), 'a', path).allowed).toBe('boolean');
      }),
    );
  });

  it('parses 512 KiB of stars quickly', () => {
    const hostile = Buffer.from(`User-agent: *\n${`Disallow: ${'/*a'.repeat(150)}$\n`.repeat(1100)}`);
    const before = process.cpuUsage();
    judgeByRobots(parseRobotsTxt(hostile), 'a', `/${'a/'.repeat(500)}`);
    expect(cpuMsSince(before)).toBeLessThan(5000);
  });
});

describe.skipIf(!existsSync(VECTORS))("Google's vectors (../shared/vectors/robots; skipped without them)", () => {
  const cases = existsSync(VECTORS) ? readCases() : [];

  it('passes all 146 assertions', () => {
    const failed = cases.filter(({ robots, agent, url, allowed }) => {
      return judgeByRobots(parseRobotsTxt(robots), agent, pathOf(url)).allowed !== allowed;
    });
    expect(failed.map(({ file, url, agent }) => `${file}: ${agent} ${url}`)).toEqual([]);
    expect(cases).toHaveLength(146);
  });
});

interface Case {
  readonly file: string;
  readonly robots: Buffer;
  readonly url: string;
  readonly agent: string;
  readonly allowed: boolean;
}

/** Reads the text form of protocol buffers, limited to what these files use: fields of strings, words and lists. */
function readCases(): Case[] {
  const names = readdirSync(VECTORS).filter((name) => name.endsWith('.textproto'));
  return names.flatMap((file) => {
    const source = readFileSync(new URL(file, VECTORS), 'utf8').replace(/^#.*$/gm, '');
    const fields = source.matchAll(/(\w+)\s*:\s*((?:"(?:\\.|[^"\\])*"\s*)+|[A-Z_]+)/g);
    const found: Case[] = [];
    let robots: Buffer = Buffer.alloc(0);
    let url = '';
    let agent = '';
    for (const [, name, value = ''] of fields) {
      if (name === 'robotstxt') robots = unquote(value);
      if (name === 'testurl') url = unquote(value).toString();
      if (name === 'useragent') agent = unquote(value).toString();
      if (name === 'expected_outcome') found.push({ file, robots, url, agent, allowed: value.trim() === 'ALLOWED' });
    }
    return found;
  });
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', "'": "'", '\\': '\\' };

function unquote(value: string): Buffer {
  const parts = [...value.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(([, inside = '']) => {
    // Bytes as latin1, so that \xEF stays one byte.
    const bytes = Buffer.from(inside, 'utf8').toString('latin1');
    return bytes.replace(/\\(x[0-9a-fA-F]{2}|.)/g, (_, code: string) =>
      code.length === 3 ? String.fromCharCode(Number.parseInt(code.slice(1), 16)) : (ESCAPES[code] ?? code),
    );
  });
  return Buffer.from(parts.join(''), 'latin1');
}

/** Path and query as Google's matcher reads them from a URL that is not canonical. */
function pathOf(url: string): string {
  const afterScheme = url.indexOf('//') < 0 ? 0 : url.indexOf('//') + 2;
  const start = url.slice(afterScheme).search(/[/?;]/);
  const path = start < 0 ? '' : url.slice(afterScheme + start).replace(/#.*$/, '');
  return path.startsWith('/') ? path : `/${path}`;
}

test('a no-break space of Latin-1 is a blank, and part of a letter in UTF-8', () => {
  const rules = (text: string, coding: BufferEncoding): readonly string[] =>
    robotsGroup(parseRobotsTxt(Buffer.from(text, coding)), 'bot')?.rules.map(({ pattern }) => pattern) ?? [];
  expect(rules('User-agent:\xa0bot\nDisallow:\xa0/private\xa0\n', 'latin1')).toEqual(['/private']);
  expect(rules('User-agent:\xa0bot\nDisallow:\xa0/private\xa0\n', 'utf8')).toEqual(['/private']);
  expect(rules('User-agent: bot\nDisallow: /voil\xe0\n', 'utf8')).toEqual(['/voil%C3%A0']);
});
