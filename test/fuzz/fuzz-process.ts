import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FuzzOrder, FuzzReport } from './worker.ts';

/** How an order ended. */
export interface Ended {
  readonly inputs: number;
  readonly found?: { readonly n: number; readonly reason: string; readonly input: Buffer };
  /** True if the input ended its process or hung, so that it cannot be minimized. */
  readonly isProcessLost?: boolean;
}

/** An input that takes longer than this counts as hanging. */
const HANG_MS = 10_000;
const LOOK_MS = 100;
/** The heap limit of the converter in production. */
const HEAP_MIB = 512;
const WORKER = join(import.meta.dirname, 'worker.ts');

/** Carries out orders in a separate process. Replaces a process that an input ended. */
export class FuzzProcess {
  readonly #folder = mkdtempSync(join(tmpdir(), 'bingo-fuzz-'));
  readonly #progress = join(this.#folder, 'progress');
  readonly #script: string;
  readonly #hangMs: number;
  #child: ChildProcess | undefined;
  #peakMb = 0;

  constructor(script: string = WORKER, hangMs: number = HANG_MS) {
    this.#script = script;
    this.#hangMs = hangMs;
  }

  /** The peak memory of a process that carried out an order. */
  get peakMb(): number {
    return this.#peakMb;
  }

  run(order: FuzzOrder): Promise<Ended> {
    writeFileSync(this.#progress, Buffer.from(new Float64Array([-1]).buffer));
    this.#child ??= fork(this.#script, [this.#progress], {
      execArgv: [`--max-old-space-size=${HEAP_MIB}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const child = this.#child;
    return new Promise((resolve) => {
      const end = (ended: Ended): void => {
        clearInterval(watch);
        child.off('message', told).off('exit', exited);
        if (ended.isProcessLost === true) this.#stop();
        resolve(ended);
      };
      const lost = (reason: string): void => {
        const n = Math.max(order.from, this.#inputUnderWay());
        end({ inputs: n - order.from + 1, found: { n, reason, input: Buffer.alloc(0) }, isProcessLost: true });
      };
      const told = ({ inputs, peakMb, finding }: FuzzReport): void => {
        this.#peakMb = Math.max(this.#peakMb, peakMb);
        end({ inputs, ...(finding && { found: { ...finding, input: Buffer.from(finding.input, 'latin1') } }) });
      };
      const exited = (code: number | null, signal: string | null): void =>
        lost(`ended its process with ${signal ?? code}`);
      const watch = this.#watch(() => lost('never ends'));
      child.on('message', told).on('exit', exited);
      child.send(order);
    });
  }

  close(): void {
    this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  /** A process that still loads its modules is not working on an input. */
  #watch(onHang: () => void): NodeJS.Timeout {
    let last = -1;
    let since = performance.now();
    return setInterval(() => {
      const n = this.#inputUnderWay();
      if (n !== last || n < 0) since = performance.now();
      last = n;
      if (performance.now() - since > this.#hangMs) onHang();
    }, LOOK_MS);
  }

  #inputUnderWay(): number {
    const bytes = readFileSync(this.#progress);
    return bytes.length < 8 ? -1 : bytes.readDoubleLE(0);
  }
}
