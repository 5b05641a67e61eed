import { describe, expect, it } from 'vitest';
import { Mirrors } from '../../../src/crawl/traps/mirrors.ts';

describe('mirrors', () => {
  it('are hosts most of whose pages another host has under the same path', () => {
    const mirrors = new Mirrors();
    for (const n of [1, 2, 3, 4]) {
      mirrors.fetched('m.test');
      mirrors.same(`http://m.test/${n}`, `http://a.test/${n}`);
    }
    expect(mirrors.originalOf('http://m.test/5?x=1', 'm.test')).toBe('http://a.test/5?x=1');
    expect(mirrors.originalOf('http://a.test/5', 'a.test')).toBeUndefined();
  });

  it('are four pages of the other, three quarters of what was fetched of the host, told once', () => {
    const told = (own: number, same: number): readonly boolean[] => {
      const mirrors = new Mirrors();
      for (let n = 0; n < own; n++) mirrors.fetched('m.test');
      return Array.from({ length: same }, (_, n) => {
        mirrors.fetched('m.test');
        return mirrors.same(`http://m.test/${n}`, `http://a.test/${n}`);
      });
    };
    expect(told(0, 5)).toEqual([false, false, false, true, false]);
    expect(told(2, 6)).toEqual([false, false, false, false, false, true]);
  });

  it('are not hosts that have each page over http and https', () => {
    const mirrors = new Mirrors();
    for (let n = 1; n <= 9; n++) {
      mirrors.fetched('m.test');
      expect(mirrors.same(`https://m.test/${n}`, `http://m.test/${n}`)).toBe(false);
    }
    expect(mirrors.mirrored('m.test')).toBeUndefined();
  });

  it('are not hosts that quote a few pages, or have them under other paths', () => {
    const mirrors = new Mirrors();
    for (let n = 1; n <= 12; n++) {
      mirrors.fetched('q.test');
      if (n % 2 === 0) mirrors.same(`http://q.test/${n}`, `http://a.test/${n}`);
      mirrors.fetched('r.test');
      mirrors.same(`http://r.test/${n}`, `http://a.test/other-${n}`);
    }
    expect(mirrors.mirrored('q.test')).toBeUndefined();
    expect(mirrors.mirrored('r.test')).toBeUndefined();
  });

  it('are known, too, when both are crawled side by side', () => {
    const fetched = new Set<string>();
    const mirrors = new Mirrors((url) => fetched.has(url));
    const fetch = (host: string, other: string, n: number): void => {
      mirrors.fetched(host);
      if (fetched.has(`http://${other}/${n}`)) mirrors.same(`http://${host}/${n}`, `http://${other}/${n}`);
      else mirrors.fresh(`http://${host}/${n}`, host);
      fetched.add(`http://${host}/${n}`);
    };
    for (const host of ['a', 'm']) fetch(`${host}.test`, `${host === 'a' ? 'm' : 'a'}.test`, 0);
    for (let n = 1; n <= 8; n++) {
      fetch('a.test', 'm.test', n);
      fetch('m.test', 'a.test', n + 100);
    }
    expect(mirrors.mirrored('m.test')).toBeUndefined();
    for (let n = 1; n <= 8; n++) fetch('m.test', 'a.test', n);
    expect(mirrors.originalOf('http://m.test/50', 'm.test')).toBe('http://a.test/50');
  });

  it('of two crawled side by side are eight pages, three quarters of the paths fetched from both', () => {
    const isMirror = (same: number, different: number): boolean => {
      const mirrors = new Mirrors(() => true);
      for (let n = 0; n < 99; n++) mirrors.fetched('m.test');
      mirrors.same('http://m.test/0', 'http://a.test/0');
      for (let n = 1; n <= different; n++) mirrors.fresh(`http://m.test/other-${n}`, 'm.test');
      for (let n = 1; n < same; n++) mirrors.same(`http://m.test/${n}`, `http://a.test/${n}`);
      return mirrors.mirrored('m.test') !== undefined;
    };
    expect([isMirror(7, 0), isMirror(8, 0), isMirror(9, 3), isMirror(8, 3)]).toEqual([false, true, true, false]);
  });

  it('are not sites that have some pages in common and others of their own under the same paths', () => {
    const mirrors = new Mirrors(() => true);
    for (let n = 1; n <= 40; n++) {
      mirrors.fetched('m.test');
      if (n % 3 === 1) mirrors.fresh(`http://m.test/${n}`, 'm.test');
      else mirrors.same(`http://m.test/${n}`, `http://a.test/${n}`);
    }
    expect(mirrors.mirrored('m.test')).toBeUndefined();
  });

  it('never send each other their links in a circle', () => {
    const mirrors = new Mirrors();
    for (const n of [1, 2, 3, 4, 5]) {
      for (const [a, b] of [
        ['m.test', 'a.test'],
        ['a.test', 'm.test'],
      ] as const) {
        mirrors.fetched(a);
        mirrors.same(`http://${a}/${n}`, `http://${b}/${n}`);
      }
    }
    expect([mirrors.mirrored('m.test'), mirrors.mirrored('a.test')]).toEqual(['a.test', undefined]);
  });
});
