import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { type Unusable, unusable } from '../analyze/index.ts';
import type { Config } from '../core/index.ts';
import { awakeTimeout, builtFile } from '../kit/index.ts';
import { OUT_OF_TIME } from './convert-watchdog.ts';
import type { ConvertReply, ConvertRequest } from './convert-worker.ts';
import type { ConvertLimits } from './outcome.ts';

/** A document as one HTML page in UTF-8. */
export interface Converted {
  readonly kind: 'converted';
  readonly html: string;
}

/** What a document may take of the machine; the time comes from the configuration. */
export interface ConverterFences {
  /** Heap of the child. */
  readonly heapMib: number;
  /** Heap and buffers together, held where the system tells them (Linux). */
  readonly maxResidentBytes: number;
  /** Bytes that an archive may unfold to. */
  readonly maxInflatedBytes: number;
  /** Members of an archive that are read. */
  readonly maxMembers: number;
}

const MIB = 1024 * 1024;
const FENCES: ConverterFences = {
  heapMib: 512,
  maxResidentBytes: 1024 * MIB,
  maxInflatedBytes: 64 * MIB,
  maxMembers: 200,
};
const WATCH_MS = 100;
/** A machine under load starts a process slowly; that is no document's fault. */
const START_MS = 30_000;
/** The limit on a document is processor time; on the clock it may take this many times as long, for a machine under load. Our choice. */
const CLOCK_FACTOR = 10;
/** How Node ends a process whose heap is full. */
const HEAP_FULL = /heap out of memory|Allocation failed/;
const MAX_COMPLAINT_CHARS = 8_000;
const MAX_CAUSE_CHARS = 120;
/** Libraries leak a little: after this many documents the child is replaced. */
const DOCUMENTS_PER_CHILD = 1_000;
/** Tags and links come on top of the text. */
const HTML_CHARS_PER_TEXT_CHAR = 8;

interface Job {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  readonly url: string;
  readonly done: (result: Converted | Unusable) => void;
  /** The child died once while it converted this document. */
  isRepeated: boolean;
}

/**
 * Converts PDF, Office documents and archives to HTML in a child process, one document at a time. The child is started
 * with the first document, kept warm, killed when a document takes too long or too much memory, and started again for
 * the next. If a reused child dies during a document, a new child converts it again, because an earlier document may have done the damage. A worker thread is not enough: a document that exhausts memory would end the whole process.
 *
 * Never rejects: a bomb or a crash is a value.
 */
