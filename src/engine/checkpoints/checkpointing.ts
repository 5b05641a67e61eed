import { type Fields, piecesOf, SavingFields, type Turns } from '../../kit/index.ts';
import type { CheckpointDraft, CheckpointHeader, CheckpointStore, Journal } from '../ports.ts';

/** What checkpointing needs from the crawl. */
export interface CheckpointingPorts {
  readonly store: CheckpointStore;
  readonly journal: Pick<Journal, 'flush'>;
  readonly turns: Turns;
  /** Adds no records to the state while `work` runs, see `Folding`. */
  readonly hold: <T>(work: (isHeld: () => boolean) => Promise<T>) => Promise<T>;
  readonly exchange: (fields: Fields) => void;
  /** Describes the current state. */
  readonly header: () => Omit<CheckpointHeader, 'record'>;
  /** Digest of a stored record. */
  readonly record: (sequence: number) => Promise<string>;
  readonly pace: CheckpointPace;
  /** The last record of the checkpoint that the crawl resumed from; 0 if none. */
  readonly begunWith: number;
  /** Called if a checkpoint could not be written. */
  readonly onFailed: (error: unknown) => void;
}

/** When checkpoints are due. */
export interface CheckpointPace {
  /** CPU time of the process, ms. */
  readonly cpuMs: () => number;
  /** Minimum number of records between two checkpoints. */
  readonly leastRecords: number;
}

/** Folding fewer than 200 records again takes less than a second. */
export const PACE: CheckpointPace = { cpuMs: recentCpuMs, leastRecords: 200 };

/** Asking the system takes up to .2 ms on virtual machines, so it is asked at most 20 times per second. */
const ASKED_EVERY_MS = 50;

let recent = { askedAt: -ASKED_EVERY_MS, cpuMs: 0 };

function recentCpuMs(): number {
  const now = performance.now();
  if (now - recent.askedAt >= ASKED_EVERY_MS) {
    const { user, system } = process.cpuUsage();
    recent = { askedAt: now, cpuMs: (user + system) / 1000 };
  }
  return recent.cpuMs;
}

/** Share of the crawl's CPU time that checkpoints may take. */
const SHARE = 0.02;
/** The system's own work for a checkpoint takes about as long as building it. */
const SYSTEM_FACTOR = 2;
/** Assumed cost of the first checkpoint, ms. */
const FIRST_COST_MS = 200;

/**
 * Writes checkpoints while the crawl runs, within a share of its CPU time, and one at its end. Requests continue
 * meanwhile; their results wait. If a checkpoint cannot be written, it is skipped: the crawl does not need it.
 */
export class Checkpointing {
  readonly #ports: CheckpointingPorts;
  /** The last record of the last checkpoint. */
  #sequence: number;
  #costMs = FIRST_COST_MS;
  #writtenAtMs: number;
  #writing: Promise<void> | undefined;

  constructor(ports: CheckpointingPorts) {
    this.#ports = ports;
    this.#sequence = ports.begunWith;
    this.#writtenAtMs = ports.pace.cpuMs();
  }

  /** Starts a checkpoint if one is due. */
  keepUp(): void {
    const paid = SHARE * (this.#ports.pace.cpuMs() - this.#writtenAtMs) >= this.#costMs;
    if (paid && this.#writing === undefined && this.#isNew()) this.#write();
  }

  /** Ends checkpointing. Resolves once the last checkpoint is written. */
  async end(): Promise<void> {
    await this.#writing;
    if (!this.#isNew()) return;
    this.#write();
    await this.#writing;
  }

  #isNew(): boolean {
    const { header, pace } = this.#ports;
    return header().sequence - this.#sequence >= pace.leastRecords;
  }

  #write(): void {
    this.#writing = this.#written()
      .catch((error: unknown) => this.#ports.onFailed(error))
      .finally(() => {
        this.#writtenAtMs = this.#ports.pace.cpuMs();
        this.#writing = undefined;
      });
  }

  async #written(): Promise<void> {
    const { store, journal, hold, record } = this.#ports;
    const draft = await store.begin();
    try {
      const header = await hold((isHeld) => this.#fill(draft, isHeld));
      if (header === undefined) {
        await draft.drop();
        return;
      }
      await journal.flush();
      await draft.keep({ ...header, record: await record(header.sequence) });
      this.#sequence = header.sequence;
    } catch (error) {
      await draft.drop().catch(() => {}); // The first error names the cause.
      throw error;
    }
  }

  /** @returns the header; `undefined` if a record arrived meanwhile */
  async #fill(draft: CheckpointDraft, isHeld: () => boolean): Promise<Omit<CheckpointHeader, 'record'> | undefined> {
    const { turns, header, exchange } = this.#ports;
    let busyMs = 0;
    let from = performance.now();
    const written = header();
    const fields = new SavingFields();
    exchange(fields);
    for (const piece of piecesOf(fields.slots)) {
      if (!isHeld()) return undefined;
      const room = draft.add(piece);
      if (room === undefined && !turns.isOver) continue;
      busyMs += performance.now() - from;
      await room;
      await turns.come();
      from = performance.now();
    }
    this.#costMs = SYSTEM_FACTOR * (busyMs + performance.now() - from);
    return isHeld() ? written : undefined;
  }
}
