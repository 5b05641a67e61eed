import type { JournalRecord } from '../../core/index.ts';
import { Turns } from '../../kit/index.ts';
import type { Journal } from '../ports.ts';
import type { CrawlState } from './crawl-state.ts';
import type { Pinned } from './jobs.ts';

/** Documents read from the journal per batch, which takes some milliseconds. */
const DOCUMENTS_AT_ONCE = 10;

export interface ReplayOptions {
  /** Receives each record before it is folded, with the entry that it answers. */
  readonly onRecord?: (record: JournalRecord, job: Pinned | undefined) => void;
  /** Receives the number of records folded so far. */
  readonly onRead?: (read: number) => void;
  /** The state already includes the records up to this one. Default: 0, none. */
  readonly after?: number;
  /** False: links are left out. What was learned is complete, but the waiting links are not. */
  readonly links?: boolean;
  /** Asked now and then; false stops the replay. Default: always true. */
  readonly isWanted?: () => boolean;
}

/**
 * Folds a journal into a state: a new one, or one that includes the start of the journal.
 * @returns false if it was stopped: the state is then incomplete
 */
export async function replay(
  state: CrawlState,
  journal: Pick<Journal, 'read' | 'documents' | 'topicNamings'>,
  { onRecord = () => {}, onRead = () => {}, after = 0, links = true, isWanted = () => true }: ReplayOptions = {},
): Promise<boolean> {
  let read = after;
  const turns = new Turns();
  for (const naming of (await journal.topicNamings?.()) ?? []) state.names.note(naming);
  for await (const records of journal.read({ links, after })) {
    for (const stored of records) {
      const record = state.names.record(stored);
      const job = jobOf(state, record);
      onRecord(record, job);
      const parts = state.applying(record, job);
      for (let isThrough = false; !isThrough; ) {
        isThrough = parts.next().done === true;
        if (!turns.isOver) continue;
        await turns.come();
        if (!isWanted()) return false;
      }
    }
    state.takeLeaving(); // These links were sent when the records were new.
    state.takeAlarms(); // These alarms were reported when the records were new.
    read += records.length;
    onRead(read);
    if (!isWanted()) return false;
  }
  await recallNeighbours(state, journal, turns);
  return true;
}

/** Returns the entry that a stored record answers, taken as `take` did. */
export function jobOf(state: CrawlState, record: JournalRecord): Pinned | undefined {
  if (record.kind === 'page') return state.waiting.takeExact(record, record.finalUrl);
  return record.kind === 'visit' ? state.waiting.takeExact(record, record.url) : undefined;
}

/**
 * Loads the terms of the last pages: records are read without terms, but feature spaces built from neighbours need
 * them.
 */
async function recallNeighbours(
  { surroundings }: CrawlState,
  journal: Pick<Journal, 'documents'>,
  turns: Turns,
): Promise<void> {
  const missing = surroundings.missing();
  for (let at = 0; at < missing.length; at += DOCUMENTS_AT_ONCE) {
    await turns.come();
    surroundings.fill(await journal.documents(missing.slice(at, at + DOCUMENTS_AT_ONCE)));
  }
}
