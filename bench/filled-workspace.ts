import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord, RunRecord } from '../src/core/index.ts';
import { Checkpointing, PACE } from '../src/engine/checkpoints/checkpointing.ts';
import { type Journal, offlineState, recordDigest } from '../src/engine/index.ts';
import { Turns } from '../src/kit/index.ts';
import { CheckpointFiles, openStore, type Store } from '../src/store/index.ts';
import { loadForReading, placeOf, productVersion } from '../src/workbench/index.ts';
import type { FrozenRecords, FrozenTask } from './frozen-records.ts';

/** Records in the queue at the most, as in a crawl. */
const MAX_BACKLOG = 1_000;
/** Records folded at a time. */
export const CHUNK = 100;
const RUN: RunRecord = { kind: 'run', sequence: 1, at: 1_700_000_000_000, settings: '{}' };
const BEGIN: readonly JournalRecord[] = [
  RUN,
  { kind: 'phase', sequence: 2, phase: 'harvesting', reason: '', at: RUN.at },
];

/** Writes `bingo.yaml` for a task of a frozen web, unless the folder has one. */
export function prepareFolder(dir: string, task: FrozenTask): void {
  mkdirSync(dir, { recursive: true });
  if (existsSync(join(dir, 'bingo.yaml'))) return;
  const topics = Object.entries(task.examples).map(([name, examples]) => ({ name, examples }));
  const network = { contact: 'bench@example.org' };
  writeFileSync(join(dir, 'bingo.yaml'), JSON.stringify({ topics, others: task.others, network }, undefined, 2));
}

/**
 * Adds pages to a workspace until it has so many, and writes a checkpoint: it looks like a crawl that was stopped.
 * Each page is folded while it is stored, so that no other pass over the journal is needed.
 * @param onPage called every thousand pages; stops if it returns false
 * @returns the number of pages
 */
export async function growWorkspace(
  dir: string,
  records: FrozenRecords,
  { pages, onPage }: { readonly pages: number; readonly onPage: (done: number) => boolean },
): Promise<number> {
  const { tree, config, ...workspace } = loadForReading(dir, { env: {} });
  const store = await openStore(placeOf({ config, dir: workspace.dir }));
  try {
    if ((await store.count()) === 0) await store.saveTopics(tree);
    const training = records.training(BEGIN.length + 1, tree);
    const first = [...BEGIN, ...training];
    const made = (sequence: number): JournalRecord =>
      first[sequence - 1] ?? records.page(sequence - first.length, sequence);
    const journal = new GrowingJournal(store, made, { last: first.length + pages, onPage });
    const files = new CheckpointFiles(dir, productVersion());
    const state = offlineState({
      ...{ tree, config, journal, checkpoints: files },
      ...{ isWanted: () => true, onRead: () => {} },
    });
    await state.read();
    await store.flush();
    const checkpointing = new Checkpointing({
      ...{ store: files, journal: store, turns: new Turns(), pace: PACE, begunWith: state.restoredTo },
      hold: (work) => work(() => true),
      exchange: (fields) => state.exchange(fields),
      header: () => state.checkpoint,
      record: (sequence) => recordDigest(store, sequence),
      onFailed: (error) => {
        throw error;
      },
    });
    await checkpointing.end();
    return (await store.count()) - first.length;
  } finally {
    await store.close();
  }
}

/** A journal that makes and stores records while they are read. */
class GrowingJournal implements Pick<Journal, 'count' | 'read'> {
  readonly #store: Store;
  readonly #made: (sequence: number) => JournalRecord;
  readonly #last: number;
  readonly #onPage: (done: number) => boolean;
  #wake = (): void => {};

  constructor(
    store: Store,
    made: (sequence: number) => JournalRecord,
    { last, onPage }: { readonly last: number; readonly onPage: (done: number) => boolean },
  ) {
    this.#store = store;
    this.#made = made;
    this.#last = last;
    this.#onPage = onPage;
    store.onStored(() => this.#wake());
  }

  readonly append = (record: JournalRecord): void => this.#store.append(record);
  readonly onStored = (): void => {};
  readonly onFailed = (): void => {};
  readonly flush = (): Promise<void> => this.#store.flush();
  readonly documents: Store['documents'] = (sequences) => this.#store.documents(sequences);
  readonly count = (): Promise<number> => this.#store.count();

  get backlog(): number {
    return this.#store.backlog;
  }

  async *read(options: Parameters<Journal['read']>[0] = {}): AsyncGenerator<readonly JournalRecord[]> {
    const { after = 0, links = true } = options;
    const stored = await this.#store.count();
    if (after < stored || !links) yield* this.#store.read(options);
    if (!links) return;
    for (let sequence = stored + 1; sequence <= this.#last; ) {
      const chunk: JournalRecord[] = [];
      for (; chunk.length < CHUNK && sequence <= this.#last; sequence++) chunk.push(this.#made(sequence));
      yield chunk;
      // After the fold, because packed documents move to the writer's thread.
      for (const record of chunk) this.#store.append(record);
      while (this.#store.backlog >= MAX_BACKLOG)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      if (!this.#onPage(sequence)) return;
    }
  }
}
