import {
  BingoError,
  type CrawlEvent,
  type CrawlStatus,
  type JournalRecord,
  type SteerCommand,
  UsageError,
} from '../../core/index.ts';
import type { BestPage, PageGroup, Store } from '../../store/index.ts';
import { quoted } from '../words/shell-words.ts';
import type { CrawledTree } from './crawled-tree.ts';

/** The event that the crawl emitted with a record; records of runs have none. */
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
    case 'inbox':
      return undefined;
  }
}

/** A journal with more records is summarized, except for its last ones. */
const LONG = 5_000;
const REPLAYED = 2_000;
/** Parts into which the summarized records are divided: more than a chart has columns. */
const PARTS = 512;

/** Pages at the beginning of a long journal, see {@link Replaying.onBeginning}. */
export interface JournalPages {
  readonly kind: 'beginning';
  /** In order of `part`; `bin` is a tenth of the relevance as it is shown. */
  readonly pages: readonly PageGroup[];
  /** The most relevant accepted pages of the store, best first. */
  readonly best: readonly BestPage[];
}

/** Options for replaying records. */
export interface Replaying {
  /** Replays only records after this sequence. */
  readonly after: number;
  /**
   * There may be many records: the progress of reading becomes events, too. Default: true if reading starts at the
   * first record.
   */
  readonly isLong?: boolean;
  readonly onEvent: (event: CrawlEvent) => void;
  /**
   * Receives the pages at the beginning of a long journal as sums, in place of their events and those of visits. If
   * missing, each record is read, which takes a minute for a million of them.
   */
  readonly onBeginning?: ((pages: JournalPages) => void) | undefined;
  /** Receives each record after its event was emitted. */
  readonly onRecord?: (record: Pick<JournalRecord, 'kind' | 'sequence'>) => void;
  /** Renames the topics of records to those of a topic tree. Default: as written. */
  readonly inWords?: CrawledTree['inItsWords'] | undefined;
  /** Checked between two chunks: false ends the reading. Default: reads to the end. */
  readonly isWanted?: (() => boolean) | undefined;
}

/** Emits the events of all records after a sequence, without the pages' links. */
export async function replayStore(
  store: Store,
  {
    after,
    isLong = after === 0,
    onEvent,
    onBeginning,
    onRecord = () => {},
    inWords = (record) => record,
    isWanted = () => true,
  }: Replaying,
): Promise<void> {
  const total = isLong ? await store.count() : 0;
  const replay = (record: JournalRecord): void => {
    const event = eventOf(inWords(record));
    if (event !== undefined) onEvent(event);
    onRecord(record);
  };
  let first = after;
  // Sums do not say when a page was stored, which decides what the name of a topic meant then.
  if (after === 0 && total > LONG && onBeginning !== undefined && (await store.topicNamings()).length === 0) {
    first = total - REPLAYED;
    const { pages, records, best } = await store.beginning(first, PARTS);
    onBeginning({ kind: 'beginning', pages, best });
    records.forEach(replay);
    onRecord({ kind: 'visit', sequence: first });
  }
  for await (const records of store.read({ after: first, links: false })) {
    if (!isWanted()) break;
    records.forEach(replay);
    const last = records.at(-1)?.sequence ?? 0;
    if (total > 0) onEvent({ kind: 'resuming', read: Math.min(last, total), total });
  }
}

/** A crawl that has published nothing for this long has ended, even without a final record. */
const SILENCE_MS = 5000;
/** A crawl checks a lost server at least every five seconds. */
const SERVER_BACK_MS = 5000;

const SERVER_SILENT: CrawlEvent = {
  kind: 'alarm',
  code: 'store-silent',
  message: 'The database server does not answer: the figures shown are older.',
  remedy: 'Bingo tries again until it answers. Nothing is lost.',
};
const SERVER_ANSWERS: CrawlEvent = {
  kind: 'alarm',
  code: 'store-answers',
  message: 'The database server answers again.',
  remedy: 'Nothing needs to be done.',
};

