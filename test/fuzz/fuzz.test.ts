import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type FuzzTarget, fuzz } from './fuzz.ts';
import { FuzzProcess } from './fuzz-process.ts';
import { mutated } from './mutate.ts';
import { FUZZ_TARGETS } from './targets.ts';

/** The number of inputs per parser; `npm run fuzz` runs without a limit. */
const INPUTS = 250;

describe('every parser handles any outside input, in time and correctly', () => {
  test.each(FUZZ_TARGETS.map((target) => [target.name, target] as const))('%s', async (_name, target) => {
    const { finding } = await fuzz(target, { seed: 1, inputs: Math.ceil(INPUTS * (target.share ?? 1)) });
    expect(
      finding &&
        `${finding.reason}
${JSON.stringify(finding.input.toString('latin1').slice(0, 300))}`,
    ).toBeUndefined();
  });
});

describe('the fuzzer', () => {
  const target = (check: (input: Buffer) => void): FuzzTarget => {
    return { name: 't', samples: [Buffer.from('a sample of some length')], words: ['needle'], check };
  };
  const needle = target((input) => {
    if (input.includes('needle')) throw new Error('found it');
  });

  test('finds and minimizes a failing input, and finds it again from the same seed', async () => {
    const first = await fuzz(needle, { seed: 7, inputs: 1_000 });
    expect(first.finding?.input.toString()).toBe('needle');
    expect(first.finding?.reason).toContain('found it');
    expect(await fuzz(needle, { seed: 7, from: first.finding!.n, inputs: 1 })).toMatchObject({
      finding: { n: first.finding!.n },
    });
  });

  test('reports slow input as a failure', async () => {
    const slow = { ...target(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)), maxMs: 10 };
    expect((await fuzz(slow, { seed: 1, inputs: 1 })).finding?.reason).toMatch(/^took \d+ ms/);
  });

  test('tries one input even without time, and yields to the event loop before each', async () => {
    expect(
      await fuzz(
        target(() => {}),
        { seed: 1, inputs: 9, timeMs: 0 },
      ),
    ).toEqual({ inputs: 1 });
    let turns = 0;
    const count = (): void => void (turns++ < 50 && setImmediate(count));
    setImmediate(count);
    await fuzz(
      target(() => {}),
      { seed: 1, inputs: 30 },
    );
    expect(turns).toBeGreaterThanOrEqual(29);
  });

  test('reaches every parser even in too little time, and lists what each got', async () => {
    const flags = ['--only', 'url,feed,warc.gz', '--time', '0.1', '--jobs', '1', '--seed', '1'];
    const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'run.ts'), ...flags]);
    const counts = [...stdout.matchAll(/^(\S+) +(\d+) inputs/gm)].map(([, name, count]) => [name, Number(count) > 0]);
    expect(counts.slice(0, 3)).toEqual([
      ['url', true],
      ['feed', true],
      ['warc.gz', true],
    ]);
  });

  test('continues in another process if an input hangs or kills its process', async () => {
    const fuzzer = new FuzzProcess(join(import.meta.dirname, 'support/fatal-worker.ts'), 500);
    const order = { target: 't', seed: 1, from: 0, inputs: 9, timeMs: 10_000 };
    expect(await fuzzer.run({ ...order, target: 'hangs' })).toMatchObject({
      inputs: 4,
      found: { n: 3, reason: 'never ends' },
      isProcessLost: true,
    });
    expect(await fuzzer.run({ ...order, target: 'dies' })).toMatchObject({
      found: { n: 3, reason: 'ended its process with 7' },
      isProcessLost: true,
    });
    expect(await fuzzer.run(order)).toEqual({ inputs: 9 });
    fuzzer.close();
  });

  test('makes different inputs', () => {
    const made = Array.from({ length: 200 }, (_, n) => mutated(needle.samples, needle.words, 1, n).toString('latin1'));
    expect(new Set(made).size).toBeGreaterThan(180);
  });
});
