import { expect, test } from 'vitest';
import { HashSlots } from '../../src/kit/hash-slots.ts';
import { hash53, seededRandom } from '../../src/kit/index.ts';

test('keeps numbers with equal hashes apart, also after one is deleted', () => {
  const slots = new HashSlots();
  slots.set(5, 0);
  slots.set(5, 1);
  slots.delete(0);
  expect(slots.find(5)).toBe(1);
  expect(slots.size).toBe(1);
  slots.delete(1);
  expect(slots.find(5)).toBeUndefined();
  expect(slots.size).toBe(0);
});

test('finds the same entries as a map after random inserts and deletes', () => {
  const random = seededRandom(3);
  const slots = new HashSlots();
  const map = new Map<number, number>();
  for (let step = 0; step < 20_000; step++) {
    const number = Math.floor(random() * 2000);
    // Some hashes share their first slot.
    const hash = number % 3 === 0 ? 2 ** 30 * number : hash53(`u${number}`);
    if (random() < 0.5) {
      slots.set(hash, number);
      map.set(hash, number);
    } else if (map.delete(hash)) slots.delete(number);
  }
  expect(slots.size).toBe(map.size);
  expect([...slots.numbers()].toSorted((a, b) => a - b)).toEqual([...map.values()].toSorted((a, b) => a - b));
  for (const [hash, number] of map) expect(slots.find(hash)).toBe(number);
});
