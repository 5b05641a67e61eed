import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnsOf, corpusOf, damp, rarity, vectorize } from '../../src/learn/index.ts';
import { bagOf } from './bags.ts';

describe('rarity', () => {
  it('is 1 + ln((1+n)/(1+df)), largest for words in no document', () => {
    const { bags, names } = corpusOf(['a b', 'a', 'a c'].map(bagOf));
    const { idf, unknown } = rarity(bags, names.length);
    expect(idf[0]).toBeCloseTo(1, 6);
    expect(idf[1]).toBeCloseTo(1 + Math.log(4 / 2), 6);
    expect(unknown).toBeCloseTo(1 + Math.log(4), 6);
  });

  it('is positive for every word', () => {
    const { bags, names } = corpusOf(Array.from({ length: 50 }, () => bagOf('the')));
    expect(rarity(bags, names.length).idf[0]).toBeGreaterThanOrEqual(1);
  });
});

describe('vectorize', () => {
  it('damps counts by their logarithm', () => {
    expect([0, 1, 10].map(damp)).toEqual([0, 1, 1 + Math.log(10)]);
  });

  it('has length 1 if every feature is selected, and less otherwise', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 }), fc.nat(3), (words, kept) => {
        const corpus = corpusOf([bagOf(words.join(' ')), bagOf('a x')]);
        const size = corpus.names.length;
        const weights = rarity(corpus.bags, size);
        const all = columnsOf(
          Int32Array.from({ length: size }, (_, i) => i),
          size,
        );
        const some = columnsOf(Int32Array.of(Math.min(kept, size - 1)), size);
        const square = (columns: Int32Array): number =>
          vectorize(corpus.bags[0]!, weights, columns).values.reduce((sum, v) => sum + v * v, 0);
        expect(square(all)).toBeCloseTo(1, 5);
        expect(square(some)).toBeLessThanOrEqual(1.00001);
      }),
    );
  });

  it('returns an empty vector for an empty document', () => {
    const corpus = corpusOf([undefined, bagOf('a')]);
    expect(vectorize(corpus.bags[0]!, rarity(corpus.bags, 1), Int32Array.of(0)).indices).toHaveLength(0);
  });
});
