import { mutated } from './mutate.ts';

/** A parser of outside input, what it is fed with, and what must hold of all that comes out. */
export interface FuzzTarget {
  readonly name: string;
  /** Whole inputs, from which others are made. */
  readonly samples: readonly Uint8Array[];
  /** Words of the language, put in anywhere. */
  readonly words: readonly string[];
  /** What it gets of the inputs: for parsers that take long. Default: 1. */
  readonly share?: number;
  /**
   * In the product it runs in a process that is ended when it takes too long: there an input that never ends costs its own page
   * alone, and is counted, not found.
   */
  readonly isFenced?: boolean;
  /** Milliseconds that no input may take. Default: 1,000. */
  readonly maxMs?: number;
  /** Feeds one input. Throws when something does not hold; errors that are the parser's answer are caught inside. */
  check(input: Buffer): void | Promise<void>;
}

/** An input for which something does not hold. */
export interface Finding {
  readonly target: string;
  /** Which input of the run. */
  readonly n: number;
  readonly reason: string;
  /** Made as small as it could be in a moment. */
  readonly input: Buffer;
}

export interface FuzzOptions {
  readonly seed: number;
  readonly from?: number;
  readonly inputs: number;
  readonly timeMs?: number;
  /** Told before each input, for whoever watches for one that never ends. */
  readonly onInput?: (n: number) => void;
}

export interface FuzzResult {
  readonly inputs: number;
  readonly finding?: Finding;
}

const DEFAULT_MAX_MS = 1000;

/** Feeds inputs until one fails, or the number or the time is up; one at the least, however little time there is. */
export async function fuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzResult> {
  const { seed, from = 0, inputs, timeMs = Number.POSITIVE_INFINITY } = options;
  const started = performance.now();
  for (let n = from; n < from + inputs; n++) {
    if (n > from && performance.now() - started > timeMs) return { inputs: n - from };
    options.onInput?.(n);
    const input = mutated(target.samples, target.words, seed, n);
    const reason = await failure(target, input);
    if (reason === undefined) continue;
    const small = await smaller(target, input);
    return {
      inputs: n - from + 1,
      finding: { target: target.name, n, reason: (await failure(target, small)) ?? reason, input: small },
    };
  }
  return { inputs };
}

/** Why an input fails; `undefined` when all holds. A slow one is tried again: machines have hiccups. */
async function failure(target: FuzzTarget, input: Buffer): Promise<string | undefined> {
  const limit = target.maxMs ?? DEFAULT_MAX_MS;
  await turn();
  let ms = 0;
  for (let tries = 0; tries < 3; tries++) {
    const started = performance.now();
    try {
      await target.check(Buffer.from(input));
    } catch (error) {
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    ms = performance.now() - started;
    if (ms <= limit || target.isFenced === true) return undefined;
  }
  return `took ${Math.round(ms)} ms for ${input.length} bytes`;
}

/** Lets what waits for the event loop happen: zlib frees a decoder that failed no earlier, and memory would grow without end. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Leaves parts out while it still fails. */
async function smaller(target: FuzzTarget, input: Buffer): Promise<Buffer> {
  const deadline = performance.now() + 5000;
  let best = input;
  for (let size = Math.ceil(best.length / 2); size >= 1; size = size > 1 ? Math.ceil(size / 2) : 0) {
    for (let at = 0; at < best.length; ) {
      if (performance.now() > deadline) return best;
      const candidate = Buffer.concat([best.subarray(0, at), best.subarray(at + size)]);
      if ((await failure(target, candidate)) === undefined) at += size;
      else best = candidate;
    }
  }
  return best;
}
