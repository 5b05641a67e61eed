import { expect, test } from 'vitest';
import { AddressGate } from '../../src/fetch/address-gate.ts';

const enter = (gate: AddressGate, address: string, times: number): string =>
  Array.from({ length: times }, () => (gate.enter(address) ? 'in' : 'full')).join(' ');

test('limits the simultaneous requests per IP address', () => {
  const gate = new AddressGate(2);
  expect(enter(gate, '192.0.2.1', 4)).toBe('in in full full');
  gate.leave('192.0.2.1');
  expect(enter(gate, '192.0.2.1', 2)).toBe('in full');
});

test('counts each IP address separately', () => {
  const gate = new AddressGate(1);
  expect(enter(gate, '192.0.2.1', 2)).toBe('in full');
  expect(enter(gate, '192.0.2.2', 1)).toBe('in');
});

test('never blocks an IP address without a limit', () => {
  expect(enter(new AddressGate(0), '192.0.2.1', 8)).toBe('in in in in in in in in');
});
