import { describe, expect, test } from 'vitest';
import type { TopicEstimate, TopicId } from '../../../src/core/index.ts';
import { confusion, drift, forgetting } from '../../../src/engine/rounds/rollback.ts';
import type { Item } from '../../../src/engine/training/training-items.ts';
import type { RankChange } from '../../../src/meta/index.ts';

const ranked = (...changes: readonly (readonly [was: number, is: number])[]): RankChange[] =>
  changes.map(([was, is], i) => ({ topic: `t${i}` as TopicId, was, is, intruders: 0 }));
const many = (n: number, was: number, is: number): [number, number][] =>
  Array.from({ length: n }, (): [number, number] => [was, is]);

describe('drift', () => {
  test('means in a tree of few topics that one of them loses rank', () => {
    expect(drift(ranked([0.9, 0.95], [0.9, 0.87]))).toBe('drift: the examples of "t1" fell from rank 0.900 to 0.870');
    expect(drift(ranked([0.9, 0.95], [0.9, 0.89]))).toBe('');
    expect(drift([])).toBe('');
  });

  test('means in a tree of many that they lose rank on average', () => {
    expect(drift(ranked([0.9, 0.5], ...many(19, 0.9, 0.93)))).toBe('');
    expect(drift(ranked(...many(10, 0.9, 0.9), ...many(10, 0.9, 0.84)))).toBe(
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

  const forgets = (heldOutAuc: number, ...ownRanks: readonly RankChange[]): string =>
    forgetting({ estimates: [{ topic: 't0', heldOutAuc } as unknown as TopicEstimate], ownRanks });

  test('are rejected if the examples lose rank among the user’s own counter-examples', () => {
    expect(forgets(0.9, ...ranked([1, 0.9]))).toBe(
      'the examples of "t0" stand out less from your own counter-examples',
    );
    expect(forgets(0.9, ...ranked([1, 0.99]))).toBe('');
  });

  test('are rejected if more than a tenth of the user’s own counter-examples would be accepted', () => {
    const [same] = ranked([1, 1]);
    expect(forgets(0.9, { ...same!, intruders: 0.5 })).toBe('"t0" would accept 50 % of your own counter-examples');
    expect(forgets(0.9, { ...same!, intruders: 0.1 })).toBe('');
  });

  test('are accepted if the examples clearly stand out from them', () => {
    expect(forgets(0.96, ...ranked([1, 0.5]))).toBe('');
    expect(forgets(Number.NaN, ...ranked([1, 0.5]))).not.toBe('');
  });

  test('must stand out by terms alone, whatever the leads of the pages say', () => {
    const estimate = (heldOutAuc: number): TopicEstimate => ({ topic: 't0', heldOutAuc }) as unknown as TopicEstimate;
    const [estimates, plainEstimates] = [[estimate(1)], [estimate(0.9)]];
    expect(forgetting({ estimates, plainEstimates, ownRanks: ranked([1, 0.5]) })).not.toBe('');
  });

  test('are accepted if no page can be held out', () => {
    expect(confusion({ items: ITEMS, heldOut: new Map([['a', Number.NaN]]) })).toBe('');
  });
});
