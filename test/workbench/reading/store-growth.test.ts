import { describe, expect, test, vi } from 'vitest';
import { StoreError } from '../../../src/core/index.ts';
import { onGrowth } from '../../../src/workbench/reading/store-growth.ts';

describe('work after a store grows', () => {
  test('runs once for each check that finds more records, and not after stop', async () => {
    let records = 5;
    const work = vi.fn(async () => {});
    const growth = onGrowth({ count: async () => records }, work, { known: 5, lookMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(work).not.toHaveBeenCalled();
    records = 7;
    await expect.poll(() => work.mock.calls).toHaveLength(1);
    records = 9;
    await expect.poll(() => work.mock.calls).toHaveLength(2);
    await growth.stop();
    records = 11;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(work).toHaveBeenCalledTimes(2);
  });

  test('continues after a lost database server returns, and then does what it missed', async () => {
    let records = 5;
    let isLost = false;
    const answer = async (): Promise<number> => {
      if (isLost) throw new StoreError({ code: 'STORE_LOST', message: 'The server is gone.' });
      return records;
    };
    let made = 0;
    const work = async (): Promise<void> => {
      isLost ||= records === 7 && onLost.mock.calls.length === 0;
      made = await answer();
    };
    const onLost = vi.fn();
    const growth = onGrowth({ count: answer }, work, { known: 5, lookMs: 1, onLost });
    records = 7;
    await Promise.race([growth.failed, expect.poll(() => onLost.mock.calls).toHaveLength(1)]);
    isLost = false;
    await expect.poll(() => made).toBe(7);
    expect(onLost).toHaveBeenCalledTimes(1);
    await growth.stop();
  });

  test('reports if the store cannot be read any more', async () => {
    let isLost = false;
    const count = async (): Promise<number> => {
      if (isLost) throw new Error('lost');
      return 1;
    };
    const growth = onGrowth({ count }, async () => {}, { known: 1, lookMs: 1 });
    isLost = true;
    await expect(growth.failed).rejects.toThrow('lost');
  });
});
