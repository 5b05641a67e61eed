import { describe, expect, it } from 'vitest';
import { type CanonicalUrl, canonicalize, DEFAULTS, hostOf } from '../../../src/core/index.ts';
import { type Fingerprint, TrapGuard } from '../../../src/crawl/index.ts';
import { seededRandom } from '../../../src/kit/index.ts';

describe('the guard', () => {
  it('treats partial pages as wasted fetches', () => {
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

  describe('treats pages that ask not to be stored', () => {
    const draw = seededRandom(8);
    const at = (path: string, host = 'x.test') => canonicalize(`http://${host}${path}`)!;
    const unstored = (guard: TrapGuard, url: CanonicalUrl): void =>
      guard.visit(
        { url, origin: { from: '' }, result: 'noindex', reason: 'links-followed', status: 200, retried: false },
        hostOf(url),
      );
    const found = (guard: TrapGuard, n: number, from: string): void => {
      const simhash: Fingerprint = [Math.floor(draw() * 2 ** 32), Math.floor(draw() * 2 ** 32)];
      const document = { simhash, tokens: 90, title: `${n}` };
      const page = { sequence: n, finalUrl: at(`/article/${n}`), host: 'x.test', status: 200, document };
      guard.page({ ...page, origin: { from }, isRelevant: false });
    };

    it('as wasted fetches while no page was found through them', () => {
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

    it('as the way to the pages found through them, each once', () => {
      const guard = new TrapGuard(DEFAULTS.traps);
      const list = (n: number) => at(`/list/${n}/`);
      for (let n = 1; n <= 6; n++) unstored(guard, list(n));
      expect(guard.standing(list(9), 'x.test')).toBe('doubtful');
      for (let n = 1; n <= 3; n++) found(guard, n, list(1));
      expect(guard.standing(list(9), 'x.test')).toBe('doubtful');
      for (let n = 4; n <= 6; n++) found(guard, n, list(n));
      expect(guard.standing(list(9), 'x.test')).toBe('free');
    });

    it('on host after host of a domain as visited hosts', () => {
      const guard = new TrapGuard({ ...DEFAULTS.traps, hostsPerDomain: 3 });
      for (const n of [1, 2, 3]) unstored(guard, at('/', `w${n}.x.test`));
      expect(guard.standing(at('/', 'w4.x.test'), 'w4.x.test')).toBe('doubtful');
    });
  });
});

describe('a fetch without a page', () => {
  const standingAfter = (visit: Partial<Parameters<TrapGuard['visit']>[0]>) => {
    const guard = new TrapGuard(DEFAULTS.traps);
    const failed = { result: 'failed', reason: 'http', status: 404, retried: false } as const;
    const at = (n: number) => canonicalize(`http://x.test/a/${n}`)!;
    for (let n = 1; n <= 4; n++) {
      // Requested earlier, so that the guard must update its answer.
      guard.standing(at(9), 'x.test');
      guard.visit({ ...failed, ...visit, url: at(n), origin: { from: 'http://x.test/' } }, 'x.test');
    }
    return guard.standing(at(9), 'x.test');
  };

  it.each([
    ['is not there', {}],
    ['is of another type', { result: 'refused', reason: 'type', status: 0 }],
    ['cannot be read', { reason: 'unusable', status: 200 }],
    ['comes too slowly', { reason: 'timeout', status: 0, retried: true }],
    ['breaks off', { reason: 'truncated', status: 200, retried: true }],
  ] as const)('is wasted on a page that %s', (_, visit) => {
    expect(standingAfter(visit)).toBe('doubtful');
  });

  it.each([
    ['name', { reason: 'dns', status: 0 }],
    ['server', { reason: 'connect', status: 0 }],
    ['certificate', { reason: 'tls', status: 0 }],
    ['robots.txt', { result: 'refused', reason: 'robots', status: 0 }],
    ['network', { result: 'refused', reason: 'private-address', status: 0 }],
    ['port', { result: 'refused', reason: 'port', status: 0 }],
    ['lock', { result: 'refused', reason: 'locked-host', status: 0 }],
    ['failures', { reason: 'bad-host', status: 0 }],
    ['load', { status: 503 }],
    ['trouble', { status: 500 }],
    ['patience', { status: 429 }],
    ['loss, and is tried again', { reason: 'reset', status: 0, retried: true }],
    ['redirect', { result: 'redirected', reason: 'permanent', status: 301 }],
    ['word that nothing changed', { result: 'unchanged', reason: 'not-modified', status: 304 }],
  ] as const)("does not blame the address pattern for the host's %s", (_, visit) => {
    expect(standingAfter(visit)).toBe('free');
  });
});

describe('copies', () => {
  const at = (path: string, host = 'x.test') => canonicalize(`http://${host}${path}`)!;
  const draw = seededRandom(9);
  const print = (): Fingerprint => [Math.floor(draw() * 2 ** 32), Math.floor(draw() * 2 ** 32)];
  const page = (guard: TrapGuard, sequence: number, url: CanonicalUrl, simhash = print(), tokens = 90): void =>
    guard.page({
      ...{ sequence, finalUrl: url, host: hostOf(url), status: 200, origin: { from: '' }, isRelevant: true },
      document: { simhash, tokens, title: `${sequence}` },
    });

  it('make a folder doubtful after four of them, and a first folder after eight', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    page(guard, 1, at('/original'));
    const told = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => {
      const before = guard.standing(at('/a/b/z'), 'x.test');
      guard.duplicate({ url: at(`/a/b/${'abcdefgh'[n - 1]}`), origin: { from: '' } }, 'x.test', 1);
      return [before, guard.takeChanged().hosts.length];
    });
    expect(told.map(([standing]) => standing)).toEqual([...Array(4).fill('free'), ...Array(4).fill('doubtful')]);
    expect(told.map(([, hosts]) => hosts)).toEqual([0, 0, 0, 1, 0, 0, 0, 1]);
  });

  it('under many URLs of one page bar only these URLs, and one URL per page is admitted', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    for (let n = 1; n <= 5; n++) {
      page(guard, n, at(`/shop/item-${'abcde'[n - 1]}?sid=1`));
      guard.standing(at('/shop/about'), 'x.test');
      guard.duplicate({ url: at(`/shop/item-${'abcde'[n - 1]}?sid=2`), origin: { from: '' } }, 'x.test', n);
    }
    expect(guard.standing(at('/shop/about'), 'x.test')).toBe('free');
    expect([guard.claim(at('/shop/z?sid=7'), 'x.test'), guard.claim(at('/shop/z?sid=8'), 'x.test')]).toEqual([
      true,
      false,
    ]);
  });

  it('of another host, page for page, redirect links to that host', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    for (let n = 1; n <= 4; n++) {
      page(guard, n, at(`/${n}`, 'a.site.test'));
      expect(guard.originalOf(at('/9', 'm.site.test'), 'm.site.test')).toBeUndefined();
      guard.duplicate({ url: at(`/${n}`, 'm.site.test'), origin: { from: '' } }, 'm.site.test', n);
    }
    expect(guard.originalOf(at('/9', 'm.site.test'), 'm.site.test')).toBe(at('/9', 'a.site.test'));
    expect(guard.originalOf(at('/9', 'a.site.test'), 'a.site.test')).toBeUndefined();
    expect(guard.takeChanged().hosts).toContain('m.site.test');
  });

  it('on a host with many pages of its own do not make it a mirror', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    for (let n = 1; n <= 6; n++) {
      page(guard, n, at(`/${n}`, 'a.site.test'));
      page(guard, 100 + n, at(`/own/${n}`, 'm.site.test'));
      guard.duplicate({ url: at(`/${n}`, 'm.site.test'), origin: { from: '' } }, 'm.site.test', n);
    }
    expect(guard.originalOf(at('/9', 'm.site.test'), 'm.site.test')).toBeUndefined();
  });

  it('count as near duplicates with the same title and at least 64 words', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    const [short, long] = [print(), print()];
    page(guard, 1, at('/short'), short, 63);
    page(guard, 2, at('/long'), long, 64);
    expect(guard.nearDuplicateOf({ simhash: short, tokens: 99, title: '1' })).toBeUndefined();
    expect(guard.nearDuplicateOf({ simhash: long, tokens: 63, title: '2' })).toBeUndefined();
    expect(guard.nearDuplicateOf({ simhash: long, tokens: 64, title: '2' })).toEqual({
      page: 2,
      how: 'near-duplicate',
    });
    expect(guard.nearDuplicateOf({ simhash: long, tokens: 64, title: 'another' })).toBeUndefined();
  });

  it('count as near duplicates up to the bits in the settings, and not at all at -1', () => {
    const one = print();
    const other: Fingerprint = [one[0], (one[1] ^ 0b111) >>> 0];
    const isCopy = (nearDuplicateBits: number, simhash: Fingerprint): boolean => {
      const guard = new TrapGuard({ ...DEFAULTS.traps, nearDuplicateBits });
      page(guard, 1, at('/'), one);
      return guard.nearDuplicateOf({ simhash, tokens: 90, title: '1' }) !== undefined;
    };
    expect([2, 3].map((bits) => isCopy(bits, other))).toEqual([false, true]);
    expect([-1, 0].map((bits) => isCopy(bits, one))).toEqual([false, true]);
  });

  it('trust a canonical URL of the same site, if the texts are alike', () => {
    const guard = new TrapGuard({ ...DEFAULTS.traps, staleBits: 14 });
    const one = print();
    page(guard, 1, at('/'), one);
    const asked = (bits: number, isSameSite: boolean) =>
      guard.nearDuplicateOf(
        { simhash: [one[0], (one[1] ^ (2 ** bits - 1)) >>> 0], tokens: 9, title: '' },
        { page: 1, isSameSite },
      );
    expect(asked(14, true)).toEqual({ page: 1, how: 'canonical' });
    expect([asked(15, true), asked(14, false)]).toEqual([undefined, undefined]);
  });
});

