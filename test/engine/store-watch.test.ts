import { expect, test } from 'vitest';
import { StoreWatch } from '../../src/engine/store-watch.ts';

function watched() {
  const world = { backlog: 0, now: 0 };
  const told: string[] = [];
  const watch = new StoreWatch({
    backlog: () => world.backlog,
    now: () => world.now,
    onStuck: (waiting) => told.push(`stuck with ${waiting}`),
    onBack: () => told.push('back'),
  });
  const at = (now: number, backlog: number): void => {
    Object.assign(world, { now, backlog });
    watch.look();
  };
  return { watch, told, at };
}

test('reports a store once that accepts nothing for five seconds, and its return', () => {
  const { watch, told, at } = watched();
  at(1_000, 7);
  watch.stored();
  at(5_900, 9);
  expect(told).toEqual([]);
  expect(watch.isStuck).toBe(false);
  at(6_100, 12);
  at(20_000, 12);
  expect(watch.isStuck).toBe(true);
  watch.stored();
  watch.stored();
  expect(watch.isStuck).toBe(false);
  expect(told).toEqual(['stuck with 12', 'back']);
});

test('never reports an idle store as stuck', () => {
  const { told, at } = watched();
  at(60_000, 0);
  at(64_000, 3);
  expect(told).toEqual([]);
  at(68_900, 3);
  expect(told).toEqual([]);
  at(69_000, 3);
  expect(told).toEqual(['stuck with 3']);
});

test('does not report records that may have arrived just before a late check', () => {
  const { told, at } = watched();
  at(30_000, 1);
  expect(told).toEqual([]);
});
