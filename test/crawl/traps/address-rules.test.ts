import { describe, expect, it } from 'vitest';
import { AddressRules } from '../../../src/crawl/traps/address-rules.ts';

describe('rules of addresses', () => {
  const at = (path: string) => `http://x.test${path}`;

  /** The first page is met under one address, then under others. */
  function meet(rules: AddressRules, visits: readonly (readonly [path: string, page: number])[]): void {
    const first = new Map<number, string>();
    for (const [path, page] of visits) {
      const before = first.get(page);
      if (before === undefined) rules.fresh(at(path), page);
      else rules.same(at(path), page, at(before));
      first.set(page, before ?? path);
    }
  }

  it('learn that a part of the path is a session, and let one address of each page through', () => {
    const rules = new AddressRules();
    meet(rules, [
      ['/s/aa/one', 1],
      ['/s/bb/one', 1],
      ['/s/cc/two', 2],
      ['/s/dd/two', 2],
      ['/s/ee/one', 1],
    ]);
    expect(rules.describe('x.test')).toEqual(['the part of the path behind /s']);
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

  it('of all hosts together are bounded: those of the host heard of least recently are forgotten', () => {
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

  it('do not take numbers of articles for a session because a few articles are the same', () => {
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
