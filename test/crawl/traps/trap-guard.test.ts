import { describe, expect, it } from 'vitest';
import { type CanonicalUrl, canonicalize, DEFAULTS, hostOf, seededRandom } from '../../../src/core/index.ts';
import { type Fingerprint, TrapGuard } from '../../../src/crawl/index.ts';

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