describe('redirects of one pattern', () => {
  const step = (n: number) => canonicalize(`http://x.test/go/${n}`)!;
  const way = (hops: number) => Array.from({ length: hops }, (_, n) => step(n));

  it('are endless with the fifth', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    expect([4, 5].map((hops) => guard.isEndlessRedirect(way(hops), step(9)))).toEqual([false, true]);
    expect(guard.isEndlessRedirect(way(9), canonicalize('http://x.test/page')!)).toBe(false);
    const between = way(5).flatMap((url, n) => [url, canonicalize(`http://y${'abcde'[n]}.test/`)!]);
    expect(guard.isEndlessRedirect(between, step(9))).toBe(true);
    expect(new TrapGuard({ ...DEFAULTS.traps, enabled: false }).isEndlessRedirect(way(9), step(9))).toBe(false);
  });

  it('are wasted fetches', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    guard.standing(step(9), 'x.test');
    for (const url of way(4)) guard.endlessRedirect(url, { from: '' });
    expect(guard.standing(step(9), 'x.test')).toBe('doubtful');
  });
});

describe('hosts of a domain', () => {
  const visit = (relevant: number) => {
    const guard = new TrapGuard({ ...DEFAULTS.traps, hostsPerDomain: 4 });
    for (let n = 1; n <= 20; n++) {
      const [host, document] = [
        `h${n}.x.test`,
        { simhash: [n, n] as const, tokens: 0, title: `Institute ${'abcdefghijklmnopqrst'[n - 1]}` },
      ];
      const finalUrl = canonicalize(`http://${host}/`)!;
      const page = { sequence: n, finalUrl, host, status: 200, document, origin: { from: finalUrl } };
      guard.page({ ...page, isRelevant: n <= relevant });
    }
    return guard.standing(canonicalize('http://h99.x.test/')!, 'h99.x.test');
  };

  it('beyond five allowances are barred unless two fifths had a relevant page', () => {
    expect([visit(7), visit(8)]).toEqual(['barred', 'free']);
  });

  const crowd = (hosts: readonly string[]): TrapGuard => {
    const guard = new TrapGuard({ ...DEFAULTS.traps, hostsPerDomain: 2 });
    for (const host of hosts) {
      const url = canonicalize(`http://${host}/`)!;
      guard.standing(url, host);
      guard.visit(
        { url, origin: { from: '' }, result: 'noindex', reason: 'links-followed', status: 200, retried: false },
        host,
      );
    }
    return guard;
  };
  const newcomer = (guard: TrapGuard, host: string) => guard.standing(canonicalize(`http://${host}/`)!, host);

  it('are reported when further ones become doubtful, and when they are barred', () => {
    const domains = (hosts: number) =>
      crowd(Array.from({ length: hosts }, (_, n) => `h${n}.x.test`)).takeChanged().domains;
    expect([1, 2].map(domains)).toEqual([[], ['x.test']]);
    const guard = crowd(Array.from({ length: 9 }, (_, n) => `h${n}.x.test`));
    expect(guard.takeChanged().domains).toEqual(['x.test']);
    guard.duplicate({ url: canonicalize('http://h9.x.test/')!, origin: { from: '' } }, 'h9.x.test', 1);
    expect(guard.takeChanged().domains).toEqual(['x.test']);
    expect(newcomer(guard, 'h10.x.test')).toBe('barred');
    expect(newcomer(guard, 'h1.x.test')).toBe('free');
  });

  it('are separate blogs below a public suffix, and IP addresses have no domain', () => {
    expect(newcomer(crowd(['a.github.io', 'b.github.io', 'c.github.io']), 'd.github.io')).toBe('free');
    expect(newcomer(crowd(['1.2.3.4', '1.2.3.5', '1.2.3.6:81']), '1.2.3.7')).toBe('free');
  });
});

