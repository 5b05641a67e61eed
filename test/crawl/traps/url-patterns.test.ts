import { describe, expect, it } from 'vitest';
import { joinParts, partsOf } from '../../../src/crawl/traps/url-parts.ts';
import { patternsOf, shapeStanding } from '../../../src/crawl/traps/url-patterns.ts';

describe('patterns of addresses', () => {
  const same = (a: string, b: string) =>
    patternsOf(`http://x.test${a}`).template === patternsOf(`http://x.test${b}`).template;

  it('take numbers and ids for each other, and nothing else', () => {
    expect(same('/calendar/2026/11/', '/calendar/1999/3/')).toBe(true);
    expect(same('/s/9f86d081884c7d65/a', '/s/2c26b46b68ffc68f/a')).toBe(true);
    expect(same('/wiki/Bee', '/wiki/Wax')).toBe(false);
    expect(same('/a/1', '/b/1')).toBe(false);
  });

  it('look at names of parameters, not at values or order', () => {
    expect(same('/shop?a=1&b=2', '/shop?b=9&a=8')).toBe(true);
    expect(same('/shop?a=1', '/shop?c=1')).toBe(false);
    expect(patternsOf('http://x.test/shop?a=1').path).toBe(patternsOf('http://x.test/shop?c=1').path);
  });

  it('of two hosts have nothing in common', () => {
    const [a, b] = [patternsOf('http://a.test/p/1'), patternsOf('http://b.test/p/1')];
    expect(Object.values(a).filter((hash) => Object.values(b).includes(hash))).toEqual([]);
  });

  it('come of parts that make the address again', () => {
    for (const url of ['http://a.test/', 'https://a.test:8080/b/c?d=e&f', 'http://a.test/b//c/'])
      expect(joinParts(partsOf(url))).toBe(url);
  });
});

describe('a path without end', () => {
  const limits = { maxPathDepth: 8, maxSegmentRepeats: 2 };
  const standing = (path: string) => shapeStanding(`http://x.test${path}`, limits);

  it('is doubtful when a folder comes twice, barred at the third time, and numbers may repeat', () => {
    expect(standing('/docs/guide/notes/')).toBe('free');
    expect(standing('/docs/guide/notes/guide/')).toBe('doubtful');
    expect(standing('/docs/guide/guide/notes/guide/')).toBe('barred');
    expect(standing('/2026/11/11/11/a')).toBe('free');
  });

  it('is barred when it is too deep', () => {
    expect(standing('/a/b/c/d/e/f/g/h')).toBe('free');
    expect(standing('/a/b/c/d/e/f/g/h/i')).toBe('barred');
  });

  it('is barred at small limits, too, and a slash at its end does not count', () => {
    const within = (maxPathDepth: number, path: string) =>
      shapeStanding(`http://x.test${path}`, { ...limits, maxPathDepth });
    expect(['/', '/a', '/a/'].map((path) => within(1, path))).toEqual(['free', 'free', 'free']);
    expect(['/a/b', '/a/b/c'].map((path) => within(1, path))).toEqual(['barred', 'barred']);
    expect([within(2, '/a/b/'), within(2, '/a/b/c')]).toEqual(['free', 'barred']);
    const once = { ...limits, maxSegmentRepeats: 1 };
    expect([shapeStanding('http://x.test/a/b', once), shapeStanding('http://x.test/a/a', once)]).toEqual([
      'free',
      'barred',
    ]);
    expect(['/a/b/a', '/a/a/a'].map(standing)).toEqual(['free', 'barred']);
  });
});
