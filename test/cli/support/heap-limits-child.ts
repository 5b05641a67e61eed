/** Makes what survives a while, as a crawl does, in a process and in a thread of it, and tells how far their spaces grew. */
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { limitHeaps, youngSpaceMb } from '../../../src/cli/heap-limits.ts';

async function churn(): Promise<number> {
  const kept: unknown[] = [];
  for (let round = 0; round < 300; round++) {
    for (let i = 0; i < 5_000; i++) kept[(round % 20) * 5_000 + i] = { round, pair: [i, round], text: `n${i}` };
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return youngSpaceMb();
}

if (!isMainThread) parentPort?.postMessage(await churn());
else {
  const isLimited = process.argv[2] === 'limited';
  const end = isLimited ? limitHeaps() : () => {};
  const ofMain = await churn();
  const ofThread = await new Promise((resolve) => new Worker(new URL(import.meta.url)).once('message', resolve));
  end();
  process.stdout.write(JSON.stringify([ofMain, ofThread]));
}
