import { expect, test } from 'vitest';
import { seededRandom } from '../../src/kit/index.ts';
import { Names } from '../../src/kit/name-table.ts';
import { heldBytes } from '../crawl/support/held-bytes.ts';

test('keeps the number of a name as long as the name is in use', () => {
  const names = new Names();
  const random = seededRandom(11);
  const held: [name: string, id: number][] = [];
  for (let step = 0; step < 20_000; step++) {
    if (held.length > 0 && random() < 0.49) {
      const [gone] = held.splice(Math.floor(random() * held.length), 1);
      expect(names.name(gone![1])).toBe(gone![0]);
      names.release(gone![1]);
    } else {
      const name = random() < 0.01 ? '' : `ü${Math.floor(random() * 400)}.test`;
      held.push([name, names.keep(name)]);
    }
  }
  const numbers = new Map(held);
  expect(new Set(numbers.values()).size).toBe(numbers.size);
  for (const [name, id] of held) expect([names.name(id), id]).toEqual([name, numbers.get(name)]);
});

test('stores 100,000 names in 7.5 MB', () => {
  const names = new Names();
  const before = heldBytes();
  for (let i = 0; i < 100_000; i++) names.keep(`host${i}.example.test`);
  expect((heldBytes() - before) / 2 ** 20).toBeLessThan(7.5);
  expect(names.name(names.keep('host99999.example.test'))).toBe('host99999.example.test');
});
