import { BingoError } from '../../core/index.ts';
import type { Store } from '../../store/index.ts';

/** Between two looks. */
const LOOK_MS = 2_000;
/** The work may take at most this share of the time, so that the crawl beside it has the machine. */
const BUSY_SHARE = 0.1;

/** Work that is done whenever a store has grown. */
export interface Growth {
  /** Rejects when the store cannot be read or the work fails; else never settles. */
  readonly failed: Promise<never>;
  /** Resolves once nothing is under way any more. */
  stop(): Promise<void>;
}

export interface GrowthOptions {
  /** Records that are worked on already: as many as there were before that began. What came meanwhile is growth, too. */
  readonly known: number;
  /** Between two looks, in ms. Default: two seconds. */
  readonly lookMs?: number;
  /** The database server does not answer; it is asked again at each look, and this is told once until it does. */
  readonly onLost?: () => void;
}

/** Does `work` again and again, each time that another process added records to the store. */
export function onGrowth(
  store: Pick<Store, 'count'>,
  work: () => Promise<void>,
  { known, lookMs = LOOK_MS, onLost = () => {} }: GrowthOptions,
): Growth {
  const stopping = new AbortController();
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const ended = follow(store, work, { known, lookMs, onLost, signal: stopping.signal }).catch(fail);
  return {
    failed,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

interface Following extends Required<GrowthOptions> {
  readonly signal: AbortSignal;
}

async function follow(store: Pick<Store, 'count'>, work: () => Promise<void>, following: Following): Promise<void> {
  const { lookMs, onLost, signal } = following;
  let { known } = following;
  let isLost = false;
  for (let waitMs = lookMs; await waited(waitMs, signal); ) {
    waitMs = lookMs;
    try {
      const now = await store.count();
      if (now !== known) {
        const began = performance.now();
        await work();
        waitMs = Math.max(lookMs, (performance.now() - began) / BUSY_SHARE);
      }
      known = now;
      isLost = false;
    } catch (error) {
      if (!(error instanceof BingoError) || error.code !== 'STORE_LOST') throw error;
      if (!isLost) onLost();
      isLost = true;
    }
  }
}

/** Resolves with false when it was stopped before the time was over. */
function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false);
    const stop = (): void => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve(true);
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
