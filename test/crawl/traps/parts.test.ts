import { describe, expect, it } from 'vitest';
import { type CanonicalUrl, canonicalize, DEFAULTS, hostOf, seededRandom } from '../../../src/core/index.ts';
import { distance, type Fingerprint, MAX_DISTANCE, NearPages, TrapGuard } from '../../../src/crawl/index.ts';
import { AddressRules } from '../../../src/crawl/traps/address-rules.ts';
import { Mirrors } from '../../../src/crawl/traps/mirrors.ts';
import { PatternYield } from '../../../src/crawl/traps/pattern-yield.ts';
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

describe('near pages', () => {
  const draw = seededRandom(7);
  const print = (): Fingerprint => [Math.floor(draw() * 2 ** 32), Math.floor(draw() * 2 ** 32)];
  const flipped = ([high, low]: Fingerprint, bits: number): Fingerprint => {
    const places = new Set<number>();
    while (places.size < bits) places.add(Math.floor(draw() * 64));
    let [h, l] = [high, low];
    for (const place of places) {
      if (place < 32) l ^= 1 << place;
      else h ^= 1 << (place - 32);
    }
    return [h >>> 0, l >>> 0];
  };

  it('are found as a look at all of them finds them', () => {
    const near = new NearPages();
    const prints = Array.from({ length: 3000 }, print);
    for (const [page, one] of prints.entries()) near.add(one, page + 1);
    for (let i = 0; i < 500; i++) {
      const bits = i % 7;
      const asked = flipped(prints[i * 5]!, bits);
      const nearest = Math.min(...prints.map((one) => distance(one, asked)));
      const found = near.find(asked, MAX_DISTANCE);
      if (nearest > MAX_DISTANCE) expect(found).toBeUndefined();
      else expect(distance(prints[found! - 1]!, asked)).toBe(nearest);
    }
  });

  it('are found as far apart as the settings let them be', () => {
    expect(MAX_DISTANCE).toBeGreaterThanOrEqual(DEFAULTS.traps.nearDuplicateBits);
  });

  it('keep to the limit that is asked for', () => {
    const near = new NearPages();
    const one = print();
    near.add(one, 1);
    expect(near.find(flipped(one, 2), 1)).toBeUndefined();
    expect(near.find(flipped(one, 2), 2)).toBe(1);
    expect(near.find(one, 0)).toBe(1);
  });

  it('give way to newer ones, the oldest first, when there are more than a million', () => {
    const near = new NearPages();
    const million = 2 ** 20;
    // The first and the last have bits of their own in one band: no other page hides them.
    const alone = (band: number): Fingerprint => [(0xfff00000 | band) >>> 0, 0];
    near.add(alone(1), 1);
    for (let page = 2; page <= million; page++) near.add([page & 0xfffff, Math.imul(page, 0x9e3779b1) >>> 0], page);
    expect([near.find(alone(1), 0), near.size]).toEqual([1, million]);
    near.add(alone(2), million + 1);
    near.add(alone(3), million + 2);
    expect([1, 2, 3].map((band) => near.find(alone(band), 0))).toEqual([undefined, million + 1, million + 2]);
  });

  it('differ in as many bits as were flipped', () => {
    for (let bits = 0; bits <= 64; bits++) {
      const one = print();
      expect(distance(one, flipped(one, bits))).toBe(bits);
    }
  });
});

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