/**
 * Follows a crawl in another process by reading what it stores. Waits for a lost database server, as the crawl does.
 */
export class StoreFollower {
  readonly #store: Store;
  #inWords: Replaying['inWords'];
  #sequence = 0;
  /** The first replay has not reached the end yet. */
  #isBehind = true;
  #told = 0;
  #toldAt = 0;
  #hasLooked = false;
  /** The server did not answer at the last look. */
  #isLost = false;
  isRunning = false;
  /** Sequence of the first record of the latest process, among the records read. */
  run = 0;

  constructor(store: Store, inWords?: Replaying['inWords']) {
    this.#store = store;
    this.#inWords = inWords;
  }

  /** Makes the next look replay everything from the beginning, with other topic names. */
  rewind(inWords: Replaying['inWords']): void {
    this.#inWords = inWords;
    this.#sequence = 0;
    this.#isBehind = true;
  }

  /**
   * Returns what happened since the last look; the status is new or missing. The next look continues with unread
   * records.
   * @param onBeginning see {@link Replaying.onBeginning}
   * @throws StoreError if the store fails; the first look also throws if the server is missing, later looks wait for
   * it
   */
  async look(
    now: number,
    onEvent: Replaying['onEvent'],
    isWanted?: Replaying['isWanted'],
    onBeginning?: Replaying['onBeginning'],
  ): Promise<CrawlStatus | undefined> {
    try {
      const status = await this.#read(now, { onEvent, isWanted, onBeginning });
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

  /** Skips what is already stored. */
  async skip(): Promise<void> {
    this.#sequence = await this.#store.count();
    this.#isBehind = false;
  }

  async #read(
    now: number,
    receivers: Pick<Replaying, 'onEvent' | 'isWanted' | 'onBeginning'>,
  ): Promise<CrawlStatus | undefined> {
    const inWords = this.#inWords;
    // Record by record: if the server is lost midway, no event is repeated.
    const onRecord: Replaying['onRecord'] = ({ kind, sequence }) => {
      if (kind === 'run') this.run = sequence;
      this.#sequence = sequence;
    };
    const place = { after: this.#sequence, isLong: this.#isBehind };
    await replayStore(this.#store, { ...place, ...receivers, onRecord, inWords });
    this.#isBehind = false;
    const published = await this.#store.published();
    if (published === undefined) return undefined;
    const { at, status } = published;
    const isNew = at !== this.#told;
    // For the first message, only its age counts. Later, only whether another one follows counts, whatever its clock
    // shows.
    if (isNew) this.#toldAt = this.#told === 0 ? Math.min(now, at) : now;
    // The crawl could publish nothing meanwhile, and may notice the server's return later than this process.
    else if (this.#isLost && this.isRunning) this.#toldAt = now + SERVER_BACK_MS;
    this.#told = at;
    this.isRunning = status.phase !== 'done' && now - this.#toldAt < SILENCE_MS;
    return isNew ? status : undefined;
  }

  #isWaitedFor(error: unknown): boolean {
    return this.#hasLooked && error instanceof BingoError && error.code === 'STORE_LOST';
  }
}

/**
 * @param dir the folder, quoted for a shell
 * @throws UsageError if no running crawl would receive a command; it names the command that does it without a crawl, if any
 */
export function requireRunning(isRunning: boolean, dir: string, command?: SteerCommand): void {
  if (isRunning) return;
  throw new UsageError('No crawl is running in this workspace.', withoutCrawl(dir, command));
}

function withoutCrawl(dir: string, command: SteerCommand | undefined): string {
  if (command?.kind === 'lock-host') return `Without a crawl: bingo mark ${dir} --bad-site ${quoted(command.host)}`;
  if (command?.kind !== 'mark-topic') return `Start one: bingo crawl ${dir}`;
  const off = command.good ? '' : ' --off';
  return `Without a crawl: bingo topic good ${dir} ${quoted(command.topic)}${off}`;
}
