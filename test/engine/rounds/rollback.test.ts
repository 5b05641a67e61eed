import { describe, expect, test } from 'vitest';
import type { TopicEstimate } from '../../../src/core/index.ts';
import { confusion, drift } from '../../../src/engine/rounds/rollback.ts';
import type { Item } from '../../../src/engine/training/training-items.ts';

const ranked = (...ranks: number[]): TopicEstimate[] =>
  ranks.map((exampleRank, i) => ({ topic: `t${i}`, exampleRank }) as unknown as TopicEstimate);
const many = (n: number, rank: number): number[] => new Array<number>(n).fill(rank);

describe('drift', () => {
  test('means in a tree of few topics that one of them loses rank', () => {
    expect(drift(ranked(0.9, 0.9), ranked(0.95, 0.87))).toBe(
      'drift: the examples of "t1" fell from rank 0.900 to 0.870',
    );
    expect(drift(ranked(0.9, 0.9), ranked(0.95, 0.89))).toBe('');
    expect(drift(ranked(0.9), ranked(0.9, 0.1))).toBe('');
  });

  test('means in a tree of many that they lose rank on average', () => {
    const before = ranked(...many(20, 0.9));
    expect(drift(before, ranked(0.5, ...many(19, 0.93)))).toBe('');
    expect(drift(before, ranked(Number.NaN, ...many(19, 0.89)))).toBe('');
    expect(drift(before, ranked(...many(10, 0.9), ...many(10, 0.84)))).toBe(
      'drift: the examples of 20 topics fell from rank 0.900 to 0.870',
    );
  });
});

const item = (key: string, origin: Item['origin']): Item => {
  return { key, origin, topic: 'rail' as never, others: false, title: '', sequence: 0 };
};
const ITEMS = [item('a', 'user'), item('b', 'feedback'), item('c', 'archetype-by-authority'), item('d', 'rejected')];

describe('stand-ins for OTHERS', () => {
  test('are rejected if held-out examples score no better than they do', () => {
    const low = new Map(Object.entries({ a: -0.4, b: 0.3, c: 5, d: 0.1 }));
    expect(confusion({ items: ITEMS, heldOut: low })).toContain('the pages least like the examples');
    expect(confusion({ items: ITEMS, heldOut: new Map([...low, ['b', 0.5]]) })).toBe('');
  });

  test('are accepted if no page can be held out', () => {
    expect(confusion({ items: ITEMS, heldOut: new Map([['a', Number.NaN]]) })).toBe('');
  });
});
