import { afterAll, expect, vi } from 'vitest';

/** What a file of tests may not leave to the next one in the same process. */
function shared(): object {
  const listeners = process.eventNames().map((name) => [name, process.listenerCount(name)]);
  return { env: { ...process.env }, folder: process.cwd(), listeners, isTimeFake: vi.isFakeTimers() };
}

const before = shared();
afterAll(() => expect(shared()).toEqual(before));
