import { parentPort } from 'node:worker_threads';
import { youngSpaceMb } from '../../../src/cli/young-heap.ts';

const kept: unknown[] = [];
for (let round = 0; round < 200; round++)
  for (let i = 0; i < 20_000; i++) kept[(round % 8) * 20_000 + i] = { round, pair: [i, round], text: `n${i}` };
parentPort?.postMessage(youngSpaceMb());
