import { expect, test } from 'vitest';
import { type TopicId, VIAS } from '../../src/core/index.ts';
import { type PageOffer, PageOffers } from '../../src/crawl/page-offers.ts';
import { seededRandom } from '../../src/kit/index.ts';

const offer = (n: number): PageOffer => ({
  from: n % 5 === 0 ? '' : `http://h${n % 3}.test/ü/${n % 11}`,
  topic: `topic${n % 2}` as TopicId,
  depth: n % 7 === 0 ? 70_000 : n % 7,
  tunnelDepth: n % 4,
  via: VIAS[n % VIAS.length]!,
});

test('equal consecutive offers share an entry, others do not', () => {
  const offers = new PageOffers();
  const first = offers.keep(offer(1));
  expect(offers.keep({ ...offer(1) })).toBe(first);
  for (const other of [{ from: 'http://b.test/' }, { topic: 'x' as TopicId }, { depth: 9 }, { tunnelDepth: 9 }])
    expect(offers.offer(offers.keep({ ...offer(1), ...other }))).toEqual({ ...offer(1), ...other });
  expect(offers.offer(first)).toEqual(offer(1));
});

test('thousands of changing offers keep their contents', () => {
  const offers = new PageOffers();
  const random = seededRandom(7);
  const held: [id: number, offer: PageOffer][] = [];
  for (let step = 0; step < 20_000; step++) {
    if (held.length > 0 && random() < 0.48) {
      const [gone] = held.splice(Math.floor(random() * held.length), 1);
      expect(offers.offer(gone![0])).toEqual(gone![1]);
      offers.release(gone![0]);
    } else {
      const one = offer(Math.floor(random() * 300));
      for (let links = Math.ceil(random() * 5); links > 0; links--) held.push([offers.keep(one), one]);
    }
  }
  expect(held.length).toBeGreaterThan(1000);
  for (const [id, one] of held) expect(offers.offer(id)).toEqual(one);
});
