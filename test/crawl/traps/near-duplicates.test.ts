import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/core/index.ts';
import { distance, type Fingerprint, MAX_DISTANCE, NearPages } from '../../../src/crawl/index.ts';
import { seededRandom } from '../../../src/kit/index.ts';

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

  it('equal the result of a full scan', () => {
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

  it('are found wherever the four differing bits are', () => {
    // First and last bit of each of the five parts of the lookup. Four bits leave one part unchanged.
    const parts = [
      [0, 12],
      [13, 25],
      [26, 38],
      [39, 51],
      [52, 63],
    ];
    const one = print();
    const near = new NearPages();
    near.add(one, 1);
    for (const spared of parts) {
      const ways = parts.filter((part) => part !== spared);
      for (let choice = 0; choice < 2 ** ways.length; choice++) {
        let [high, low] = one;
        for (const [i, part] of ways.entries()) {
          const place = part[(choice >> i) & 1]!;
          if (place < 32) low ^= 1 << place;
          else high ^= 1 << (place - 32);
        }
        expect(near.find([high >>> 0, low >>> 0], 4)).toBe(1);
      }
    }
  });

  it('are the nearest ones, and the newest of equals', () => {
    const near = new NearPages();
    const one = print();
    near.add(flipped(one, 1), 1);
    near.add(one, 2);
    near.add(one, 3);
    near.add(flipped(one, 1), 4);
    expect(near.find(one, MAX_DISTANCE)).toBe(3);
    expect(near.find(one, MAX_DISTANCE, (page) => page !== 3)).toBe(2);
  });

  it('are found up to the distance in the settings', () => {
    expect(MAX_DISTANCE).toBeGreaterThanOrEqual(DEFAULTS.traps.nearDuplicateBits);
  });

  it('respect the given limit', () => {
    const near = new NearPages();
    const one = print();
    near.add(one, 1);
    expect(near.find(flipped(one, 2), 1)).toBeUndefined();
    expect(near.find(flipped(one, 2), 2)).toBe(1);
    expect(near.find(one, 0)).toBe(1);
  });

  it('are evicted, the oldest first, if there are more than a million', () => {
    const near = new NearPages();
    const million = 2 ** 20;
    // The first and the last have a band of their own: no other page hides them.
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
