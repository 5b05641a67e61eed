import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/core/index.ts';
import { Turns } from '../../../src/crawl/learned/turns.ts';

test('goes round in the order in which numbers came', () => {
  const turns = new Turns();
  for (const number of [5, 0, 3, 0]) turns.add(number);
  expect(turns.size).toBe(3);
  expect(Array.from({ length: 4 }, () => turns.next())).toEqual([5, 0, 3, 5]);
});

test('has room for as many as come', () => {
  const turns = new Turns();
  const numbers = Array.from({ length: 1000 }, (_, i) => i);
  for (const number of numbers) turns.add(number);
  expect(numbers.map(() => turns.next())).toEqual(numbers);
  const even = numbers.filter((number) => number % 2 === 0);
  for (const number of even) turns.delete(number + 1);
  expect(even.map(() => turns.next())).toEqual(even);
});

test('has no turn for nobody', () => {
  const turns = new Turns();
  expect(turns.next()).toBeUndefined();
  turns.add(1);
  turns.delete(1);
  turns.delete(7);
  expect(turns.next()).toBeUndefined();
});

/** The slow truth: a set, whose iterator sees what comes and goes while it goes round. */
class NaiveTurns {
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
])('numbers that come and go: the same turns as those of a set, seed %i, below %i', (seed, below) => {
  const random = seededRandom(seed);
  const turns = new Turns();
  const naive = new NaiveTurns();
  const visited: (number | undefined)[] = [];
  const expected: (number | undefined)[] = [];
  for (let step = 0; step < 20_000; step++) {
    const number = Math.floor(random() * below);
    const kind = random();
    if (kind < 0.5) {
      visited.push(turns.next());
      expected.push(naive.next());
    } else if (kind < 0.75) {
      turns.add(number);
      naive.add(number);
    } else {
      turns.delete(number);
      naive.delete(number);
    }
  }
  expect(visited).toEqual(expected);
  expect(turns.size).toBe(naive.size);
});
