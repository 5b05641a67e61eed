import { mutated } from './mutate.ts';

/** A parser of outside input, its sample inputs, and a check of its results. */
export interface FuzzTarget {
  readonly name: string;
  /** Complete inputs that others are made from. */
  readonly samples: readonly Uint8Array[];
  /** Words of the format, inserted anywhere. */
  readonly words: readonly string[];
  /** Share of the inputs, for slow parsers. Default: 1. */
  readonly share?: number;
  /**
   * In production, this parser runs in a process with a time limit. An input that hangs costs only its own page, so
   * it is counted and not reported as a finding.
   */
  readonly isFenced?: boolean;
  /** Time limit per input, in ms. Default: 1,000. */
  readonly maxMs?: number;
  /** Tries one input. Throws if a check fails. Expected parser errors are caught inside. */
  check(input: Buffer): void | Promise<void>;
}

/** An input that fails a check. */
export interface Finding {
  readonly target: string;
  /** The number of the input in the run. */
  readonly n: number;
  readonly reason: string;
  /** The input after brief minimization. */
  readonly input: Buffer;
}

export interface FuzzOptions {
  readonly seed: number;
  readonly from?: number;
  readonly inputs: number;
  readonly timeMs?: number;
  /** Called before each input, to detect one that hangs. */
  readonly onInput?: (n: number) => void;
}

export interface FuzzResult {
  readonly inputs: number;
  readonly finding?: Finding;
}

const DEFAULT_MAX_MS = 1000;

/** Tries inputs until one fails, or until the number or the time is used up. Tries at least one. */
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

/** Returns why an input fails, or `undefined`. Retries a slow input, because machines have hiccups. */
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

/** Yields to the event loop. Otherwise zlib does not free failed decoders, and memory grows without limit. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Removes parts while the input still fails. */
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
