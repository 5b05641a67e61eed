import { describe, expect, it } from 'vitest';
import { AddressRules } from '../../../src/crawl/traps/address-rules.ts';

describe('URL rules', () => {
  const at = (path: string) => `http://x.test${path}`;

  /** Visits the first page under one URL, then under others. */
  function meet(rules: AddressRules, visits: readonly (readonly [path: string, page: number])[]): void {
    const first = new Map<number, string>();
    for (const [path, page] of visits) {
      const before = first.get(page);
      if (before === undefined) rules.fresh(at(path), page);
      else rules.same(at(path), page, at(before));
      first.set(page, before ?? path);
    }
  }

  /** Visits each page under two URLs. */
  function meetTwins(
    rules: AddressRules,
    pages: readonly number[],
    of: (page: number) => readonly [first: string, second: string],
  ): void {
    meet(
      rules,
      pages.flatMap((page) => of(page).map((path) => [path, page] as const)),
    );
  }

  it('learn that a path segment is a session, and admit one URL of each page', () => {
    const rules = new AddressRules();
    meet(rules, [
      ['/s/aa/one', 1],
      ['/s/bb/one', 1],
      ['/s/cc/two', 2],
      ['/s/dd/two', 2],
      ['/s/ee/one', 1],
    ]);
    expect(rules.describe('x.test')).toEqual(['the path segment after /s']);
    expect(rules.claim(at('/s/ff/two'), 'x.test')).toBe(false);
    expect(rules.claim(at('/s/gg/three'), 'x.test')).toBe(true);
    expect(rules.claim(at('/s/hh/three'), 'x.test')).toBe(false);
    expect(rules.claim(at('/s/gg/three'), 'x.test')).toBe(true);
    expect(rules.claim('http://y.test/s/hh/three', 'y.test')).toBe(true);
  });

  it.each([
    ['the parameter zid', '/p?zid=', ''],
    ['http or https', '', ''],
    ['a slash at the end', '', '/'],
    ['index.html at the end', '', '/index.html'],
  ])('learn %s', (words, before, after) => {
    const rules = new AddressRules();
    for (let page = 1; page <= 4; page++) {
      const plain = before === '' ? `http://x.test/d${page}/e` : `http://x.test/d${page}${before}1`;
      const first = after === '/index.html' ? `${plain}/` : plain;
      const other =
        words === 'http or https'
          ? plain.replace('http:', 'https:')
          : before === ''
            ? `${plain}${after}`
            : `http://x.test/d${page}${before}2`;
      rules.fresh(first, page);
      rules.same(other, page, first);
    }
    expect(rules.describe('x.test')).toEqual([words]);
  });

  it('still admit one URL of each page, whatever other pages are fetched', () => {
    const rules = new AddressRules();
    meetTwins(rules, [1, 2, 3, 4], (page) => [`/d?id=${page}&z=1`, `/d?id=${page}&z=2`]);
    expect(rules.describe('x.test')).toEqual(['the parameter z']);
    expect(rules.claim(at('/d?id=9&z=3'), 'x.test')).toBe(true);
    rules.fresh(at('/d?id=10&z=4'), 10);
    expect(['/d?id=9&z=5', '/d?id=10&z=5', '/d?id=1&z=5'].map((path) => rules.claim(at(path), 'x.test'))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('combine: a session in the path and an irrelevant parameter', () => {
    const rules = new AddressRules();
    for (let page = 1; page <= 4; page++) {
      rules.fresh(at(`/s/a/${page}?z=1`), page);
      rules.same(at(`/s/b/${page}?z=1`), page, at(`/s/a/${page}?z=1`));
      rules.same(at(`/s/a/${page}?z=2`), page, at(`/s/a/${page}?z=1`));
    }
    expect(rules.describe('x.test')).toEqual(['the path segment after /s', 'the parameter z']);
    expect(['/s/c/9?z=3', '/s/d/9?z=4', '/s', '/s/', '/t/d/9'].map((path) => rules.claim(at(path), 'x.test'))).toEqual([
      true,
      false,
      true,
      true,
      true,
    ]);
  });

  it('are reported at the third pair, each once', () => {
    const rules = new AddressRules();
    const again = (part: string, page: number): boolean => {
      rules.fresh(at(`/${page}`), page);
      return rules.same(at(`/${page}?${part}`), page, at(`/${page}`)).isNew;
    };
    expect([1, 2, 3, 4].map((page) => again('z=1', page))).toEqual([false, false, true, false]);
    expect([5, 6, 7, 8].map((page) => again('y=1', page))).toEqual([false, false, true, false]);
  });

  it('are dropped if equal URLs gave two pages, unless four pairs support them', () => {
    const rules = new AddressRules();
    const pair = (page: number) => {
      rules.fresh(at(`/${page}?z=1`), page);
      return rules.same(at(`/${page}?z=2`), page, at(`/${page}?z=1`));
    };
    for (const page of [1, 2, 3]) expect(pair(page).explained).toBe(true);
    expect(rules.has('x.test')).toBe(true);
    rules.fresh(at('/4?z=1'), 4);
    rules.fresh(at('/4?z=2'), 5);
    expect(rules.has('x.test')).toBe(false);
    expect(pair(6)).toEqual({ explained: true, isNew: true });
    rules.fresh(at('/4?z=3'), 7);
    expect(pair(8).explained).toBe(false);
    expect([rules.has('x.test'), rules.claim(at('/9?z=1'), 'x.test'), rules.claim(at('/9?z=2'), 'x.test')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('learn that a slash at the end is irrelevant, whichever URL was first', () => {
    const rules = new AddressRules();
    meetTwins(rules, [1, 2, 3, 4], (page) => [`/d${page}/`, `/d${page}`]);
    expect(rules.describe('x.test')).toEqual(['a slash at the end']);
    expect(rules.claim(at('/'), 'x.test')).toBe(true);
  });

  it('learn that the order of parameters is irrelevant', () => {
    const rules = new AddressRules();
    meetTwins(rules, [1, 2, 3, 4], (page) => [`/d?a=${page}&b=2`, `/d?b=2&a=${page}`]);
    expect(rules.describe('x.test')).toEqual(['the order of parameters']);
  });

  it.each([
    ['another host', 'http://y.test/a/2', 'http://x.test/a/1'],
    ['two parts of the path', 'http://x.test/a/b/c', 'http://x.test/x/b/d'],
    ['the path and the parameters', 'http://x.test/a?z=1', 'http://x.test/b?z=2'],
    ['two parameters', 'http://x.test/a?y=1&z=1', 'http://x.test/a?y=2&z=2'],
    ['the scheme and the path', 'https://x.test/a', 'http://x.test/b'],
    ['a folder and what lies in it', 'http://x.test/x/b/', 'http://x.test/a/b'],
    ['a page below it', 'http://x.test/a/b', 'http://x.test/a'],
    ['the scheme and the parameters', 'https://x.test/a?z=1', 'http://x.test/a?z=2'],
    ['one parameter for another', 'http://x.test/a?y=1', 'http://x.test/a?z=1'],
    ['nothing', 'http://x.test/a?z=1', 'http://x.test/a?z=1'],
  ])('are not suspected by pages that differ in %s', (_, url, before) => {
    const rules = new AddressRules();
    rules.fresh(before, 1);
    expect(rules.same(url, 1, before).explained).toBe(false);
  });

  it('do not mistake any page of a folder for its index page', () => {
    const rules = new AddressRules();
    meetTwins(rules, [1, 2, 3, 4], (page) => [`/d${page}/`, `/d${page}/start`]);
    expect(rules.has('x.test')).toBe(false);
  });

  it('are limited over all hosts: the host visited least recently is forgotten', () => {
    const rules = new AddressRules();
    const hosts = Array.from({ length: 9 }, (_, n) => `h${n}.test`);
    hosts.forEach((host, h) => {
      for (let n = 0; n < 3; n++) {
        rules.fresh(`http://${host}/${n}?z=1`, n);
        rules.same(`http://${host}/${n}?z=2`, n, `http://${host}/${n}?z=1`);
      }
      expect(rules.has(host)).toBe(true);
      for (let n = 3; n < 20_000; n++) rules.fresh(`http://${host}/${n}?z=1`, 20_000 * h + n);
    });
    expect([rules.has(hosts[0]!), rules.has(hosts.at(-1)!)]).toEqual([false, true]);
  });

  it('do not mistake article numbers for a session because a few articles are equal', () => {
    const rules = new AddressRules();
    meet(rules, [
      ['/article/1', 1],
      ['/article/2', 1],
      ['/article/3', 3],
      ['/article/4', 4],
      ['/article/5', 3],
      ['/article/6', 6],
      ['/article/7', 1],
      ['/article/8', 8],
    ]);
    expect(rules.has('x.test')).toBe(false);
    expect(rules.claim(at('/article/9'), 'x.test')).toBe(true);
  });
});
