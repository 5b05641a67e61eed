import { describe, expect, it } from 'vitest';
import { PatternYield } from '../../../src/crawl/traps/pattern-yield.ts';

describe('the yield of a pattern', () => {
  const limits = { wastedFetches: 4, wastedShare: 0.75 };
  const month = (n: number) => `http://x.test/calendar/2026/${n}/`;

  it('makes addresses doubtful after some wasted fetches, and bars them after twice as many', () => {
    const yields = new PatternYield(limits);
    for (let n = 1; n <= 3; n++) yields.wasted(month(n));
    expect(yields.standing(month(20))).toBe('free');
    expect(yields.wasted(month(4))).toBe(true);
    expect(yields.standing(month(20))).toBe('doubtful');
    expect(yields.wasted(month(5))).toBe(false);
    for (let n = 6; n <= 8; n++) yields.wasted(month(n));
    expect(yields.standing(month(20))).toBe('barred');
  });

  it('is three quarters waste where addresses are doubtful, nine tenths where they are barred', () => {
    const standingAfter = (fresh: number, wasted: number) => {
      const yields = new PatternYield(limits);
      for (let n = 1; n <= fresh; n++) yields.fresh(month(n));
      for (let n = 1; n <= wasted; n++) yields.wasted(month(fresh + n));
      return yields.standing(month(999));
    };
    expect([standingAfter(3, 8), standingAfter(3, 9)]).toEqual(['free', 'doubtful']);
    expect([standingAfter(2, 17), standingAfter(2, 18)]).toEqual(['doubtful', 'barred']);
  });

  it.each([
    ['a path with numbers', 4, (n: number) => `/archive/2026-${n}.html`, '/archive/2025-1.html'],
    ['a path, whatever its parameters', 4, (n: number) => `/archive/list?${'abcdefgh'[n]}=1`, '/archive/list?z=1'],
    ['a folder', 4, (n: number) => `/archive/${'abcdefgh'[n]}`, '/archive/z'],
    ['a first folder', 8, (n: number) => `/archive/${'abcdefgh'[n]}/text`, '/archive/z/text'],
    ['a host', 20, (n: number) => `/${'abcdefghijklmnopqrstuvwxyz'[n]}/a/text`, '/0/a/text'],
  ])('of %s counts from %i wasted fetches on', (_, enough, path, other) => {
    const yields = new PatternYield(limits);
    const isFolder = other === '/archive/z';
    // Honest neighbours, so that the wider patterns have nothing to say.
    if (enough === 4)
      for (let n = 0; n < 20; n++) yields.fresh(`http://x.test/archive/${isFolder ? 'b/' : ''}text-${'x'.repeat(n)}`);
    for (let n = 0; n < enough - 1; n++) expect(yields.wasted(`http://x.test${path(n)}`)).toBe(false);
    expect(yields.standing(`http://x.test${other}`)).toBe('free');
    expect(yields.wasted(`http://x.test${path(enough - 1)}`)).toBe(true);
    expect(yields.standing(`http://x.test${other}`)).toBe('doubtful');
  });

  it('lets a pattern be that gives new pages now and then', () => {
    const yields = new PatternYield(limits);
    for (let n = 1; n <= 20; n++) {
      yields.wasted(month(2 * n));
      yields.fresh(month(2 * n + 1));
    }
    expect(yields.standing(month(99))).toBe('free');
  });

  it('keeps a pattern of pages that are merely alike for the end, and bars it only after many, none of them relevant', () => {
    const [off, on] = [new PatternYield(limits), new PatternYield(limits)];
    for (let n = 1; n <= 60; n++) {
      off.stale(month(n), false);
      on.stale(month(n), n % 2 === 0);
    }
    expect([off.standing(month(999)), on.standing(month(999))]).toEqual(['doubtful', 'doubtful']);
    for (let n = 61; n <= 1000; n++) {
      off.stale(month(n), false);
      on.stale(month(n), n % 2 === 0);
    }
    expect([off.standing(month(9999)), on.standing(month(9999))]).toEqual(['barred', 'doubtful']);
  });

  it('bars where half of the waste is copies and errors, and does not where less is', () => {
    const standingAfter = (copies: number) => {
      const yields = new PatternYield(limits);
      for (let n = 1; n <= 8; n++) {
        if (n <= copies) yields.wasted(month(n));
        else yields.stale(month(n), false);
      }
      return yields.standing(month(99));
    };
    expect([standingAfter(4), standingAfter(3)]).toEqual(['barred', 'doubtful']);
  });

  it('bars pages that are merely alike unless a quarter of them were relevant', () => {
    const standingAfter = (relevant: number) => {
      const yields = new PatternYield(limits);
      for (let n = 1; n <= 100; n++) yields.stale(month(n), n <= relevant);
      return yields.standing(month(999));
    };
    expect([standingAfter(24), standingAfter(25)]).toEqual(['barred', 'doubtful']);
  });

  it('takes back what a page cost that led to another one, once, and nothing for a relevant one', () => {
    const standingAfter = (wasted: number, fresh: number, isRelevant: boolean) => {
      const yields = new PatternYield(limits);
      for (let n = 1; n <= fresh; n++) yields.fresh(month(50 + n));
      for (let n = 1; n <= wasted; n++) yields.stale(month(n), isRelevant);
      yields.redeemed(month(1));
      return yields.standing(month(99));
    };
    expect([standingAfter(4, 0, false), standingAfter(5, 0, false), standingAfter(5, 1, false)]).toEqual([
      'free',
      'doubtful',
      'free',
    ]);
    expect(standingAfter(4, 0, true)).toBe('doubtful');
  });

  it('does not blame the rest of the host for one folder', () => {
    const yields = new PatternYield(limits);
    for (let n = 1; n <= 15; n++) yields.wasted(`http://x.test/archive/page-about-${'abcdefghijklmno'[n - 1]}`);
    expect(yields.standing('http://x.test/archive/another')).toBe('barred');
    expect(yields.standing('http://x.test/articles/honey')).toBe('free');
    expect(yields.standing('http://y.test/archive/another')).toBe('free');
  });

  it('remembers what was wasted when there are more patterns than it can hold, the latest before the oldest', () => {
    const yields = new PatternYield(limits);
    for (let n = 1; n <= 8; n++) yields.wasted(month(n));
    const hosts = (name: string): string[] => Array.from({ length: 30_000 }, (_, n) => `http://${name}${n}.test/`);
    for (const url of hosts('new')) yields.fresh(url);
    expect(yields.standing(month(20))).toBe('barred');
    for (const url of hosts('broken')) yields.wasted(url);
    for (let n = 1; n <= 8; n++) yields.wasted(`http://y.test/calendar/2026/${n}/`);
    expect([yields.standing(month(20)), yields.standing('http://y.test/calendar/2026/20/')]).toEqual([
      'free',
      'barred',
    ]);
  });
});
