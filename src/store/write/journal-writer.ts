import { Worker } from 'node:worker_threads';
import {
  type BingoError,
  type CrawlStatus,
  type FollowedRecord,
  type Importance,
  type JournalRecord,
  type JudgingProgress,
  originalPlace,
  type Parcel,
  StoreError,
  type TopicId,
  type TopicTree,
  withoutWords,
} from '../../core/index.ts';
import { builtFile } from '../../kit/index.ts';
import { fromPlain, storeError } from '../errors.ts';
import type { Row } from '../schema.ts';
import type { AuthorityScores, PageScore } from '../store.ts';
import type { Leaving } from './batch-writer.ts';
import type { NewVerdict } from './verdicts.ts';
import type { WriterReply, WriterRequest, WriterTarget } from './writer-worker.ts';

/** The thread makes much short-lived garbage. Without a limit, V8 takes 100 MB more for a few per cent of speed. */
const YOUNG_HEAP = { maxYoungGenerationSizeMb: 6 };

const NO_POSITIONS = new Uint16Array(0);

export interface JournalWriterOptions {
  readonly batch: number;
  readonly flushMs: number;
  /** Returns the sequence of the last stored record; 0 for an empty store. */
  readonly last: () => Promise<number>;
}

interface Waiting {
  /** Sequence that ends the wait. */
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

type CallRequest = Extract<WriterRequest, { readonly call: number }>;
type Unnumbered<R> = R extends CallRequest ? Omit<R, 'call'> : never;

/** The main thread's side of the writer: collects batches, counts records that are not durable, and reports results. */
export class JournalWriter {
  readonly #worker: Worker;
  readonly #options: JournalWriterOptions;
  readonly #calls = new Map<number, Waiting>();
  #batch: JournalRecord[] = [];
  /** Stems of this batch, or of the next one. */
  #stems: Uint8Array<ArrayBuffer>[] = [];
  /** Links for other shards that become durable with this batch. */
  #leaving: Leaving[] = [];
  /** Rows of `followed` for this batch. */
  #followed: Row[] = [];
  #timer: NodeJS.Timeout | undefined;
  #appended = 0;
  #stored = 0;
  #waiting: Waiting[] = [];
  #failure: BingoError | undefined;
  #isClosing = false;
  #nextCall = 1;
  #onStored: (sequence: number) => void = () => {};
  #onFailed: ((error: Error) => void) | undefined;
  #ready: () => void = () => {};
  #closed: () => void = () => {};

