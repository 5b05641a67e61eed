import type { CrawlEvent, JournalRecord } from '../core/index.ts';
import type { Turns } from '../kit/index.ts';
import { Folding } from './folding.ts';
import type { Analyzer, Journal } from './ports.ts';
import type { Unnumbered } from './records.ts';
import type { CrawlState } from './state/crawl-state.ts';
import type { Pinned } from './state/jobs.ts';

/** What journaling needs of the crawl. */
export interface JournalingPorts {
  readonly turns: Turns;
  readonly journal: Pick<Journal, 'append'>;
  readonly analyzer: Pick<Analyzer, 'setModel'>;
  readonly state: () => CrawlState;
  /** Asked between two turns; false: the record under way is broken off, and the journal never hears of it. */
  readonly isWanted: () => boolean;
  readonly emit: (event: CrawlEvent) => void;
  /** Receives each record before it is folded in, with the job that it answers. */
  readonly onRecord: (record: JournalRecord, job: Pinned | undefined) => void;
}

/** Numbers the records of a crawl, folds them into the state, writes them into the journal and tells of them, one after the other. */
export class Journaling {
  readonly #ports: JournalingPorts;
  readonly #folding: Folding;

  constructor(ports: JournalingPorts) {
    this.#ports = ports;
    this.#folding = new Folding(ports.turns, ports.isWanted);
  }

  /** A record is on its way into the state: nothing may be taken from the frontier. */
  get isUnderWay(): boolean {
    return this.#folding.isUnderWay;
  }

  /** Keeps records out: see `Folding`. */
  hold<T>(work: (isHeld: () => boolean) => Promise<T>): Promise<T> {
    return this.#folding.hold(work);
  }

  /** At once, behind what is under way. `job` is the one that the record answers. */
  append(record: Unnumbered<JournalRecord>, job?: Pinned): void {
    this.#folding.finish();
    const numbered = this.#numbered(record);
    this.#ports.onRecord(numbered, job);
    this.#ports.state().apply(numbered, job);
    this.#note(numbered);
  }

  /**
   * The same in turns, behind what is under way.
   * @param make asked when that is through
   * @param onThrough told when this one is
   * @returns `undefined`: it was done at once
   */
  inTurns(
    make: () => Unnumbered<JournalRecord>,
    job?: Pinned,
    onThrough: () => void = () => {},
  ): Promise<void> | undefined {
    return this.#folding.inTurns(() => {
      const numbered = this.#numbered(make());
      this.#ports.onRecord(numbered, job);
      return {
        parts: this.#ports.state().applying(numbered, job),
        onThrough: () => {
          this.#note(numbered);
          onThrough();
        },
      };
    });
  }

  #numbered(record: Unnumbered<JournalRecord>): JournalRecord {
    return { ...record, sequence: this.#ports.state().sequence + 1 } as JournalRecord;
  }

  /** Journals and tells what is folded in. */
  #note(numbered: JournalRecord): void {
    const { journal, analyzer, state, emit } = this.#ports;
    journal.append(numbered);
    if (numbered.kind === 'round') analyzer.setModel(numbered.blob);
    if (numbered.kind !== 'run') emit({ kind: numbered.kind, record: numbered } as CrawlEvent);
    for (const alarm of state().takeAlarms()) emit({ kind: 'alarm', ...alarm });
  }
}
