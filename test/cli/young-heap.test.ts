import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { limitYoungHeaps, youngSpaceMb } from '../../src/cli/young-heap.ts';

const WORKER = fileURLToPath(new URL('./support/young-heap-worker.ts', import.meta.url));

/** What survives a while, as in a crawl: enough to make V8 let the space grow to its own limit. */
async function churn(rounds: number): Promise<void> {
  const kept: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < 5_000; i++) kept[(round % 8) * 5_000 + i] = { round, pair: [i, round], text: `n${i}` };
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe('limitYoungHeaps', () => {
  it('keeps the space for young objects small, of this thread and of those started later', async () => {
    const end = limitYoungHeaps();
    await churn(600);
    const ofWorker = await new Promise<number>((resolve, reject) => {
      const worker = new Worker(WORKER);
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    end();
    expect(youngSpaceMb()).toBeLessThanOrEqual(16);
    expect(ofWorker).toBeLessThanOrEqual(8);
  });
});