export class Converter {
  readonly #limits: ConvertLimits;
  readonly #timeoutMs: number;
  readonly #fences: ConverterFences;
  readonly #waiting: Job[] = [];
  #child: ChildProcess | undefined;
  #current: Job | undefined;
  #isReady = false;
  /** What the child wrote to its standard error. */
  #complaint = '';
  #converted = 0;
  #jobs = 0;
  #cancelDeadline: () => void = () => {};
  #watch: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: Config['analyze'], fences: Partial<ConverterFences> = {}) {
    this.#timeoutMs = options.timeoutMs;
    this.#fences = { ...FENCES, ...fences };
    this.#limits = {
      maxPdfPages: options.maxPdfPages,
      maxTextChars: options.maxTextChars,
      maxHtmlChars: options.maxTextChars * HTML_CHARS_PER_TEXT_CHAR,
      maxInflatedBytes: this.#fences.maxInflatedBytes,
      maxMembers: this.#fences.maxMembers,
    };
  }

  /** Resolves when the document is converted or given up; documents wait for one another. */
  convert(bytes: Uint8Array, contentType: string, url: string): Promise<Converted | Unusable> {
    if (this.#isClosed) return Promise.resolve(unusable('crashed', 'the converter is closed'));
    return new Promise((done) => {
      this.#waiting.push({ bytes, contentType, url, done, isRepeated: false });
      this.#next();
    });
  }

  /** Ends the child; what waits is given up. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const jobs = [...(this.#current === undefined ? [] : [this.#current]), ...this.#waiting.splice(0)];
    this.#current = undefined;
    await this.#stopChild();
    for (const job of jobs) job.done(unusable('crashed', 'the converter was closed'));
  }

  #next(): void {
    if (this.#current !== undefined || this.#isClosed) return;
    const job = this.#waiting.shift();
    if (job === undefined) return;
    this.#current = job;
    if (this.#converted >= DOCUMENTS_PER_CHILD) void this.#stopChild();
    if (this.#child === undefined) this.#startChild();
    else if (this.#isReady) this.#submit();
  }

  #startChild(): void {
    const child = fork(builtFile('convert-worker'), {
      execArgv: [`--max-old-space-size=${this.#fences.heapMib}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    this.#isReady = false;
    this.#converted = 0;
    this.#complaint = '';
    child.stderr?.setEncoding('latin1').on('data', (text: string) => {
      if (child === this.#child && this.#complaint.length < MAX_COMPLAINT_CHARS) this.#complaint += text;
    });
    child.on('message', (reply: ConvertReply) => this.#onReply(child, reply));
    child.on('error', (error) => this.#onEnd(child, `cannot be started: ${error.message}`));
    // Not 'exit': what it wrote before may still be on its way.
    child.on('close', (code, signal) => this.#onEnd(child, `ended with ${signal ?? `code ${code}`}`));
    this.#armDeadline(START_MS, 'the converter did not start');
  }

  #submit(): void {
    const job = this.#current;
    if (job === undefined) return;
    this.#letProcessEnd(false);
    const { bytes, contentType, url } = job;
    const request: ConvertRequest = {
      id: ++this.#jobs,
      bytes,
      contentType,
      url,
      limits: this.#limits,
      timeoutMs: this.#timeoutMs,
    };
    this.#child?.send(request, (error) => {
      if (error !== null && this.#current === job) this.#giveUp('crashed', `the converter is gone: ${error.message}`);
    });
    const clockMs = CLOCK_FACTOR * this.#timeoutMs;
    this.#armDeadline(clockMs, `took more than ${clockMs} ms by the clock`);
    this.#watch = setInterval(() => this.#checkMemory(), WATCH_MS);
  }

  #armDeadline(ms: number, detail: string): void {
    this.#cancelDeadline();
    this.#cancelDeadline = awakeTimeout(ms, () => this.#giveUp('timeout', detail));
  }

  #checkMemory(): void {
    const { maxResidentBytes } = this.#fences;
    if (residentBytes(this.#child?.pid) > maxResidentBytes) {
      this.#giveUp('too-large', `took more than ${Math.round(maxResidentBytes / MIB)} MiB of memory`);
    }
  }

  #onReply(child: ChildProcess, reply: ConvertReply): void {
    if (child !== this.#child) return;
    if (reply.kind === 'ready') {
      this.#isReady = true;
      this.#submit();
    } else if (reply.id === this.#jobs) {
      this.#converted++;
      if (reply.kind === 'converted') this.#finish({ kind: 'converted', html: reply.html });
      else this.#finish(unusable(reply.reason, reply.detail));
    }
  }

  #onEnd(child: ChildProcess, how: string): void {
    if (child !== this.#child) return;
    const wasUsed = this.#converted > 0;
    this.#child = undefined;
    const job = this.#current;
    if (job === undefined) return;
    if (child.signalCode === OUT_OF_TIME)
      this.#finish(unusable('timeout', `took more than ${this.#timeoutMs} ms of processor time`));
    else if (HEAP_FULL.test(this.#complaint))
      this.#finish(unusable('too-large', `took more than ${this.#fences.heapMib} MiB of memory`));
    else if (wasUsed && !job.isRepeated) this.#repeat(job);
    else this.#finish(unusable('crashed', `the converter ${how}${causeIn(this.#complaint)}`));
  }

  /** Converts a document again, by a new child. */
  #repeat(job: Job): void {
    job.isRepeated = true;
    this.#stopWatching();
    this.#current = undefined;
    this.#waiting.unshift(job);
    this.#next();
  }

  #giveUp(reason: Unusable['reason'], detail: string): void {
    void this.#stopChild();
    this.#finish(unusable(reason, detail));
  }

  #stopWatching(): void {
    this.#cancelDeadline();
    clearInterval(this.#watch);
  }

  #finish(result: Converted | Unusable): void {
    this.#stopWatching();
    const job = this.#current;
    this.#current = undefined;
    this.#letProcessEnd(true);
    job?.done(result);
    this.#next();
  }

  /** An idle child does not keep our process running. */
  #letProcessEnd(isIdle: boolean): void {
    const handles = [this.#child, this.#child?.channel];
    for (const handle of handles) {
      if (isIdle) handle?.unref();
      else handle?.ref();
    }
    // A pipe, which is a socket.
    const errors = this.#child?.stderr as Socket | null | undefined;
    if (isIdle) errors?.unref();
    else errors?.ref();
  }

  async #stopChild(): Promise<void> {
    this.#stopWatching();
    const child = this.#child;
    this.#child = undefined;
    this.#isReady = false;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    await new Promise<void>((ended) => {
      child.once('exit', () => ended());
      child.once('error', () => ended());
      child.kill('SIGKILL');
    });
  }
}

/** The first line of what a process complained of before it ended, as a cause; `''` without one. */
function causeIn(complaint: string): string {
  const line = complaint.split('\n').find((text) => text.trim() !== '');
  return line === undefined ? '' : `: ${line.trim().slice(0, MAX_CAUSE_CHARS)}`;
}

/** Resident memory of a process where the system tells it without asking another program (Linux), else 0. */
function residentBytes(pid: number | undefined): number {
  if (pid === undefined || process.platform !== 'linux') return 0;
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * 4096;
  } catch {
    return 0;
  }
}
