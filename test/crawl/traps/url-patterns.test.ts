import { describe, expect, it } from 'vitest';
import { joinParts, partsOf } from '../../../src/crawl/traps/url-parts.ts';
import { patternsOf, shapeStanding } from '../../../src/crawl/traps/url-patterns.ts';

describe('URL patterns', () => {
  const same = (a: string, b: string) =>
    patternsOf(`http://x.test${a}`).template === patternsOf(`http://x.test${b}`).template;

  it('treat numbers and ids as equal, and nothing else', () => {
    expect(same('/calendar/2026/11/', '/calendar/1999/3/')).toBe(true);
    expect(same('/s/9f86d081884c7d65/a', '/s/2c26b46b68ffc68f/a')).toBe(true);
    expect(same('/wiki/Bee', '/wiki/Wax')).toBe(false);
    expect(same('/a/1', '/b/1')).toBe(false);
  });

  it('depend on the first folder, or have none', () => {
    const top = (path: string) => patternsOf(`http://x.test${path}`).top;
    expect(top('/a')).toBe(top('/b'));
    expect([top('/a/b/c'), top('/a/')]).toEqual([top('/a/d'), top('/a/d')]);
    expect(new Set([top('/a'), top('/a/d'), top('/b/d')]).size).toBe(3);
  });

  it('separate a page without parameters from pages with parameters', () => {
    const [plain, asked] = [patternsOf('http://x.test/shop'), patternsOf('http://x.test/shop?a=1')];
    expect(plain.path).toBe(plain.template);
    expect(plain.path).not.toBe(asked.path);
  });

  it('use the names of parameters, not their values or order', () => {
    expect(same('/shop?a=1&b=2', '/shop?b=9&a=8')).toBe(true);
    expect(same('/shop?a=1', '/shop?c=1')).toBe(false);
    expect(patternsOf('http://x.test/shop?a=1').path).toBe(patternsOf('http://x.test/shop?c=1').path);
  });

  it('of two hosts have nothing in common', () => {
    const [a, b] = [patternsOf('http://a.test/p/1'), patternsOf('http://b.test/p/1')];
    expect(Object.values(a).filter((hash) => Object.values(b).includes(hash))).toEqual([]);
  });

  it('consist of parts that rebuild the URL', () => {
    for (const url of ['http://a.test/', 'https://a.test:8080/b/c?d=e&f', 'http://a.test/b//c/'])
      expect(joinParts(partsOf(url))).toBe(url);
  });
});

describe('an endless path', () => {
  const limits = { maxPathDepth: 8, maxSegmentRepeats: 2 };
  const standing = (path: string) => shapeStanding(`http://x.test${path}`, limits);

  it('is doubtful if a folder repeats, barred at the third time; numbers may repeat', () => {
    expect(standing('/docs/guide/notes/')).toBe('free');
    expect(standing('/docs/guide/notes/guide/')).toBe('doubtful');
    expect(standing('/docs/guide/guide/notes/guide/')).toBe('barred');
    expect(standing('/2026/11/11/11/a')).toBe('free');
  });

  it('is not doubtful with fewer than three folders, whatever slashes its parameters have', () => {
    const standings = ['/a/a', '/a/b/a', '/a/a/', '/a/a?next=/b/c', '/a/b/a?at=http://y.test/'].map(standing);
    expect(new Set(standings)).toEqual(new Set(['free']));
    expect(['/a/b/a/', '/a/b/c/a', '/a/b/c/a?next=/d'].map(standing)).toEqual(['doubtful', 'doubtful', 'doubtful']);
  });

  it('is doubtful if a folder repeats as often as allowed', () => {
    const within = (maxSegmentRepeats: number, path: string) =>
      shapeStanding(`http://x.test${path}`, { ...limits, maxSegmentRepeats });
    expect(['/a/b/a/c', '/a/b/a/c/a', '/a/a/a/a/b'].map((path) => within(3, path))).toEqual([
      'free',
      'doubtful',
      'barred',
    ]);
    expect(within(1, '/a/b/c/d/e')).toBe('free');
  });

  it('is barred if it is too deep', () => {
    expect(standing('/a/b/c/d/e/f/g/h')).toBe('free');
    expect(standing('/a/b/c/d/e/f/g/h/i')).toBe('barred');
  });

  it('is barred also at small limits, and a slash at its end does not count', () => {
    const within = (maxPathDepth: number, path: string) =>
      shapeStanding(`http://x.test${path}`, { ...limits, maxPathDepth });
    expect(['/', '/a', '/a/'].map((path) => within(1, path))).toEqual(['free', 'free', 'free']);
    expect(['/a/b', '/a/b/', '/a/b/c'].map((path) => within(1, path))).toEqual(['barred', 'barred', 'barred']);
    expect([within(2, '/a/b/'), within(2, '/a/b/c')]).toEqual(['free', 'barred']);
    const once = { ...limits, maxSegmentRepeats: 1 };
    expect([shapeStanding('http://x.test/a/b', once), shapeStanding('http://x.test/a/a', once)]).toEqual([
      'free',
      'barred',
    ]);
    expect(['/a/b/a', '/a/a/a'].map(standing)).toEqual(['free', 'barred']);
  });
});
