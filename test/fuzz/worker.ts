/** The process in which `npm run fuzz` tries inputs. An input may kill it. */
import { openSync, writeSync } from 'node:fs';
import { type Finding, fuzz } from './fuzz.ts';
import { FUZZ_TARGETS } from './targets.ts';

/** The next order. */
export interface FuzzOrder {
  readonly target: string;
  readonly seed: number;
  readonly from: number;
  readonly inputs: number;
  readonly timeMs: number;
}

/** The result of an order. The input of a finding is in latin1. */
export interface FuzzReport {
  readonly inputs: number;
  readonly peakMb: number;
  readonly finding?: Pick<Finding, 'n' | 'reason'> & { readonly input: string };
}

// Writes the number of the current input to a file, readable if the process hangs or dies.
const progress = openSync(process.argv[2]!, 'w');
const number = new Float64Array(1);
const tell = (n: number): void => void writeSync(progress, number.fill(n), 0, 8, 0);

// Like the converter process: ignores stray rejections of a library, which belong to the current document.
process.on('unhandledRejection', () => {});
process.on('message', async (order: FuzzOrder) => {
  const target = FUZZ_TARGETS.find(({ name }) => name === order.target)!;
  const { inputs, finding } = await fuzz(target, { ...order, onInput: tell });
  tell(-1);
  const found = finding && { n: finding.n, reason: finding.reason, input: finding.input.toString('latin1') };
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  const report: FuzzReport = { inputs, peakMb, ...(found && { finding: found }) };
  process.send?.(report);
});
