import {
  type AnalyzedDocument,
  EMPTY_COUNTS,
  type JournalRecord,
  type Parcel,
  unpackDocument,
  withoutWords,
} from '../../core/index.ts';
import type { Journal } from '../../engine/index.ts';

/** Records per chunk of `read`. */
const CHUNK = 1000;

/** Receives a record, and the links that leave with it for other shards. */
export type OnRecord = (record: JournalRecord, leaving: ReadonlyMap<number, Parcel>) => void;

const NOTHING: ReadonlyMap<number, Parcel> = new Map();

/** A journal in memory: a record is durable as soon as it is appended. */
export class MemoryJournal implements Journal {
  readonly #records: JournalRecord[];
  readonly #onRecord: OnRecord;
  #onStored: (sequence: number) => void = () => {};

  /**
   * @param begun the records that it begins with; they are copied
   * @param onRecord receives each further record
   */
  constructor(begun?: MemoryJournal, onRecord: OnRecord = () => {}) {
    this.#records = [...(begun?.all ?? [])];
    this.#onRecord = onRecord;
  }

  /** All records, in order. */
  get all(): readonly JournalRecord[] {
    return this.#records;
  }

  get backlog(): number {
    return 0;
  }

  append(record: JournalRecord, leaving: ReadonlyMap<number, Parcel> = NOTHING): void {
    const expected = this.#records.length + 1;
    if (record.sequence !== expected) throw new RangeError(`Expected sequence ${expected}, got ${record.sequence}`);
    this.#records.push(record);
    this.#onRecord(record, leaving);
    this.#onStored(record.sequence);
  }

  onStored(listener: (sequence: number) => void): void {
    this.#onStored = listener;
  }

  /** Writing to memory never fails, so the listener is never called. */
  onFailed(_listener: (error: Error) => void): void {}

  async flush(): Promise<void> {}

  async count(): Promise<number> {
    return this.#records.length;
  }

  async *read({ after = 0 }: { readonly after?: number } = {}): AsyncGenerator<readonly JournalRecord[]> {
    for (let at = after; at < this.#records.length; at += CHUNK)
      yield this.#records.slice(at, at + CHUNK).map(asStored);
  }

  async documents(sequences: readonly number[]): Promise<ReadonlyMap<number, AnalyzedDocument>> {
    const documents = new Map<number, AnalyzedDocument>();
    for (const sequence of sequences) {
      const record = this.#records[sequence - 1];
      if (record?.kind !== 'page') continue;
      const { document, packed } = record;
      documents.set(sequence, packed === undefined ? document : unpackDocument(document, packed.content));
    }
    return documents;
  }
}

/** Returns the record as `read` must: without text, features and data that is never stored. */
function asStored(record: JournalRecord): JournalRecord {
  if (record.kind === 'round') return withoutWords(record);
  if (record.kind !== 'page') return record;
  const features = Object.fromEntries(Object.keys(record.document.features).map((space) => [space, EMPTY_COUNTS]));
  return { ...record, document: { ...record.document, text: '', features } };
}
