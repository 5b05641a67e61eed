import { describe, expect, test } from 'vitest';
import { confusion } from '../../../src/engine/rounds/undone.ts';
import type { Item } from '../../../src/engine/training/training-items.ts';

const item = (key: string, origin: Item['origin']): Item => {
  return { key, origin, topic: 'rail' as never, others: false, title: '', sequence: 0 };
};
const ITEMS = [item('a', 'user'), item('b', 'feedback'), item('c', 'archetype-by-authority'), item('d', 'rejected')];

describe('stand-ins for OTHERS', () => {
  test('are none when examples that are held out score no better than they do', () => {
    const low = new Map(Object.entries({ a: -0.4, b: 0.3, c: 5, d: 0.1 }));
    expect(confusion({ items: ITEMS, heldOut: low })).toContain('the pages least like the examples');
    expect(confusion({ items: ITEMS, heldOut: new Map([...low, ['b', 0.5]]) })).toBe('');
  });

  test('are believed where nothing can be held out', () => {
    expect(confusion({ items: ITEMS, heldOut: new Map([['a', Number.NaN]]) })).toBe('');
  });
});
