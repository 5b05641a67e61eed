import { parentPort, workerData } from 'node:worker_threads';
import { type Finding, fuzz } from './fuzz.ts';
import { FUZZ_TARGETS } from './targets.ts';

/** What a thread is to do. */
export interface FuzzOrder {
  readonly target: string;
  readonly seed: number;
  readonly from: number;
  readonly inputs: number;
  readonly timeMs: number;
}

/** How it went. */
export interface FuzzReport {
  readonly inputs: number;
  readonly finding?: Finding;
}

const { counter, ...order } = workerData as FuzzOrder & { readonly counter: SharedArrayBuffer };
const current = new Int32Array(counter);
// As in the converter's process: a stray rejection of a library belongs to the document at hand.
process.on('unhandledRejection', () => {});
const target = FUZZ_TARGETS.find(({ name }) => name === order.target)!;
const report: FuzzReport = await fuzz(target, { ...order, onInput: (n) => Atomics.store(current, 0, n) });
parentPort?.postMessage(report);
