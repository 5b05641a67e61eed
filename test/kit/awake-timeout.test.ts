import { expect, test } from 'vitest';
import { awakeTimeout } from '../../src/kit/index.ts';

test('calls back after its time is over, unless it was cancelled', async () => {
  const called: string[] = [];
  const cancel = awakeTimeout(10, () => called.push('cancelled'));
  awakeTimeout(20, () => called.push('over'));
  cancel();
  await expect.poll(() => called).toEqual(['over']);
});

test('starts again if the process was suspended meanwhile', async () => {
  let called = 0;
  awakeTimeout(300, () => called++);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(called).toBe(0);
  await expect.poll(() => called).toBe(1);
});
