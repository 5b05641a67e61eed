import { describe, expect, it } from 'vitest';
import { rank } from '../../src/postprocess/index.ts';

const match = (sequence: number, score: number, relevance: number) => ({ sequence, score, relevance });

describe('rank', () => {
  it('puts the better text match first when relevance is equal', () => {
    expect(rank([match(1, 2, 0.5), match(2, 4, 0.5)]).map((m) => m.sequence)).toEqual([2, 1]);
  });

  it('lets relevance decide between pages that match alike', () => {
    expect(rank([match(1, 3, 0.1), match(2, 3, 0.9)]).map((m) => m.sequence)).toEqual([2, 1]);
  });

  it('keeps the order of fetching among equals', () => {
    expect(rank([match(7, 1, 1), match(3, 1, 1)]).map((m) => m.sequence)).toEqual([3, 7]);
  });

  it('gives the best possible page the score 1, by hand: 0.7·(2/4) + 0.3·0.5 for half of both', () => {
    const [best, half] = rank([match(1, 4, 1), match(2, 2, 0.5)]);
    expect(best?.score).toBe(1);
    expect(half?.score).toBeCloseTo(0.5);
  });

  it('takes a relevance that is not known for none', () => {
    expect(rank([match(1, 1, Number.NaN), match(2, 1, 0.1)]).map((m) => m.sequence)).toEqual([2, 1]);
  });

  it('ranks nothing when nothing matches', () => {
    expect(rank([])).toEqual([]);
  });
});