describe('the guard', () => {
  it('takes pages of which a part alone came for wasted fetches', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    const draw = seededRandom(7);
    const print = (): Fingerprint => [Math.floor(draw() * 2 ** 32), Math.floor(draw() * 2 ** 32)];
    const fetch = (n: number, status: number, folder: string): void => {
      const url = canonicalize(`http://x.test/${folder}/${n}`)!;
      const document = { simhash: print(), tokens: 90, title: `${n}` };
      const page = { sequence: status + n, finalUrl: url, host: 'x.test', status, document, origin: { from: '' } };
      guard.page({ ...page, isRelevant: true });
    };
    for (let n = 1; n <= 4; n++) {
      fetch(n, 200, 'whole');
      fetch(n, 206, 'part');
    }
    expect(guard.standing('http://x.test/whole/9', 'x.test')).toBe('free');
    expect(guard.standing('http://x.test/part/9', 'x.test')).toBe('doubtful');
  });

  describe('takes pages that ask not to be stored', () => {
    const draw = seededRandom(8);
    const at = (path: string, host = 'x.test') => canonicalize(`http://${host}${path}`)!;
    const unstored = (guard: TrapGuard, url: CanonicalUrl): void =>
      guard.visit({ url, result: 'noindex', reason: 'links-followed', status: 200, retried: false }, hostOf(url));
    const found = (guard: TrapGuard, n: number, from: string): void => {
      const simhash: Fingerprint = [Math.floor(draw() * 2 ** 32), Math.floor(draw() * 2 ** 32)];
      const document = { simhash, tokens: 90, title: `${n}` };
      const page = { sequence: n, finalUrl: at(`/article/${n}`), host: 'x.test', status: 200, document };
      guard.page({ ...page, origin: { from }, isRelevant: false });
    };

    it('for wasted fetches while nothing was found behind them', () => {
      const guard = new TrapGuard(DEFAULTS.traps);
      for (let n = 1; n <= 3; n++) unstored(guard, at(`/shop?page=${n}`));
      expect(guard.standing(at('/shop?page=9'), 'x.test')).toBe('free');
      unstored(guard, at('/shop?page=4'));
      expect(guard.standing(at('/shop?page=9'), 'x.test')).toBe('doubtful');
      expect(guard.takeChanged().hosts).toEqual(['x.test']);
      for (let n = 5; n <= 99; n++) unstored(guard, at(`/shop?page=${n}`));
      expect(guard.standing(at('/shop?page=100'), 'x.test')).toBe('doubtful');
      unstored(guard, at('/shop?page=100'));
      expect(guard.standing(at('/shop?page=101'), 'x.test')).toBe('barred');
    });

    it('for the way to the pages that were found behind them, each once', () => {
      const guard = new TrapGuard(DEFAULTS.traps);
      const list = (n: number) => at(`/list/${n}/`);
      for (let n = 1; n <= 6; n++) unstored(guard, list(n));
      expect(guard.standing(list(9), 'x.test')).toBe('doubtful');
      for (let n = 1; n <= 3; n++) found(guard, n, list(1));
      expect(guard.standing(list(9), 'x.test')).toBe('doubtful');
      for (let n = 4; n <= 6; n++) found(guard, n, list(n));
      expect(guard.standing(list(9), 'x.test')).toBe('free');
    });

    it('on host after host of a domain for hosts that were visited', () => {
      const guard = new TrapGuard({ ...DEFAULTS.traps, hostsPerDomain: 3 });
      for (const n of [1, 2, 3]) unstored(guard, at('/', `w${n}.x.test`));
      expect(guard.standing(at('/', 'w4.x.test'), 'w4.x.test')).toBe('doubtful');
    });
  });
});

describe('hosts of a domain', () => {
  const visit = (relevant: number) => {
    const guard = new TrapGuard({ ...DEFAULTS.traps, hostsPerDomain: 4 });
    for (let n = 1; n <= 20; n++) {
      const [host, document] = [`h${n}.x.test`, { simhash: [n, n] as const, tokens: 0, title: `${n}` }];
      const finalUrl = canonicalize(`http://${host}/`)!;
      const page = { sequence: n, finalUrl, host, status: 200, document, origin: { from: finalUrl } };
      guard.page({ ...page, isRelevant: n <= relevant });
    }
    return guard.standing(canonicalize('http://h99.x.test/')!, 'h99.x.test');
  };

  it('beyond five times the allowance are barred where few of those before had a relevant page', () => {
    expect(visit(4)).toBe('barred');
  });

  it('beyond it wait below all others where a quarter of those before had one', () => {
    expect(visit(5)).toBe('doubtful');
  });
});

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
