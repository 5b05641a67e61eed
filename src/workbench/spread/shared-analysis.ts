import type { AnalysisPool } from '../../engine/index.ts';
import type { Store } from '../../store/index.ts';
import { openPool, type SessionOptions } from '../crawl/session.ts';

/**
 * The threads that analyse pages for all shards of a process. With threads of its own, each shard would need their
 * memory, and a process with few shards would not use all cores.
 */
export class SharedAnalysis {
  readonly pool: AnalysisPool;
  readonly #stores = new Set<Pick<Store, 'noteStems'>>();
  /** All stems met so far: a thread reports each only once, but a shard may come later. */
  readonly #stems: Uint8Array<ArrayBuffer>[] = [];

  constructor(options: Pick<SessionOptions, 'dir' | 'tree' | 'config' | 'extensions' | 'onEvent'>) {
    this.pool = openPool(options, (stems) => {
      this.#stems.push(stems);
      for (const store of this.#stores) store.noteStems(stems);
    });
  }

  /** Notes stems in the store of a shard from now on. Call the result to end that. */
  join(store: Pick<Store, 'noteStems'>): () => void {
    for (const stems of this.#stems) store.noteStems(stems);
    this.#stores.add(store);
    return () => this.#stores.delete(store);
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
