import { expect, test } from 'vitest';
import { AddressGate } from '../../src/fetch/address-gate.ts';

const enter = (gate: AddressGate, address: string, times: number): string =>
  Array.from({ length: times }, () => (gate.enter(address) ? 'in' : 'full')).join(' ');

test('an address takes so many requests at a time', () => {
  const gate = new AddressGate(2);
  expect(enter(gate, '192.0.2.1', 4)).toBe('in in full full');
  gate.leave('192.0.2.1');
  expect(enter(gate, '192.0.2.1', 2)).toBe('in full');
});

test('one address does not fill another', () => {
  const gate = new AddressGate(1);
  expect(enter(gate, '192.0.2.1', 2)).toBe('in full');
  expect(enter(gate, '192.0.2.2', 1)).toBe('in');
});

test('without a limit no address is full', () => {
  expect(enter(new AddressGate(0), '192.0.2.1', 8)).toBe('in in in in in in in in');
});
