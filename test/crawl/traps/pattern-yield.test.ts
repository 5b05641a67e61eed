import { describe, expect, it } from 'vitest';
import { PatternYield } from '../../../src/crawl/traps/pattern-yield.ts';

describe('the yield of a pattern', () => {
  const limits = { wastedFetches: 4, wastedShare: 0.75 };
  const month = (n: number) => `http://x.test/calendar/2026/${n}/`;

  it('makes URLs doubtful after four wasted fetches, and bars them after a hundred in a row', () => {
    const yields = new PatternYield(limits);
    for (let n = 1; n <= 3; n++) yields.wasted(month(n));
    expect(yields.standing(month(20))).toBe('free');
    expect(yields.wasted(month(4))).toBe(true);
    expect(yields.standing(month(20))).toBe('doubtful');
    for (let n = 5; n <= 99; n++) yields.wasted(month(n));
    expect(yields.standing(month(200))).toBe('doubtful');
    expect(yields.wasted(month(100))).toBe(true);
    expect(yields.standing(month(200))).toBe('barred');
  });

  it('depends on the last sixteen fetches; three quarters wasted makes URLs doubtful', () => {
    const standingAfter = (fresh: number, wasted: number) => {
      const yields = new PatternYield(limits);
      for (let n = 1; n <= fresh; n++) yields.fresh(month(n));
      for (let n = 1; n <= wasted; n++) yields.wasted(month(fresh + n));
      return yields.standing(month(999));
    };
    expect([standingAfter(3, 8), standingAfter(3, 9)]).toEqual(['free', 'doubtful']);
    expect([standingAfter(100, 11), standingAfter(100, 12)]).toEqual(['free', 'doubtful']);
  });

  it.each([
    ['a path with numbers', 4, (n: number) => `/archive/2026-${n}.html`, '/archive/2025-1.html'],
    ['a path, whatever its parameters', 4, (n: number) => `/archive/list?${'abcdefgh'[n]}=1`, '/archive/list?z=1'],
    ['a folder', 4, (n: number) => `/archive/${'abcdefgh'[n]}`, '/archive/z'],
    ['a first folder', 8, (n: number) => `/archive/${'abcdefgh'[n]}/text`, '/archive/z/text'],
  ])('of %s counts from %i wasted fetches on', (_, enough, path, other) => {
    const yields = new PatternYield(limits);
    const isFolder = other === '/archive/z';
    // Useful neighbours, so that the wider patterns are not doubtful.
    if (enough === 4)
      for (let n = 0; n < 20; n++) yields.fresh(`http://x.test/archive/${isFolder ? 'b/' : ''}text-${'x'.repeat(n)}`);
    for (let n = 0; n < enough - 1; n++) expect(yields.wasted(`http://x.test${path(n)}`)).toBe(false);
    expect(yields.standing(`http://x.test${other}`)).toBe('free');
    expect(yields.wasted(`http://x.test${path(enough - 1)}`)).toBe(true);
    expect(yields.standing(`http://x.test${other}`)).toBe('doubtful');
  });

  it('accepts a pattern that gives new pages now and then', () => {
    const yields = new PatternYield(limits);
    for (let n = 1; n <= 20; n++) {
      yields.wasted(month(2 * n));
      yields.fresh(month(2 * n + 1));
    }
    expect(yields.standing(month(99))).toBe('free');
  });

  it('doubts a pattern of accepted pages later, and never bars it', () => {
    const standingAfter = (wasted: number) => {
      const yields = new PatternYield(limits);
      for (let n = 1; n <= wasted; n++) yields.wasted(month(n), true);
      return yields.standing(month(9999));
    };
    expect([7, 8, 1000].map(standingAfter)).toEqual(['free', 'doubtful', 'doubtful']);
  });

  it('refunds the fetch of a page that led to another, and nothing for an accepted one', () => {
    const standingAfter = (wasted: number, isAccepted: boolean) => {
      const yields = new PatternYield(limits);
      for (let n = 1; n <= wasted; n++) yields.wasted(month(n), isAccepted);
      yields.redeemed(month(1));
      return yields.standing(month(99));
    };
    expect([standingAfter(4, false), standingAfter(5, false), standingAfter(8, true)]).toEqual([
      'free',
      'doubtful',
      'doubtful',
    ]);
  });

  it('does not blame the rest of the host for one folder', () => {
    const yields = new PatternYield(limits);
    for (let n = 1; n <= 15; n++) yields.wasted(`http://x.test/archive/page-about-${'abcdefghijklmno'[n - 1]}`);
    expect(yields.standing('http://x.test/archive/another')).toBe('doubtful');
    expect(yields.standing('http://x.test/articles/honey')).toBe('free');
    expect(yields.standing('http://y.test/archive/another')).toBe('free');
  });

  it('keeps the latest wasted patterns if there are too many', () => {
    const yields = new PatternYield(limits);
    for (let n = 1; n <= 100; n++) yields.wasted(month(n));
    const hosts = (name: string): string[] => Array.from({ length: 30_000 }, (_, n) => `http://${name}${n}.test/`);
    for (const url of hosts('new')) yields.fresh(url);
    expect(yields.standing(month(20))).toBe('barred');
    for (const url of hosts('broken')) yields.wasted(url);
    for (let n = 1; n <= 100; n++) yields.wasted(`http://y.test/calendar/2026/${n}/`);
    expect([yields.standing(month(20)), yields.standing('http://y.test/calendar/2026/20/')]).toEqual([
      'free',
      'barred',
    ]);
  });
});
