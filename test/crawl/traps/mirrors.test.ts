import { describe, expect, it } from 'vitest';
import { Mirrors } from '../../../src/crawl/traps/mirrors.ts';

describe('mirrors', () => {
  it('are hosts of one site: a copy on another site that is fetched first is no original', () => {
    const mirrors = new Mirrors();
    for (let n = 1; n <= 12; n++) {
      mirrors.fetched('victim.test');
      expect(mirrors.same(`http://victim.test/${n}`, `http://copier.test/${n}`)).toBe(false);
    }
    expect(mirrors.mirrored('victim.test')).toBeUndefined();
  });

  it('are hosts most of whose pages another host has under the same path', () => {
    const mirrors = new Mirrors();
    for (const n of [1, 2, 3, 4]) {
      mirrors.fetched('m.site.test');
      mirrors.same(`http://m.site.test/${n}`, `http://a.site.test/${n}`);
    }
    expect(mirrors.originalOf('http://m.site.test/5?x=1', 'm.site.test')).toBe('http://a.site.test/5?x=1');
    expect(mirrors.originalOf('http://a.site.test/5', 'a.site.test')).toBeUndefined();
  });

  it('share four pages, three quarters of the fetched ones; reported once', () => {
    const told = (own: number, same: number): readonly boolean[] => {
      const mirrors = new Mirrors();
      for (let n = 0; n < own; n++) mirrors.fetched('m.site.test');
      return Array.from({ length: same }, (_, n) => {
        mirrors.fetched('m.site.test');
        return mirrors.same(`http://m.site.test/${n}`, `http://a.site.test/${n}`);
      });
    };
    expect(told(0, 5)).toEqual([false, false, false, true, false]);
    expect(told(2, 6)).toEqual([false, false, false, false, false, true]);
  });

  it('are not hosts that have each page over http and https', () => {
    const mirrors = new Mirrors();
    for (let n = 1; n <= 9; n++) {
      mirrors.fetched('m.site.test');
      expect(mirrors.same(`https://m.site.test/${n}`, `http://m.site.test/${n}`)).toBe(false);
    }
    expect(mirrors.mirrored('m.site.test')).toBeUndefined();
  });

  it('are not hosts that quote a few pages, or have them under other paths', () => {
    const mirrors = new Mirrors();
    for (let n = 1; n <= 12; n++) {
      mirrors.fetched('q.site.test');
      if (n % 2 === 0) mirrors.same(`http://q.site.test/${n}`, `http://a.site.test/${n}`);
      mirrors.fetched('r.site.test');
      mirrors.same(`http://r.site.test/${n}`, `http://a.site.test/other-${n}`);
    }
    expect(mirrors.mirrored('q.site.test')).toBeUndefined();
    expect(mirrors.mirrored('r.site.test')).toBeUndefined();
  });

  it('are also recognised if both are crawled in parallel', () => {
    const fetched = new Set<string>();
    const mirrors = new Mirrors((url) => fetched.has(url));
    const fetch = (host: string, other: string, n: number): void => {
      mirrors.fetched(host);
      if (fetched.has(`http://${other}/${n}`)) mirrors.same(`http://${host}/${n}`, `http://${other}/${n}`);
      else mirrors.fresh(`http://${host}/${n}`, host);
      fetched.add(`http://${host}/${n}`);
    };
    for (const host of ['a', 'm']) fetch(`${host}.site.test`, `${host === 'a' ? 'm' : 'a'}.site.test`, 0);
    for (let n = 1; n <= 8; n++) {
      fetch('a.site.test', 'm.site.test', n);
      fetch('m.site.test', 'a.site.test', n + 100);
    }
    expect(mirrors.mirrored('m.site.test')).toBeUndefined();
    for (let n = 1; n <= 8; n++) fetch('m.site.test', 'a.site.test', n);
    expect(mirrors.originalOf('http://m.site.test/50', 'm.site.test')).toBe('http://a.site.test/50');
  });

  it('crawled in parallel share eight pages, three quarters of the common paths', () => {
    const isMirror = (same: number, different: number): boolean => {
      const mirrors = new Mirrors(() => true);
      for (let n = 0; n < 99; n++) mirrors.fetched('m.site.test');
      mirrors.same('http://m.site.test/0', 'http://a.site.test/0');
      for (let n = 1; n <= different; n++) mirrors.fresh(`http://m.site.test/other-${n}`, 'm.site.test');
      for (let n = 1; n < same; n++) mirrors.same(`http://m.site.test/${n}`, `http://a.site.test/${n}`);
      return mirrors.mirrored('m.site.test') !== undefined;
    };
    expect([isMirror(7, 0), isMirror(8, 0), isMirror(9, 3), isMirror(8, 3)]).toEqual([false, true, true, false]);
  });

  it('are not sites with some equal pages and different pages under the same paths', () => {
    const mirrors = new Mirrors(() => true);
    for (let n = 1; n <= 40; n++) {
      mirrors.fetched('m.site.test');
      if (n % 3 === 1) mirrors.fresh(`http://m.site.test/${n}`, 'm.site.test');
      else mirrors.same(`http://m.site.test/${n}`, `http://a.site.test/${n}`);
    }
    expect(mirrors.mirrored('m.site.test')).toBeUndefined();
  });

  it('never send each other their links in a circle', () => {
    const mirrors = new Mirrors();
    for (const n of [1, 2, 3, 4, 5]) {
      for (const [a, b] of [
        ['m.site.test', 'a.site.test'],
        ['a.site.test', 'm.site.test'],
      ] as const) {
        mirrors.fetched(a);
        mirrors.same(`http://${a}/${n}`, `http://${b}/${n}`);
      }
    }
    expect([mirrors.mirrored('m.site.test'), mirrors.mirrored('a.site.test')]).toEqual(['a.site.test', undefined]);
  });
});
