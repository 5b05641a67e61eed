import { expect, test } from 'vitest';
import { freeBytes } from '../../src/kit/index.ts';

test('empties freed buffers', () => {
  const bytes = new Uint8Array([1, 2, 3]);
  const whole = bytes.buffer;
  freeBytes(bytes);
  expect(bytes.byteLength).toBe(0);
  expect(whole.detached).toBe(true);
});

test('keeps views of a larger buffer and shared memory', () => {
  const whole = new Uint8Array([1, 2, 3]);
  freeBytes(whole.subarray(1));
  const shared = new Uint8Array(new SharedArrayBuffer(2)).fill(7);
  freeBytes(shared);
  expect([...whole, ...shared]).toEqual([1, 2, 3, 7, 7]);
});
