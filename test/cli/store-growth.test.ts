import { describe, expect, test, vi } from 'vitest';
import { onGrowth } from '../../src/cli/store-growth.ts';

describe('work on the growth of a store', () => {
  test('is done once for each look that finds more records, and no more after stop', async () => {
    let records = 5;
    const work = vi.fn(async () => {});
    const growth = onGrowth({ count: async () => records }, work, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(work).not.toHaveBeenCalled();
    records = 7;
    await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(1));
    records = 9;
    await vi.waitFor(() => expect(work).toHaveBeenCalledTimes(2));
    await growth.stop();
    records = 11;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(work).toHaveBeenCalledTimes(2);
  });

  test('tells when the store cannot be read any more', async () => {
    let isLost = false;
    const count = async (): Promise<number> => {
      if (isLost) throw new Error('lost');
      return 1;
    };
    const growth = onGrowth({ count }, async () => {}, 1);
    isLost = true;
    await expect(growth.failed).rejects.toThrow('lost');
  });
});
