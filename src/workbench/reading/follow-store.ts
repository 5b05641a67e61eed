import { BingoError, type CrawlEvent, type CrawlStatus, type JournalRecord, UsageError } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';
import type { CrawledTree } from './crawled-tree.ts';

/** The event that the crawl emitted with a record; runs are told by none. */
function eventOf(record: JournalRecord): CrawlEvent | undefined {
  switch (record.kind) {
    case 'page':
      return { kind: 'page', record };
    case 'visit':
      return { kind: 'visit', record };
    case 'round':
      return { kind: 'round', record };
    case 'phase':
      return { kind: 'phase', record };
    case 'steer':
      return { kind: 'steer', record };
    case 'run':
      return undefined;
  }
}

/** Which records are replayed, and to whom. */
export interface Replaying {
  /** Only records behind this sequence. */
  readonly after: number;
  /** There may be many: how far the reading is becomes events, too. Default: where it begins with the first. */
  readonly isLong?: boolean;
  readonly onEvent: (event: CrawlEvent) => void;
  /** Hears of each record, once its event was given. */
  readonly onRecord?: (record: JournalRecord) => void;
  /** Puts records into the words of a topic tree. Default: as they were written. */
  readonly inWords?: CrawledTree['inItsWords'] | undefined;
  /** Asked between two chunks: false ends the reading. Default: wanted to the end. */
  readonly isWanted?: (() => boolean) | undefined;
}

/** Gives the events of all records behind a sequence, without the pages' links. */
export async function replayStore(
  store: Store,
  {
    after,
    isLong = after === 0,
    onEvent,
    onRecord = () => {},
    inWords = (record) => record,
    isWanted = () => true,
  }: Replaying,
): Promise<void> {
  const total = isLong ? await store.count() : 0;
  for await (const records of store.read({ after, links: false })) {
    if (!isWanted()) break;
    for (const record of records) {
      const event = eventOf(inWords(record));
      if (event !== undefined) onEvent(event);
      onRecord(record);
    }
    const last = records.at(-1)?.sequence ?? 0;
    if (total > 0) onEvent({ kind: 'resuming', read: Math.min(last, total), total });
  }
}

/** A crawl that has told nothing for this long has ended, however it did. */
const SILENCE_MS = 5000;
/** A crawl asks for a lost server every five seconds at least. */
const SERVER_BACK_MS = 5000;

const SERVER_SILENT: CrawlEvent = {
  kind: 'alarm',
  code: 'store-silent',
  message: 'The database server does not answer: what is shown is from before.',
  remedy: 'It is asked again until it does, by the crawl as well. Nothing is lost.',
};
const SERVER_ANSWERS: CrawlEvent = {
  kind: 'alarm',
  code: 'store-answers',
  message: 'The database server answers again.',
  remedy: 'Nothing needs to be done.',
};

/** Follows a crawl that runs in another process, by what it stores. A database server that is lost is waited for, as the crawl does. */
export class StoreFollower {
  readonly #store: Store;
  #inWords: Replaying['inWords'];
  #sequence = 0;
  /** From the beginning, and that was not read to its end. */
  #isBehind = true;
  #told = 0;
  #toldAt = 0;
  #hasLooked = false;
  /** The server did not answer at the last look. */
  #isLost = false;
  isRunning = false;
  /** Sequence of the record with which the last process began, of those that were looked at. */
  run = 0;

  constructor(store: Store, inWords?: Replaying['inWords']) {
    this.#store = store;
    this.#inWords = inWords;
  }

  /** The next look tells everything from the beginning, in other words. */
  rewind(inWords: Replaying['inWords']): void {
    this.#inWords = inWords;
    this.#sequence = 0;
    this.#isBehind = true;
  }

  /**
   * What happened since the last look; the status is new or absent. What was left unread at the end of a look comes in the next one.
   * @throws StoreError when the store fails; at the first look also when its server is not there, which is waited for later
   */
  async look(
    now: number,
    onEvent: Replaying['onEvent'],
    isWanted?: Replaying['isWanted'],
  ): Promise<CrawlStatus | undefined> {
    try {
      const status = await this.#read(now, onEvent, isWanted);
      this.#hasLooked = true;
      if (this.#isLost) onEvent(SERVER_ANSWERS);
      this.#isLost = false;
      return status;
    } catch (error) {
      if (!this.#isWaitedFor(error)) throw error;
      if (!this.#isLost) onEvent(SERVER_SILENT);
      this.#isLost = true;
      return undefined;
    }
  }

  /** Passes over what is stored already. */
  async skip(): Promise<void> {
    this.#sequence = await this.#store.count();
    this.#isBehind = false;
  }

  async #read(
    now: number,
    onEvent: Replaying['onEvent'],
    isWanted: Replaying['isWanted'],
  ): Promise<CrawlStatus | undefined> {
    const inWords = this.#inWords;
    // One by one: a server may be lost midway, and what was told is not told again.
    const onRecord = ({ kind, sequence }: JournalRecord): void => {
      if (kind === 'run') this.run = sequence;
      this.#sequence = sequence;
    };
    const place = { after: this.#sequence, isLong: this.#isBehind };
    await replayStore(this.#store, { ...place, onEvent, onRecord, inWords, isWanted });
    this.#isBehind = false;
    const published = await this.#store.published();
    if (published === undefined) return undefined;
    const { at, status } = published;
    const isNew = at !== this.#told;
    // Of the first message only its age tells; from then on whether another one follows, whatever its clock says.
    if (isNew) this.#toldAt = this.#told === 0 ? Math.min(now, at) : now;
    // The crawl could tell nothing meanwhile, and may notice later than we do that the server is back.
    else if (this.#isLost && this.isRunning) this.#toldAt = now + SERVER_BACK_MS;
    this.#told = at;
    this.isRunning = status.phase !== 'done' && now - this.#toldAt < SILENCE_MS;
    return isNew ? status : undefined;
  }

  #isWaitedFor(error: unknown): boolean {
    return this.#hasLooked && error instanceof BingoError && error.code === 'STORE_LOST';
  }
}

/** @throws UsageError when nobody would hear a command */
export function requireRunning(isRunning: boolean, dir: string): void {
  if (!isRunning) throw new UsageError('No crawl is running in this workspace.', `Start one: bingo crawl ${dir}`);
}