describe('links of one site', () => {
  const failed = { result: 'failed', reason: 'http', status: 404, retried: false } as const;
  const at = (path: string): CanonicalUrl => canonicalize(`http://victim.test${path}`)!;
  const hostile = { from: 'http://hostile.test/' };

  it('bar no page of another site: dead links', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    for (let n = 1; n <= 400; n++) guard.visit({ ...failed, url: at(`/page/${n}`), origin: hostile }, 'victim.test');
    expect(guard.standing(at('/page/999'), 'victim.test')).toBe('free');
  });

  it('bar no page of another site: URLs that all return its error page', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    const document = { simhash: [1, 2] as const, tokens: 20, title: 'Not found' };
    const error = { sequence: 1, finalUrl: at('/?page=x0'), host: 'victim.test', status: 200, document };
    guard.page({ ...error, origin: hostile, isRelevant: false });
    for (let n = 1; n <= 400; n++) guard.duplicate({ url: at(`/?page=x${n}`), origin: hostile }, 'victim.test', 1);
    expect(guard.standing(at('/?page=real'), 'victim.test')).toBe('free');
    expect([1, 2].map((n) => guard.claim(at(`/?page=real${n}`), 'victim.test'))).toEqual([true, true]);
  });

  it('bar no page of another site: copies of its pages, fetched first', () => {
    const guard = new TrapGuard(DEFAULTS.traps);
    for (let n = 1; n <= 12; n++) {
      const document = { simhash: [n, n] as const, tokens: 90, title: `${n}` };
      const finalUrl = canonicalize(`http://hostile.test/${n}`)!;
      const page = { sequence: n, finalUrl, host: 'hostile.test', status: 200, document, origin: hostile };
      guard.page({ ...page, isRelevant: true });
    }
    const own = { from: 'http://victim.test/' };
    for (let n = 1; n <= 12; n++) guard.duplicate({ url: at(`/${n}`), origin: own }, 'victim.test', n);
    expect(guard.standing(at('/99'), 'victim.test')).toBe('free');
    expect(guard.originalOf(at('/99'), 'victim.test')).toBeUndefined();
  });
});

