import { describe, expect, it } from 'vitest';
import { type Match, rank } from '../../../src/postprocess/index.ts';

const match = (sequence: number, values: Partial<Match>): Match => ({
  ...{
    sequence,
    cosine: 0,
    bm25: 0,
    confidence: 0,
    relevance: 0,
    authority: 0,
    ib: 0,
    ir: 0,
    il: 0,
    votes: 0,
    sitevotes: 0,
  },
  ...values,
});
const order = (matches: readonly Match[], weights?: Parameters<typeof rank>[1]): number[] =>
  rank(matches, weights).map((m) => m.sequence);

describe('rank', () => {
  it('ranks the better text match first if relevance is equal', () => {
    expect(order([match(1, { bm25: 2, relevance: 0.5 }), match(2, { bm25: 4, relevance: 0.5 })])).toEqual([2, 1]);
  });

  it('lets relevance decide between equal matches', () => {
    expect(order([match(1, { bm25: 3, relevance: 0.1 }), match(2, { bm25: 3, relevance: 0.9 })])).toEqual([2, 1]);
  });

  it('orders by one measure only, regardless of the others', () => {
    const pages = [match(1, { cosine: 0.1, authority: 0.9 }), match(2, { cosine: 0.2, confidence: -1 })];
    expect(order(pages, { cosine: 1 })).toEqual([2, 1]);
    expect(order(pages, { authority: 1 })).toEqual([1, 2]);
    expect(order(pages, { confidence: 1, cosine: 0 })).toEqual([1, 2]);
  });

  it('keeps the fetch order of equal pages', () => {
    expect(order([match(7, { bm25: 1 }), match(3, { bm25: 1 })])).toEqual([3, 7]);
  });

  it('adds shares relative to the best, by hand: 0.6·(0.2/0.4) + 0.4·(3/3) in shares of 1', () => {
    const pages = [match(1, { cosine: 0.4 }), match(2, { cosine: 0.2, authority: 3 })];
    const [first, second] = rank(pages, { cosine: 6, authority: 4 });
    expect(first).toMatchObject({ sequence: 2, score: expect.closeTo(0.7) });
    expect(first?.shares.cosine).toBeCloseTo(0.3);
    expect(first?.shares.authority).toBeCloseTo(0.4);
    expect(second).toMatchObject({ sequence: 1, score: expect.closeTo(0.6) });
  });

  it('accepts the greatest possible weights', () => {
    const pages = [match(1, { cosine: 0.4 }), match(2, { cosine: 0.2 })];
    expect(rank(pages, { cosine: 1e308, authority: 1e308 }).map((m) => m.score)).toEqual([0.5, 0.25]);
  });

  it('uses relevance, which is a probability, unchanged', () => {
    expect(rank([match(1, { relevance: 0.5 })], { relevance: 2 })[0]?.score).toBe(0.5);
  });

  it('treats unknown and negative values as zero', () => {
    const pages = [match(1, { confidence: Number.NaN }), match(2, { confidence: -2 }), match(3, { confidence: 0.1 })];
    expect(rank(pages, { confidence: 1 }).map((m) => m.score)).toEqual([1, 0, 0]);
  });

  it('returns nothing if nothing matches', () => {
    expect(rank([])).toEqual([]);
  });

  it('shares the weight of votes among the others if no page has votes', () => {
    const pages = [match(1, { bm25: 2, relevance: 1 }), match(2, { bm25: 1, relevance: 1 })];
    const weights = { bm25: 0.6, relevance: 0.2, votes: 0.2 };
    expect(rank(pages, weights).map((m) => m.score)).toEqual([expect.closeTo(1), expect.closeTo(0.625)]);
    const [first] = rank([...pages, match(3, { votes: 1 })], weights);
    expect(first!.score).toBeCloseTo(0.8);
    expect(rank(pages, { votes: 1 }).map((m) => m.score)).toEqual([0, 0]);
  });
});
