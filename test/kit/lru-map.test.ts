import { describe, expect, it } from 'vitest';
import { LruMap } from '../../src/kit/lru-map.ts';

describe('LruMap', () => {
  it('evicts the least recently used entry if the map is too large', () => {
    const map = new LruMap<string, number>(2);
    map.set('a', 1);
    map.set('b', 2);
    map.get('a');
    map.set('c', 3);
    expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([1, undefined, 3]);
  });

  it('counts the growth of stored values', () => {
    const map = new LruMap<string, Set<number>>(5, (set) => set.size);
    const old = new Set([1, 2]);
    map.set('old', old);
    const young = new Set([1]);
    map.set('young', young);
    for (const n of [2, 3, 4]) {
      young.add(n);
      map.grew(1);
    }
    expect([map.peek('old'), map.peek('young')]).toEqual([undefined, young]);
    map.set('next', new Set([1]));
    expect(map.size).toBe(2);
  });
});
