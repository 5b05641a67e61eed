/** `npm run fuzz`: tries generated inputs on every parser, in turn. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { endMisused, readFlags, readNumber } from '../../scripts/script-flags.ts';
import type { FuzzTarget } from './fuzz.ts';
import { type Ended, FuzzProcess } from './fuzz-process.ts';
import { FUZZ_TARGETS } from './targets.ts';

const HELP = `Usage: npm run fuzz -- [--inputs N] [--time SECONDS] [--seed N] [--from N] [--only NAME,NAME] [--jobs N]

  --inputs   inputs for each parser (default 20000; those that take long get a tenth)
  --time     seconds for the whole run (default 600); each parser gets the same share of them
  --seed     another seed, other inputs (default: the time); the same seed makes the same inputs
  --from     number of the first input, to make a finding again
  --only     these parsers alone: ${FUZZ_TARGETS.map(({ name }) => name).join(', ')}
  --jobs     processes (default: processors less one)

A finding is written to fuzz-findings/, with the flags that make it again; the exit code is then 1.
An input that is under way when the time is up is waited for, ten seconds at most.
`;

/** The number of turns per parser, so that an interrupted run has reached all parsers. */
const TURNS = 4;
const MAX_TURN_MS = 10_000;

/** The progress of a parser. */
interface Progress {
  readonly target: FuzzTarget;
  next: number;
  inputs: number;
  ms: number;
  /** Numbers of the inputs that hung or killed their process, in parsers with a process limit in production. */
  readonly fenced: number[];
  found: Ended['found'];
}

const values = readFlags({
  inputs: { type: 'string', default: '20000' },
  time: { type: 'string', default: '600' },
  seed: { type: 'string' },
  from: { type: 'string', default: '0' },
  only: { type: 'string' },
  jobs: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
  help: { type: 'boolean', default: false },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const seed = values.seed === undefined ? Date.now() % 1_000_000 : readNumber('seed', values.seed);
const from = readNumber('from', values.from);
const inputs = readNumber('inputs', values.inputs, 1);
const only = values.only?.split(',');
const unknown = only?.find((name) => !FUZZ_TARGETS.some((target) => target.name === name));
if (unknown !== undefined) endMisused(`there is no parser "${unknown}"`);
const all = FUZZ_TARGETS.filter(({ name }) => only === undefined || only.includes(name)).map(beginning);
const waiting = [...all];
const jobs = readNumber('jobs', values.jobs, 1);
const timeMs = readNumber('time', values.time) * 1000;
const deadline = performance.now() + timeMs;
let peakMb = 0;
const turnMs = Math.min(MAX_TURN_MS, (timeMs * jobs) / all.length / TURNS);

function beginning(target: FuzzTarget): Progress {
  return { target, next: from, inputs: 0, ms: 0, fenced: [], found: undefined };
}

function lastOf({ target }: Progress): number {
  return from + Math.ceil(inputs * (target.share ?? 1));
}

/** Runs turn after turn. Every parser gets its first turn, even if time is short. */
async function work(): Promise<void> {
  const fuzzer = new FuzzProcess();
  for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
    if (one.inputs > 0 && performance.now() >= deadline) continue;
    await turn(one, fuzzer);
    if (one.found === undefined && one.next < lastOf(one)) waiting.push(one);
  }
  peakMb = Math.max(peakMb, fuzzer.peakMb);
  fuzzer.close();
}

async function turn(one: Progress, fuzzer: FuzzProcess): Promise<void> {
  const { name, isFenced = false } = one.target;
  const started = performance.now();
  const order = { target: name, seed, from: one.next, inputs: lastOf(one) - one.next };
  const ended = await fuzzer.run({ ...order, timeMs: Math.min(turnMs, deadline - started) });
  one.ms += performance.now() - started;
  one.inputs += ended.inputs;
  one.next += ended.inputs;
  if (isFenced && ended.isProcessLost === true) one.fenced.push(one.next - 1);
  else one.found = ended.found;
}

function tell({ target: { name }, inputs, ms, fenced, found }: Progress): void {
  const rate = String(Math.round((inputs * 1000) / Math.max(1, ms))).padStart(6);
  const lost = `${fenced.length} never ended or ended their process, which the converter's fences are for: ${fenced.join(', ')}`;
  const note = fenced.length === 0 ? '' : `; ${lost}`;
  process.stdout.write(
    `${name.padEnd(12)} ${String(inputs).padStart(9)} inputs ${rate}/s  ${found ? 'FINDING' : 'sound'}${note}\n`,
  );
  if (found !== undefined) report(name, found);
}

function report(name: string, { n, reason, input }: NonNullable<Ended['found']>): void {
  mkdirSync('fuzz-findings', { recursive: true });
  const file = join('fuzz-findings', `${name}-${seed}-${n}.bin`);
  writeFileSync(file, input);
  process.stdout.write(
    `  ${reason.split('\n').slice(0, 6).join('\n  ')}\n  ${file}; again: npm run fuzz -- --only ${name} --seed ${seed} --from ${n} --inputs 10\n`,
  );
}

process.stdout.write(`seed ${seed}\n`);
await Promise.all(Array.from({ length: jobs }, work));
for (const one of all) tell(one);
const total = all.reduce((sum, { inputs }) => sum + inputs, 0);
const seconds = Math.round((performance.now() - deadline + timeMs) / 1000);
process.stdout.write(`${total} inputs in all, in ${seconds} s; at most ${peakMb} MB of memory a process\n`);
process.exit(all.some(({ found }) => found !== undefined) ? 1 : 0);
