import type { JournalRecord } from '../../core/index.ts';
import { Turns } from '../../kit/index.ts';
import type { Journal } from '../ports.ts';
import type { CrawlState } from './crawl-state.ts';
import type { Pinned } from './jobs.ts';

/** Documents read from the journal at a time, in some milliseconds. */
const DOCUMENTS_AT_ONCE = 10;

export interface ReplayOptions {
  /** Hears each record before it is folded in, with the entry that it answers. */
  readonly onRecord?: (record: JournalRecord, job: Pinned | undefined) => void;
  /** Hears how many records were folded in so far. */
  readonly onRead?: (read: number) => void;
  /** The state holds the records up to this one already. Default: 0, none */
  readonly after?: number;
  /** False: links are left out. What was learned comes out all the same, what waits to be fetched does not. */
  readonly links?: boolean;
  /** Asked now and then; false ends it at once. Default: wanted. */
  readonly isWanted?: () => boolean;
}

/**
 * Folds a journal into a state: a new one, or one that holds its beginning.
 * @returns false when it was no longer wanted: the state knows a part
 */
export async function replay(
  state: CrawlState,
  journal: Pick<Journal, 'read' | 'documents' | 'examplePlaces'>,
  { onRecord = () => {}, onRead = () => {}, after = 0, links = true, isWanted = () => true }: ReplayOptions = {},
): Promise<boolean> {
  let read = after;
  const turns = new Turns();
  state.names.foresee((await journal.examplePlaces?.()) ?? []);
  for await (const records of journal.read({ links, after })) {
    for (const stored of records) {
      state.names.note(stored);
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
    state.takeAlarms(); // They were told when the records were new.
    read += records.length;
    onRead(read);
    if (!isWanted()) return false;
  }
  await recallNeighbours(state, journal, turns);
  return true;
}

/** The entry that a stored record answers, taken as `take` had done. */
function jobOf(state: CrawlState, record: JournalRecord): Pinned | undefined {
  if (record.kind === 'page') return state.waiting.takeExact(record, record.finalUrl);
  return record.kind === 'visit' ? state.waiting.takeExact(record, record.url) : undefined;
}

/** Records come back without terms; those of the last pages are needed again where a feature space is built from them. */
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
