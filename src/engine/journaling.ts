import type { CrawlEvent, FollowedRecord, JournalRecord } from '../core/index.ts';
import type { Turns } from '../kit/index.ts';
import { Folding } from './folding.ts';
import type { Analyzer, Journal } from './ports.ts';
import type { Unnumbered } from './records.ts';
import { SentLinks } from './sent-links.ts';
import { asOne, type PlaceFetch } from './spread/gathered.ts';
import type { CrawlState } from './state/crawl-state.ts';
import type { Pinned } from './state/jobs.ts';
import { jobOf } from './state/replay.ts';

/** What journaling needs from the crawl. */
export interface JournalingPorts {
  readonly turns: Turns;
  readonly journal: Pick<Journal, 'append'>;
  readonly analyzer: Pick<Analyzer, 'setModel'>;
  readonly state: () => CrawlState;
  /** Asked between two turns; false breaks off the current record, which is then not journaled. */
  readonly isWanted: () => boolean;
  readonly emit: (event: CrawlEvent) => void;
  /** Receives each record before it is folded in, with the job that it answers. */
  readonly onRecord: (record: JournalRecord, job: Pinned | undefined) => void;
}

/** Numbers the records of a crawl, folds them into the state, journals them and reports them, one after the other. */
export class Journaling {
  readonly #ports: JournalingPorts;
  readonly #folding: Folding;
  readonly #sent = new SentLinks();

  constructor(ports: JournalingPorts) {
    this.#ports = ports;
    this.#folding = new Folding(ports.turns, ports.isWanted);
  }

  /** True if a record is being folded: nothing may be taken from the frontier. */
  get isUnderWay(): boolean {
    return this.#folding.isUnderWay;
  }

  /** Adds no records while `work` runs: see `Folding`. */
  hold<T>(work: (isHeld: () => boolean) => Promise<T>): Promise<T> {
    return this.#folding.hold(work);
  }

  /**
   * Adds a record at once, after the current one. `job` is the job that the record answers.
   * @param from the record of another store that it repeats
   */
  append(record: Unnumbered<JournalRecord>, job?: Pinned, from?: FollowedRecord): void {
    this.#folding.finish();
    const numbered = this.#numbered(record);
    this.#ports.onRecord(numbered, job);
    this.#ports.state().apply(numbered, job);
    this.#note(numbered, from);
  }

  /**
   * Like `append`, but in several turns.
   * @param make called once the previous record is done
   * @param onThrough called when this record is done
   * @returns `undefined` if the record is already done
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

  /**
   * Adds a fetch that a shard made, in several turns.
   * @param place returns its record; called once the previous record is done
   * @returns `undefined` if the record is already done
   */
  gather(place: PlaceFetch, from: FollowedRecord): Promise<void> | undefined {
    return this.#folding.inTurns(() => {
      const state = this.#ports.state();
      let isCopy = false;
      const record = place(state.sequence + 1, (page) => {
        const one = asOne(page, state);
        isCopy = one.kind === 'visit';
        return one;
      });
      const job = jobOf(state, record);
      this.#ports.onRecord(record, job);
      const onThrough = (): void => {
        this.#note(record, from);
        if (isCopy) this.#noteMirrors(record.fetchedAt);
      };
      return { parts: state.applying(record, job), onThrough };
    });
  }

  /** Journals the mirrors that copies in two shards have revealed, for the shards to adopt. */
  #noteMirrors(at: number): void {
    for (const { host, original } of this.#ports.state().unnotedMirrors)
      this.append({ kind: 'steer', command: { kind: 'note-mirror', host, original }, at });
  }

  #numbered(record: Unnumbered<JournalRecord>): JournalRecord {
    return { ...record, sequence: this.#ports.state().sequence + 1 } as JournalRecord;
  }

  /** Journals and reports a folded record. */
  #note(numbered: JournalRecord, from?: FollowedRecord): void {
    const { journal, analyzer, state, emit } = this.#ports;
    const leaving = this.#sent.unsent(state().takeLeaving());
    if (leaving.size === 0 && from === undefined) journal.append(numbered);
    else journal.append(numbered, leaving, from);
    if (numbered.kind === 'round') analyzer.setModel(numbered.blob);
    if (numbered.kind !== 'run' && numbered.kind !== 'inbox')
      emit({ kind: numbered.kind, record: numbered } as CrawlEvent);
    for (const alarm of state().takeAlarms()) emit({ kind: 'alarm', ...alarm });
  }
}
