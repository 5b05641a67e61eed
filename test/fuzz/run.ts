/** `npm run fuzz`: feeds every parser of outside input with made-up inputs, a thread for each. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { FuzzTarget } from './fuzz.ts';
import { FUZZ_TARGETS } from './targets.ts';
import type { FuzzOrder, FuzzReport } from './worker.ts';

const HELP = `Usage: npm run fuzz -- [--inputs N] [--time SECONDS] [--seed N] [--from N] [--only NAME,NAME] [--jobs N]

  --inputs   inputs for each parser (default 20000; those that take long get a tenth)
  --time     seconds for each parser at the most (default 60)
  --seed     another seed, other inputs (default: the time); the same seed makes the same inputs
  --from     number of the first input, to make a finding again
  --only     these parsers alone: ${FUZZ_TARGETS.map(({ name }) => name).join(', ')}

A finding is written to fuzz-findings/, with the flags that make it again; the exit code is then 1.
`;

/** An input that takes longer than this never ends. */
const HANG_MS = 30_000;
const NEVER_ENDS = 'never ends';

interface Ended {
  readonly name: string;
  readonly inputs: number;
  readonly ms: number;
  readonly found?: { readonly n: number; readonly reason: string; readonly input: Uint8Array };
}

function runTarget(name: string, order: FuzzOrder): Promise<Ended> {
  const counter = new SharedArrayBuffer(8);
  const current = new Int32Array(counter);
  const started = performance.now();
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: { ...order, counter } });
  return new Promise((resolve) => {
    let last = -1;
    let since = performance.now();
    const end = (ended: Omit<Ended, 'name' | 'ms'>): void => {
      clearInterval(watch);
      void worker.terminate();
      resolve({ name, ms: performance.now() - started, ...ended });
    };
    const failed = (reason: string): void => {
      const n = Atomics.load(current, 0);
      end({ inputs: n - order.from, found: { n, reason, input: new Uint8Array(0) } });
    };
    const watch = setInterval(() => {
      const n = Atomics.load(current, 0);
      if (n !== last) since = performance.now();
      last = n;
      if (performance.now() - since > HANG_MS) failed(NEVER_ENDS);
    }, 500);
    worker.on('message', ({ inputs, finding }: FuzzReport) => end({ inputs, ...(finding && { found: finding }) }));
    worker.on('error', (error) => failed(`brought its thread down: ${error.message}`));
    worker.on('exit', (code) => failed(`ended its thread with code ${code}`));
  });
}

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '20000' },
    time: { type: 'string', default: '60' },
    seed: { type: 'string' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    jobs: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const only = values.only?.split(',');
const waiting = FUZZ_TARGETS.filter(({ name }) => only === undefined || only.includes(name));
let isClean = true;
let total = 0;
process.stdout.write(`seed ${seed}\n`);

async function work(): Promise<void> {
  for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) await workOff(target);
}

/** One parser after the other; behind an input that never ends it goes on, where the product would end it too. */
async function workOff({ name, share = 1, isFenced = false }: FuzzTarget): Promise<void> {
  const last = Number(values.from) + Math.ceil(Number(values.inputs) * share);
  const deadline = performance.now() + Number(values.time) * 1000;
  let [from, inputs, ms, fenced] = [Number(values.from), 0, 0, 0];
  for (;;) {
    const order = { target: name, seed, from, inputs: last - from, timeMs: deadline - performance.now() };
    const ended = await runTarget(name, order);
    inputs += ended.inputs;
    ms += ended.ms;
    const isEnded = isFenced && ended.found?.reason === NEVER_ENDS;
    if (isEnded) fenced++;
    from = (ended.found?.n ?? last) + 1;
    if (isEnded && from < last && performance.now() < deadline) continue;
    tell({ name, inputs, ms, fenced, ...(ended.found && !isEnded && { found: ended.found }) });
    return;
  }
}

function tell({ name, inputs, ms, fenced, found }: Ended & { readonly fenced: number }): void {
  total += inputs;
  const rate = String(Math.round((inputs * 1000) / Math.max(1, ms))).padStart(6);
  const note = fenced === 0 ? '' : `; ${fenced} never ended, which the converter's time limit is for`;
  process.stdout.write(
    `${name.padEnd(12)} ${String(inputs).padStart(9)} inputs ${rate}/s  ${found ? 'FINDING' : 'sound'}${note}\n`,
  );
  if (found !== undefined) report(name, found);
}

function report(name: string, { n, reason, input }: NonNullable<Ended['found']>): void {
  isClean = false;
  mkdirSync('fuzz-findings', { recursive: true });
  const file = join('fuzz-findings', `${name}-${seed}-${n}.bin`);
  writeFileSync(file, input);
  process.stdout.write(
    `  ${reason.split('\n').slice(0, 6).join('\n  ')}\n  ${file}; again: npm run fuzz -- --only ${name} --seed ${seed} --from ${n} --inputs 10\n`,
  );
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work));
process.stdout.write(`${total} inputs in all\n`);
process.exit(isClean ? 0 : 1);
