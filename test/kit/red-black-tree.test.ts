import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RedBlackTree } from '../../src/kit/index.ts';

const ascending = (a: number, b: number): number => a - b;

/** Inserts (true) and deletes (false) of small numbers, so that both often find their number. */
const commands = fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 40 })), { maxLength: 300 });

describe('RedBlackTree', () => {
  it('is empty at first', () => {
    const tree = new RedBlackTree(ascending);
    expect([tree.size, tree.first, tree.last, [...tree]]).toEqual([0, undefined, undefined, []]);
  });

  it('rejects a second equal value, and deletes only stored values', () => {
    const tree = new RedBlackTree(ascending);
    expect([tree.insert(1), tree.insert(1), tree.delete(2), tree.delete(1), tree.delete(1)]).toEqual([
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  it('holds the same values as a plain set, in order, after any inserts and deletes', () => {
    fc.assert(
      fc.property(commands, (steps) => {
        const tree = new RedBlackTree(ascending);
        const model = new Set<number>();
        for (const [isInsert, value] of steps) {
          const changed = isInsert ? tree.insert(value) : tree.delete(value);
          expect(changed).toBe(isInsert ? !model.has(value) : model.has(value));
          if (isInsert) model.add(value);
          else model.delete(value);
          const sorted = [...model].sort(ascending);
          expect([tree.size, tree.first, tree.last]).toEqual([sorted.length, sorted[0], sorted.at(-1)]);
          expect([...tree]).toEqual(sorted);
          expect(tree.has(value)).toBe(model.has(value));
        }
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['ascending', (i: number) => i],
    ['descending', (i: number) => -i],
    ['inward from both ends', (i: number) => (i % 2 === 0 ? i : -i)],
    ['scattered', (i: number) => (i * 7919) % 20_011],
  ])('stays balanced when values come %s: no look takes more than 2·log2(n + 1) comparisons', (_, nth) => {
    let comparisons = 0;
    const tree = new RedBlackTree<number>((a, b) => {
      comparisons++;
      return a - b;
    });
    const values = Array.from({ length: 20_000 }, (_, i) => nth(i));
    const worstOf = (look: (value: number) => void, among: number[]): number =>
      Math.max(
        ...among.map((value) => {
          comparisons = 0;
          look(value);
          return comparisons;
        }),
      );
    expect(worstOf((value) => tree.insert(value), values)).toBeLessThanOrEqual(2 * Math.log2(20_001));
    const odd = values.filter((_, i) => i % 2 === 1);
    expect(worstOf((value) => tree.delete(value), odd)).toBeLessThanOrEqual(2 * Math.log2(20_001));
    const rest = values.filter((_, i) => i % 2 === 0);
    expect(worstOf((value) => tree.has(value), rest)).toBeLessThanOrEqual(2 * Math.log2(10_001));
  });
});
