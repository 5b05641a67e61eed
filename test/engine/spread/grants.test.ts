import { describe, expect, test } from 'vitest';
import type { ShardStanding } from '../../../src/core/index.ts';
import { Granting, sumGrants } from '../../../src/engine/index.ts';

const BEFORE = 100;
const standing = (next: readonly number[], fetched = 0): ShardStanding => ({
  ...{ sequence: 1, isIdle: false, waiting: 1_000, budget: 0, next },
  fetched: BEFORE + fetched,
});
const many = (priority: number): readonly number[] => Array.from({ length: 50 }, () => priority);

function ask(
  standings: readonly ShardStanding[],
  granted: ReadonlyMap<number, number> = new Map(),
  budget = 1_000,
): Parameters<Granting['next']>[0] {
  const { length: shards } = standings;
  return { shards, budget, granted, fetchedBefore: BEFORE, standings: new Map(standings.entries()) };
}

describe('grants of a spread crawl', () => {
  test('the best links of all shards are granted first', () => {
    const next = new Granting().next(ask([standing(many(0.2)), standing([0.9, 0.1]), standing([0.5])]), 0);
    expect(next).toEqual(
      new Map([
        [0, 1],
        [1, 1],
        [2, 1],
      ]),
    );
    const better = new Granting().next(ask([standing(many(0.2)), standing(many(0.9))]), 0);
    expect(better).toEqual(new Map([[1, 2]]));
  });

  test('as many pages are granted ahead as the shards fetch in a second and a half', () => {
    const granting = new Granting();
    granting.next(ask([standing(many(0.5))], new Map([[0, 20]])), 0);
    const next = granting.next(ask([standing(many(0.5), 20)], new Map([[0, 20]])), 1_000);
    expect(sumGrants(next!)).toBe(20 + 1 + 30);
  });

  test('a shard whose hosts must wait takes nothing from the others', () => {
    const granted = new Map([
      [0, 40],
      [1, 0],
    ]);
    const next = new Granting().next(ask([standing([]), standing(many(0.1))], granted), 0);
    expect(next?.get(1)).toBe(2);
  });

  test('a shard that uses no grant for three seconds does not keep the others waiting', () => {
    const granting = new Granting();
    const stuck = ask([standing(many(0.9)), standing(many(0.1))], new Map([[0, 50]]));
    expect(granting.next(stuck, 0)).toBeUndefined();
    expect(granting.next(stuck, 3_001)?.get(1)).toBe(2);
  });

  test('links that were granted are not granted again', () => {
    expect(new Granting().next(ask([standing([0.9, 0.8])], new Map([[0, 2]])), 0)).toBeUndefined();
  });

  test('the grants never exceed the budget', () => {
    const granting = new Granting();
    let granted: ReadonlyMap<number, number> = new Map();
    for (let turn = 0; turn < 50; turn++) {
      const standings = [0, 1].map((shard) => standing(many(0.5), granted.get(shard) ?? 0));
      granted = granting.next(ask(standings, granted, 77), 250 * turn) ?? granted;
    }
    expect(sumGrants(granted)).toBe(77);
  });
});