describe('pages with similar wording', () => {
  const fetch = (titleOf: (n: number) => string, isRelevant: boolean): TrapGuard => {
    const guard = new TrapGuard(DEFAULTS.traps);
    for (let n = 1; n <= 300; n++) {
      const finalUrl = canonicalize(`http://x.test/ref/${n}`)!;
      const document = { simhash: [7, n & 3] as const, tokens: 90, title: titleOf(n) };
      const page = { sequence: n, finalUrl, host: 'x.test', status: 200, document };
      guard.page({ ...page, origin: { from: 'http://x.test/' }, isRelevant });
    }
    return guard;
  };
  const name = (n: number): string => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
  const standing = (guard: TrapGuard) => guard.standing('http://x.test/ref/999', 'x.test');

  it('are worth their fetches if their titles have new words', () => {
    expect(standing(fetch(name, true))).toBe('free');
    expect(standing(fetch(name, false))).toBe('free');
  });

  it('wait last, and are never barred, if only their titles are old and topics accept them', () => {
    expect(standing(fetch((n) => `Entry ${n}`, true))).toBe('doubtful');
  });

  it('are barred after a hundred in a row if nothing is new and no topic accepts them', () => {
    expect(standing(fetch((n) => `Entry ${n}`, false))).toBe('barred');
  });
});
