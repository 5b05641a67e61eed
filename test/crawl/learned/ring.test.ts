import { expect, test } from 'vitest';
import { Ring } from '../../../src/crawl/learned/ring.ts';
import { seededRandom } from '../../../src/kit/index.ts';

test('visits numbers in the order of their addition', () => {
  const ring = new Ring();
  for (const number of [5, 0, 3, 0]) ring.add(number);
  expect(ring.size).toBe(3);
  expect(Array.from({ length: 4 }, () => ring.next())).toEqual([5, 0, 3, 5]);
});

test('grows without limit', () => {
  const ring = new Ring();
  const numbers = Array.from({ length: 1000 }, (_, i) => i);
  for (const number of numbers) ring.add(number);
  expect(numbers.map(() => ring.next())).toEqual(numbers);
  const even = numbers.filter((number) => number % 2 === 0);
  for (const number of even) ring.delete(number + 1);
  expect(even.map(() => ring.next())).toEqual(even);
});

test('returns nothing if it is empty', () => {
  const ring = new Ring();
  expect(ring.next()).toBeUndefined();
  ring.add(1);
  ring.delete(1);
  ring.delete(7);
  expect(ring.next()).toBeUndefined();
});

/** The slow reference: a set, whose iterator sees additions and removals during a round. */
class NaiveRing {
  readonly #numbers = new Set<number>();
  #turn = this.#numbers.values();

  get size(): number {
    return this.#numbers.size;
  }

  add(number: number): void {
    this.#numbers.add(number);
  }

  delete(number: number): void {
    this.#numbers.delete(number);
  }

  next(): number | undefined {
    const item = this.#turn.next();
    if (item.done !== true) return item.value;
    this.#turn = this.#numbers.values();
    return this.#turn.next().value;
  }
}

test.each([
  [1, 600],
  [2, 600],
  [3, 600],
  [4, 6],
])('numbers that come and go: the same ring as those of a set, seed %i, below %i', (seed, below) => {
  const random = seededRandom(seed);
  const ring = new Ring();
  const naive = new NaiveRing();
  const visited: (number | undefined)[] = [];
  const expected: (number | undefined)[] = [];
  for (let step = 0; step < 20_000; step++) {
    const number = Math.floor(random() * below);
    const kind = random();
    if (kind < 0.5) {
      visited.push(ring.next());
      expected.push(naive.next());
    } else if (kind < 0.75) {
      ring.add(number);
      naive.add(number);
    } else {
      ring.delete(number);
      naive.delete(number);
    }
  }
  expect(visited).toEqual(expected);
  expect(ring.size).toBe(naive.size);
});
