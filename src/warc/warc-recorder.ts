import { once } from 'node:events';
import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BingoError, UsageError } from '../core/index.ts';
import { builtFile } from '../kit/index.ts';
import type { Recorder, Recording, RenderedRecording } from './recording.ts';
import type { WarcInfo } from './warc-records.ts';
import type { WarcReply, WarcRequest, WarcTrouble, WarcWorkerData } from './warc-worker.ts';

/** Counts of a recording, for this run only. */
export interface WarcCounts {
  readonly exchanges: number;
  /** How many of these repeat a payload and were recorded without it. */
  readonly revisits: number;
  /** Pages recorded as a browser showed them. */
  readonly rendered: number;
  /** Length of the whole file. */
  readonly bytes: number;
}

interface Waiting {
  readonly done: () => void;
  readonly failed: (error: Error) => void;
}

/** Writes a WARC 1.1 file in its own thread, so that digests, compression and writing never delay fetching. */
export class WarcRecorder implements Recorder {
  readonly path: string;
  /** Bytes of a cut record at the end that were removed. */
  readonly repaired: number;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #counts: WarcCounts;
  #nextId = 1;
  #broken: Error | undefined;

  /**
   * Creates a file or continues an existing one. A file that is not a WARC file is left unchanged.
   * @param path - ends in `.warc`, or in `.warc.gz` for one gzip member per record
   * @throws UsageError for another ending; BingoError `WARC_UNWRITABLE`, `WARC_FOREIGN`
   */
  static async open(path: string, info: WarcInfo): Promise<WarcRecorder> {
    if (!isWarcName(path)) throw new UsageError(`Expected a file name that ends in .warc or .warc.gz, got "${path}".`);
    const workerData: WarcWorkerData = { role: 'warc', path: resolve(path), info };
    const resourceLimits = { maxYoungGenerationSizeMb: 12 };
    const worker = new Worker(builtFile('warc-worker'), { workerData, resourceLimits });
    const [reply] = (await once(worker, 'message')) as [WarcReply];
    if (reply.kind === 'open') return new WarcRecorder(path, worker, reply);
    await worker.terminate();
    throw madeAgain(reply.kind === 'unopened' ? reply.trouble : undefined);
  }

  private constructor(path: string, worker: Worker, { bytes, repaired }: { bytes: number; repaired: number }) {
    this.path = path;
    this.repaired = repaired;
    this.#worker = worker;
    this.#counts = { exchanges: 0, revisits: 0, rendered: 0, bytes };
    worker.on('message', (reply: WarcReply) => this.#onReply(reply));
    worker.on('error', (error) => this.#break(error));
    worker.on('exit', () => this.#break(new Error('its thread ended')));
  }

  get counts(): WarcCounts {
    return this.#counts;
  }

  record(recording: Recording): Promise<void> {
    return this.#ask((id) => ({ kind: 'record', id, recording }));
  }

  recordRendered(page: RenderedRecording): Promise<void> {
    return this.#ask((id) => ({ kind: 'render', id, page }));
  }

  #ask(request: (id: number) => WarcRequest): Promise<void> {
    const id = this.#nextId++;
    return new Promise((done, failed) => {
      if (this.#broken !== undefined) return failed(this.#broken);
      this.#waiting.set(id, { done, failed });
      this.#worker.postMessage(request(id));
    });
  }

  /** Resolves once all recordings are in the file. */
  async close(): Promise<void> {
    if (this.#broken !== undefined) return;
    const ended = once(this.#worker, 'exit');
    this.#worker.postMessage({ kind: 'close' } satisfies WarcRequest);
    await ended;
  }

  #onReply(reply: WarcReply): void {
    if (reply.kind !== 'written' && reply.kind !== 'failed') return;
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.kind === 'failed') {
      waiting?.failed(madeAgain(reply.trouble));
      return;
    }
    const { bytes, wrote } = reply;
    const { exchanges, revisits, rendered } = this.#counts;
    this.#counts =
      wrote === 'rendered'
        ? { exchanges, revisits, rendered: rendered + 1, bytes }
        : { exchanges: exchanges + 1, revisits: revisits + (wrote === 'revisit' ? 1 : 0), rendered, bytes };
    waiting?.done();
  }

  #break(cause: Error): void {
    this.#broken ??= madeAgain({
      code: 'WARC_UNWRITABLE',
      message: `Cannot write ${this.path}: ${cause.message}`,
      hint: undefined,
    });
    for (const { failed } of this.#waiting.values()) failed(this.#broken);
    this.#waiting.clear();
  }
}

/** Returns true if a recording may have this name. */
export function isWarcName(path: string): boolean {
  return /\.warc(?:\.gz)?$/i.test(path);
}

function madeAgain(trouble: WarcTrouble | undefined): BingoError {
  return new BingoError(trouble ?? { code: 'WARC_UNWRITABLE', message: 'The recording cannot be opened.' });
}
