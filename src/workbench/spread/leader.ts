import { setTimeout as sleep } from 'node:timers/promises';
import { BingoError, WorkspaceLockedError } from '../../core/index.ts';
import { lockWorkspace, openStore, type Store, storeWriter, type WorkspaceLock } from '../../store/index.ts';
import { appendNew, type GatheringPlaces } from '../gathering/new-fetches.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { type GrantQuestion, nextGrants } from './grants.ts';

/** Fetches gathered at a time, and the pause if there are no more. */
const AT_ONCE = 100;
const PAUSE_MS = 500;

type Places = Omit<GatheringPlaces, 'home'>;

/**
 * The process that holds the lock of the workspace's own store: it divides the budget, and gathers what the shards
 * fetch, so that search and the other commands that read show the whole crawl.
 */
export class Leader {
  readonly #lock: WorkspaceLock;
  readonly #store: Store;
  readonly #places: Places;
  readonly #gathering: Promise<void>;
  #isEnding = false;
  #failure: unknown;

  private constructor(lock: WorkspaceLock, store: Store, places: Places) {
    this.#lock = lock;
    this.#store = store;
    this.#places = places;
    this.#gathering = this.#gather().catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** Becomes the leader, if no other process is. */
  static async claim({ dir, config }: Workspace, places: Places): Promise<Leader | undefined> {
    const home = { ...config.store, workspace: dir };
    if ((await storeWriter(home)) !== undefined) return undefined;
    let lock: WorkspaceLock | undefined;
    try {
      lock = lockWorkspace(dir);
      return new Leader(lock, await openStore(home), places);
    } catch (error) {
      lock?.release();
      if (isTaken(error)) return undefined;
      throw error;
    }
  }

  /**
   * Grants further pages to the shards, if they need any.
   * @returns the pages that each shard may fetch
   * @throws StoreError `STORE_FENCED` if another process leads now
   */
  async grant(question: Omit<GrantQuestion, 'granted'>): Promise<ReadonlyMap<number, number>> {
    if (this.#failure !== undefined) throw this.#failure;
    const granted = await this.#store.grants();
    const next = nextGrants({ ...question, granted });
    if (next === undefined) return granted;
    // A shard must not fetch what is not noted as granted.
    await this.#store.saveGrants(next);
    return next;
  }

  /** Gathers all that the shards have stored. */
  async finish(): Promise<void> {
    this.#isEnding = true;
    await this.#gathering;
    if (this.#failure !== undefined) throw this.#failure;
    await appendNew(this.#store, this.#places);
  }

  /** Frees the store for another leader. */
  async close(): Promise<void> {
    this.#isEnding = true;
    await this.#gathering;
    await this.#store.close();
    this.#lock.release();
  }

  async #gather(): Promise<void> {
    const isWanted = (): boolean => !this.#isEnding;
    while (isWanted()) {
      const added = await appendNew(this.#store, this.#places, { most: AT_ONCE, isWanted });
      if (added < AT_ONCE) await sleep(PAUSE_MS);
    }
  }
}

/** True if another process has the shard, or leads. */
export function isTaken(error: unknown): boolean {
  return error instanceof WorkspaceLockedError || (error instanceof BingoError && error.code === 'STORE_BUSY');
}
