import { describe, expect, it } from 'vitest';
import { FarMirrors } from '../../../src/crawl/traps/far-mirrors.ts';

/** Copies of pages as a crawl of many sites meets them. */
class Met {
  readonly mirrors = new FarMirrors();
  readonly #fetched = new Map<string, number>();
  #page = 0;

  /** Fetches pages that no other host has. */
  own(host: string, count: number): this {
    this.#fetched.set(host, (this.#fetched.get(host) ?? 0) + count);
    return this;
  }

  /** Fetches the same page from hosts: first from the first one. */
  same(path: string, [first = '', ...copies]: readonly string[]): this {
    const page = ++this.#page;
    this.own(first, 1);
    for (const host of copies) {
      this.own(host, 1);
      const fetchedOf = (any: string): number => this.#fetched.get(any) ?? 0;
      this.mirrors.same(`http://${host}${path}`, { page, before: `http://${first}${path}` }, fetchedOf);
    }
    return this;
  }

  get found(): readonly string[] {
    return this.mirrors.unnoted.map(({ host, original }) => `${host} of ${original}`);
  }
}

describe('mirrors in other domains', () => {
  it('have eight pages of a host under the same paths, three quarters of those fetched from them', () => {
    const met = new Met().own('book.test', 20).own('copy.test', 2);
    for (const n of [1, 2, 3, 4, 5, 6, 7]) met.same(`/${n}`, ['book.test', 'copy.test']);
    expect(met.found).toEqual([]);
    met.same('/8', ['book.test', 'copy.test']);
    expect(met.found).toEqual(['copy.test of book.test']);
  });

  it('are the hosts of which less else is fetched, whichever was first', () => {
    const met = new Met().own('book.test', 20);
    for (let n = 0; n < 8; n++) met.same(`/${n}`, ['copy.test', 'book.test']);
    expect(met.found).toEqual(['copy.test of book.test']);
  });

  it('leave one host free if several are crawled side by side', () => {
    const met = new Met();
    const hosts = ['a.test', 'b.test', 'c.test'];
    for (let n = 0; n < 24; n++) met.same(`/${n}`, [...hosts.slice(n % 3), ...hosts.slice(0, n % 3)]);
    expect(met.found).toHaveLength(2);
    const free = hosts.filter((host) => !met.found.some((mirror) => mirror.startsWith(host)));
    expect(met.found.every((mirror) => mirror.endsWith(free[0]!))).toBe(true);
  });

  it('are neither hosts of one site, nor hosts that quote pages, nor pages under other paths', () => {
    const met = new Met();
    for (let n = 0; n < 12; n++) {
      met.same(`/${n}`, ['a.site.test', 'b.site.test']);
      met.same(`/${n}`, ['news.test', 'quoting.test']).own('quoting.test', 1).own('news.test', 1);
      met.mirrors.same(`http://other.test/x${n}`, { page: 100 + n, before: `http://third.test/${n}` }, () => 9);
    }
    expect(met.found).toEqual([]);
  });

  it('are returned until they are noted, and left if that is noted', () => {
    const met = new Met();
    for (let n = 0; n < 8; n++) met.same(`/${n}`, ['book.test', 'copy.test']);
    const { mirrors } = met;
    expect(met.found).toHaveLength(1);
    mirrors.note('copy.test', true);
    mirrors.note('near.test', false);
    expect(met.found).toEqual([]);
    expect(['copy.test', 'near.test', 'book.test'].map((host) => mirrors.isLeft(host))).toEqual([true, false, false]);
  });
});
