/** A process that input 3 of some targets kills. */
import { openSync, writeSync } from 'node:fs';
import type { FuzzOrder } from '../worker.ts';

const progress = openSync(process.argv[2]!, 'w');

process.on('message', ({ target, inputs }: FuzzOrder) => {
  if (target === 't') {
    process.send?.({ inputs, peakMb: 1 });
    return;
  }
  writeSync(progress, new Float64Array([3]), 0, 8, 0);
  if (target === 'dies') process.exit(7);
  for (;;);
});
