import { afterAll, expect, vi } from 'vitest';

/** State that a test file must not leave to the next one in the same process. */
function shared(): object {
  const listeners = process.eventNames().map((name) => [name, process.listenerCount(name)]);
  return { env: { ...process.env }, folder: process.cwd(), listeners, isTimeFake: vi.isFakeTimers() };
}

const before = shared();
afterAll(() => expect(shared()).toEqual(before));
