import { describe, expect, it } from 'vitest';
import type { Fingerprint } from '../../../src/crawl/index.ts';
import { RecentPages } from '../../../src/crawl/traps/recent-pages.ts';
import { seededRandom } from '../../../src/kit/index.ts';

const draw = seededRandom(5);
const print = (): Fingerprint => [Math.floor(draw() * 2 ** 32), Math.floor(draw() * 2 ** 32)];
/** Returns a fingerprint that differs in `bits` bits, at most 32. */
const apart = ([high, low]: Fingerprint, bits: number): Fingerprint => [high, (low ^ (2 ** bits - 1)) >>> 0];

describe('a page compared with the last pages of its host', () => {
  const isStale = (bits: number, title: string, host = 'x.test'): boolean => {
    const recent = new RecentPages(6);
    const first = print();
    expect(recent.note('x.test', { simhash: print(), title: 'Other' })).toBe(false);
    expect(recent.note('x.test', { simhash: first, title: 'First' })).toBe(false);
    expect(recent.note('x.test', { simhash: print(), title: 'Other' })).toBe(false);
    return recent.note(host, { simhash: apart(first, bits), title });
  };

  it('repeats one with its title, without numbers, that differs in a few bits', () => {
    expect([0, 6, 7].map((bits) => isStale(bits, 'First 2'))).toEqual([true, true, false]);
  });

  it('is new under a title of its own, however similar', () => {
    expect(isStale(0, 'Another')).toBe(false);
  });

  it('may differ in four more bits if the numbers of the title are equal, too', () => {
    expect([10, 11].map((bits) => isStale(bits, 'First'))).toEqual([true, false]);
  });

  it('is not compared with pages of other hosts', () => {
    expect(isStale(0, 'First', 'y.test')).toBe(false);
  });

  it('is compared with 32 of them', () => {
    const isKnownAfter = (pages: number): boolean => {
      const recent = new RecentPages(6);
      const first = { simhash: print(), title: 'First' };
      recent.note('x.test', first);
      for (let n = 0; n < pages; n++) recent.note('x.test', { simhash: print(), title: `${n}` });
      return recent.note('x.test', first);
    };
    expect([isKnownAfter(31), isKnownAfter(32)]).toEqual([true, false]);
  });

  it('is always new at -1', () => {
    const recent = new RecentPages(-1);
    const page = { simhash: print(), title: 'First' };
    recent.note('x.test', page);
    expect(recent.note('x.test', page)).toBe(false);
  });
});
