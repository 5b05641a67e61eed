import { expect, test } from 'vitest';
import { AddressGate } from '../../../src/crawl/net/address-gate.ts';

/** Asks for an address under a name; the names of those that are let in, in that order. */
function visits(gate: AddressGate): {
  readonly inside: string[];
  ask(address: string, ...names: string[]): Promise<void>;
} {
  const inside: string[] = [];
  const ask = async (address: string, ...names: string[]): Promise<void> => {
    for (const name of names) void gate.enter(address).then(() => inside.push(name));
    await Promise.resolve();
  };
  return { inside, ask };
}

/** Lets what was begun come to its end. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('an address takes so many requests at a time, the others wait their turn, first come first', async () => {
  const gate = new AddressGate(2);
  const { inside, ask } = visits(gate);
  await ask('192.0.2.1', 'a', 'b', 'c', 'd', 'e');
  await settled();
  expect(inside.join('')).toBe('ab');
  for (const expected of ['abc', 'abcd', 'abcde', 'abcde', 'abcde']) {
    gate.leave('192.0.2.1');
    await settled();
    expect(inside.join('')).toBe(expected);
  }
  await ask('192.0.2.1', 'f', 'g', 'h');
  await settled();
  expect(inside.join('')).toBe('abcdefg');
});

test('one address does not wait for another', async () => {
  const gate = new AddressGate(1);
  const { inside, ask } = visits(gate);
  await ask('192.0.2.1', 'a', 'b');
  await ask('192.0.2.2', 'c');
  await settled();
  expect(inside.join('')).toBe('ac');
});

test('a place that nobody waits for is free again', async () => {
  const gate = new AddressGate(2);
  const { inside, ask } = visits(gate);
  await ask('192.0.2.1', 'a', 'b');
  gate.leave('192.0.2.1');
  await ask('192.0.2.1', 'c', 'd');
  await settled();
  expect(inside.join('')).toBe('abc');
});

test('without a limit nobody waits', async () => {
  const gate = new AddressGate(0);
  const { inside, ask } = visits(gate);
  await ask('192.0.2.1', ...'abcdefgh');
  await settled();
  expect(inside.join('')).toBe('abcdefgh');
});
