import { statSync } from 'node:fs';
import { join } from 'node:path';
import { COLLECTION_FILE, openStore, type Store } from '../../store/index.ts';
import { namedStore, tableNames } from '../reading/named-store.ts';
import { placeOf, type Tables } from '../reading/reading.ts';
import { TOPICS_FILE } from '../workspace/known-topics.ts';
import { WORKSPACE_FILE, type Workspace } from '../workspace/workspace.ts';

/** A workspace and its store, open for reading. */
export interface Reading {
  readonly workspace: Workspace;
  /** The store, with topics named as in bingo.yaml. */
  readonly store: Store;
  readonly tables: Tables;
}

interface Opened extends Reading {
  /** Version of bingo.yaml and of the collection in use when they were read. */
  readonly version: string;
  uses: number;
  isStale: boolean;
}

/** Keeps the store open between queries, and reopens it after bingo.yaml, the collection in use or the model has changed. */
export class Reader {
  readonly #dir: string;
  readonly #load: () => Workspace;
  #opened: Promise<Opened> | undefined;

  constructor(dir: string, load: () => Workspace) {
    this.#dir = dir;
    this.#load = load;
  }

  async use<T>(work: (reading: Reading) => Promise<T>): Promise<T> {
    const opened = await this.#lease();
    try {
      return await work(opened);
    } finally {
      await leave(opened);
    }
  }

  /** Does the same for results that are read step by step. */
  async *each<T>(work: (reading: Reading) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    const opened = await this.#lease();
    try {
      yield* work(opened);
    } finally {
      await leave(opened);
    }
  }

  /** Closes the store as soon as no query is running. */
  async forget(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    if (opened === undefined) return;
    opened.isStale = true;
    if (opened.uses === 0) await opened.tables.store.close();
  }

  async #lease(): Promise<Opened> {
    const version = versionOf(this.#dir);
    if (this.#opened !== undefined && (await this.#opened.catch(() => undefined))?.version !== version)
      await this.forget();
    this.#opened ??= this.#open(version);
    const opened = await this.#opened.catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    opened.uses++;
    return opened;
  }

  async #open(version: string): Promise<Opened> {
    const workspace = this.#load();
    const store = await openStore({ ...placeOf(workspace), readOnly: true });
    try {
      const names = await tableNames(store, workspace);
      const tables = { store, names };
      return { workspace, store: namedStore(store, names), tables, version, uses: 0, isStale: false };
    } catch (error) {
      await store.close();
      throw error;
    }
  }
}

async function leave(opened: Opened): Promise<void> {
  opened.uses--;
  if (opened.isStale && opened.uses === 0) await opened.tables.store.close();
}

function versionOf(dir: string): string {
  const files = [WORKSPACE_FILE, TOPICS_FILE, COLLECTION_FILE].map((name) =>
    statSync(join(dir, name), { throwIfNoEntry: false }),
  );
  return files.map((file) => `${file?.mtimeMs} ${file?.size}`).join(' ');
}
