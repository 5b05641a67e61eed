import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JournalRecord, RunRecord } from '../src/core/index.ts';
import { Checkpointing, PACE } from '../src/engine/checkpoints/checkpointing.ts';
import { type Journal, offlineState, recordDigest } from '../src/engine/index.ts';
import { Turns } from '../src/kit/index.ts';
import { CheckpointFiles, openStore, type Store } from '../src/store/index.ts';
import { loadForReading, placeOf, productVersion } from '../src/workbench/index.ts';
import type { FrozenRecords, FrozenTask } from './frozen-records.ts';
import type { PageMaker } from './page-maker.ts';

/** Records in the queue at the most, as in a crawl. */
const MAX_BACKLOG = 1_000;
/** Records folded at a time. */
export const CHUNK = 100;
/** Chunks made ahead. */
const AHEAD = 4;
/** Records between two checkpoints: growing can be killed, and continues with the last one. */
const CHECKPOINT_RECORDS = 50_000;
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
  {
    pages,
    maker,
    onPage,
  }: { readonly pages: number; readonly maker: PageMaker; readonly onPage: (done: number) => boolean },
): Promise<number> {
  const { tree, config, ...workspace } = loadForReading(dir, { env: {} });
  const store = await openStore(placeOf({ config, dir: workspace.dir }));
  try {
    if ((await store.count()) === 0) await store.saveTopics(tree);
    const training = records.training(BEGIN.length + 1, tree);
    const first = [...BEGIN, ...training];
    const keep = (): Promise<void> => checkpointing.end();
    const journal = new GrowingJournal(store, { first, maker, last: first.length + pages, onPage, keep });
    const files = new CheckpointFiles(dir, productVersion());
    const state = offlineState({
      ...{ tree, config, journal, checkpoints: files },
      ...{ isWanted: () => true, onRead: () => {} },
    });
    const checkpointing = new Checkpointing({
      ...{ store: files, journal: store, turns: new Turns(), pace: PACE, begunWith: 0 },
      hold: (work) => work(() => true),
      exchange: (fields) => state.exchange(fields),
      header: () => state.checkpoint,
      record: (sequence) => recordDigest(store, sequence),
      onFailed: (error) => {
        throw error;
      },
    });
    await state.read();
    await store.flush();
    await keep();
    return (await store.count()) - first.length;
  } finally {
    await store.close();
  }
}

interface Growing {
  /** Records before the pages that are made. */
  readonly first: readonly JournalRecord[];
  readonly maker: PageMaker;
  /** The last sequence. */
  readonly last: number;
  /** Returns false to stop. */
  readonly onPage: (done: number) => boolean;
  /** Writes a checkpoint. */
  readonly keep: () => Promise<void>;
}

/** A journal that stores records of a {@link PageMaker} while they are read. */
class GrowingJournal implements Pick<Journal, 'count' | 'read'> {
  readonly #store: Store;
  readonly #growing: Growing;
  #wake = (): void => {};

  constructor(store: Store, growing: Growing) {
    this.#store = store;
    this.#growing = growing;
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
    for await (const chunk of this.#made(stored + 1)) {
      yield chunk;
      // After the fold, because packed documents move to the writer's thread.
      for (const record of chunk) this.#store.append(record);
      while (this.#store.backlog >= MAX_BACKLOG)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      const { sequence } = chunk.at(-1)!;
      const { keep, onPage } = this.#growing;
      if (Math.floor(sequence / CHECKPOINT_RECORDS) > Math.floor((sequence - CHUNK) / CHECKPOINT_RECORDS)) await keep();
      if (!onPage(sequence)) return;
    }
  }

  async *#made(from: number): AsyncGenerator<readonly JournalRecord[]> {
    const { first, maker, last } = this.#growing;
    if (from <= first.length) yield first.slice(from - 1);
    let asked = Math.max(from, first.length + 1);
    let coming = 0;
    while (coming > 0 || asked <= last) {
      for (; coming < AHEAD && asked <= last; coming++) {
        const count = Math.min(CHUNK, last - asked + 1);
        maker.ask({ n: asked - first.length, sequence: asked, count });
        asked += count;
      }
      coming--;
      yield await maker.next();
    }
  }
}
