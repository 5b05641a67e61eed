/** The process in which `npm run fuzz` feeds parsers: it may be brought down by what it is fed with. */
import { openSync, writeSync } from 'node:fs';
import { type Finding, fuzz } from './fuzz.ts';
import { FUZZ_TARGETS } from './targets.ts';

/** What it is to do next. */
export interface FuzzOrder {
  readonly target: string;
  readonly seed: number;
  readonly from: number;
  readonly inputs: number;
  readonly timeMs: number;
}

/** How it went. The input of a finding is in latin1. */
export interface FuzzReport {
  readonly inputs: number;
  readonly peakMb: number;
  readonly finding?: Pick<Finding, 'n' | 'reason'> & { readonly input: string };
}

// The number of the input under way is told in a file: it can be read when the process is stuck or gone.
const progress = openSync(process.argv[2]!, 'w');
const number = new Float64Array(1);
const tell = (n: number): void => void writeSync(progress, number.fill(n), 0, 8, 0);

// As in the converter's process: a stray rejection of a library belongs to the document at hand.
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