  private constructor(worker: Worker, options: JournalWriterOptions) {
    this.#worker = worker;
    this.#options = options;
    worker.on('message', (reply: WriterReply) => this.#hear(reply));
    worker.on('error', (error) => this.#fail(storeError(error, 'writer')));
    worker.on('exit', () => {
      if (!this.#isClosing) this.#fail(storeError(new Error('the writer thread ended'), 'writer'));
      this.#closed();
    });
  }

  /** Starts the thread. Rejects if the database cannot be opened for writing. */
  static async start(target: WriterTarget, options: JournalWriterOptions): Promise<JournalWriter> {
    const file = builtFile('writer-worker');
    const writer = new JournalWriter(new Worker(file, { workerData: target, resourceLimits: YOUNG_HEAP }), options);
    try {
      await new Promise<void>((resolve, reject) => {
        writer.#ready = resolve;
        writer.onFailed(reject);
      });
      // Read only now: another process may have written until it released the writer's lock.
      writer.#appended = await options.last();
      writer.#stored = writer.#appended;
    } catch (error) {
      await writer.close();
      throw error;
    }
    writer.#onFailed = undefined;
    return writer;
  }

  get backlog(): number {
    return this.#appended - this.#stored;
  }

  /** Sequence of the last record that is stored, or was given to this writer. */
  get last(): number {
    return this.#appended;
  }

  append(record: JournalRecord, leaving?: ReadonlyMap<number, Parcel>, followed?: FollowedRecord): void {
    if (record.sequence !== this.#appended + 1)
      throw new RangeError(`Expected the record with sequence ${this.#appended + 1}, got ${record.sequence}`);
    this.#assertOpen();
    this.#appended = record.sequence;
    // Records after a failure are counted but dropped, because they cannot become durable.
    if (this.#failure !== undefined) return;
    this.#batch.push(record);
    if (leaving !== undefined) this.#leaving.push(...leaving);
    if (followed !== undefined) this.#followed.push([followed.source, followed.own, originalPlace(record)]);
    if (this.#batch.length >= this.#options.batch) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), this.#options.flushMs);
  }

  noteStems(stems: Uint8Array<ArrayBuffer>): void {
    if (this.#failure === undefined) this.#stems.push(stems);
  }

  onStored(listener: (sequence: number) => void): void {
    this.#onStored = listener;
  }

  onFailed(listener: (error: Error) => void): void {
    this.#onFailed = listener;
    const failure = this.#failure;
    if (failure !== undefined) queueMicrotask(() => listener(failure));
  }

  async flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#send();
    if (this.backlog === 0) return;
    await new Promise<void>((resolve, reject) => this.#waiting.push({ until: this.#appended, resolve, reject }));
  }

  async saveTopics(tree: TopicTree): Promise<void> {
    await this.#call({ kind: 'topics', tree });
  }

  async saveScores(topic: TopicId, scores: readonly PageScore[], every?: AuthorityScores): Promise<void> {
    await this.#call({ kind: 'scores', topic, scores, every });
  }

  async saveImportance(pages: ReadonlyMap<number, Importance>): Promise<void> {
    await this.#call({ kind: 'importance', pages });
  }

  async saveVerdicts(verdicts: readonly NewVerdict[], progress?: JudgingProgress): Promise<void> {
    await this.#call({ kind: 'verdicts', verdicts, progress });
  }

  async saveFeatureBlock(block: number, features: Uint8Array): Promise<void> {
    await this.#call({ kind: 'features', block, features });
  }

  async publish(status: CrawlStatus): Promise<void> {
    await this.#call({ kind: 'status', status });
  }

  async dropParcels(target: number, upto: number): Promise<void> {
    await this.#call({ kind: 'received', target, upto });
  }

  async saveGrants(grants: ReadonlyMap<number, number>): Promise<void> {
    await this.#call({ kind: 'grants', grants });
  }

  async endSpread(): Promise<void> {
    await this.#call({ kind: 'end-spread' });
  }

  async forgetRequests(ids: readonly number[]): Promise<void> {
    await this.#call({ kind: 'answered', ids });
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    await this.flush().catch(() => {});
    this.#isClosing = true;
    if (this.#failure === undefined) {
      await new Promise<void>((resolve) => {
        this.#closed = resolve;
        this.#post({ kind: 'close' });
      });
    }
    await this.#worker.terminate();
  }

  /** @throws StoreError if the thread has ended and would not answer */
  #assertOpen(): void {
    if (this.#isClosing) throw new StoreError({ code: 'STORE_CLOSED', message: 'The store is closed.' });
  }

  /** The thread receives a copy, so the caller can keep using the record. Packed data is transferred instead. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch.length === 0) return;
    const moved: ArrayBuffer[] = [];
    for (const record of this.#batch)
      if (record.kind === 'page' && record.packed !== undefined)
        moved.push(...Object.values(record.packed).map((bytes) => bytes.buffer));
    const [records, stems, leaving, followed] = [this.#batch.map(lean), this.#stems, this.#leaving, this.#followed];
    this.#post({ kind: 'records', records, stems, leaving, followed }, moved);
    this.#batch = [];
    this.#stems = [];
    this.#leaving = [];
    this.#followed = [];
  }

  #post(request: WriterRequest, moved: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, moved);
  }

  async #call(request: Unnumbered<CallRequest>): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#assertOpen();
    this.#send();
    const call = this.#nextCall++;
    await new Promise<void>((resolve, reject) => {
      this.#calls.set(call, { until: call, resolve, reject });
      this.#post({ ...request, call });
    });
  }

  #hear(reply: WriterReply): void {
    if (reply.kind === 'stored') this.#store(reply.sequence);
    else if (reply.kind === 'done') {
      this.#calls.get(reply.call)?.resolve();
      this.#calls.delete(reply.call);
    } else if (reply.kind === 'failed') this.#fail(fromPlain(reply.error));
    else if (reply.kind === 'ready') this.#ready();
    else if (reply.kind === 'closed') this.#closed();
  }

  #store(sequence: number): void {
    this.#stored = sequence;
    const done = this.#waiting.filter(({ until }) => until <= sequence);
    this.#waiting = this.#waiting.filter(({ until }) => until > sequence);
    this.#onStored(sequence);
    for (const { resolve } of done) resolve();
  }

  #fail(error: BingoError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    clearTimeout(this.#timer);
    this.#batch = [];
    this.#stems = [];
    this.#leaving = [];
    this.#followed = [];
    for (const { reject } of [...this.#waiting, ...this.#calls.values()]) reject(error);
    this.#waiting = [];
    this.#calls.clear();
    this.#onFailed?.(error);
  }
}

/** Returns a record without what is not stored, or is sent in packed form. */
function lean(record: JournalRecord): JournalRecord {
  if (record.kind === 'round') return withoutWords(record);
  if (record.kind !== 'page' || record.packed === undefined) return record;
  const { document } = record;
  return { ...record, document: { ...document, links: { ...document.links, contexts: '', positions: NO_POSITIONS } } };
}
