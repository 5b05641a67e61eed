import { BingoError } from '../../core/index.ts';

/** Interval between two checks. */
const LOOK_MS = 2_000;
/** Maximum share of time for the work, so that the crawl beside it keeps the machine. */
const BUSY_SHARE = 0.1;

/** Handle of work that runs each time the store has grown. */
export interface Growth {
  /** Rejects if the store cannot be read or the work fails; otherwise never settles. */
  readonly failed: Promise<never>;
  /** Resolves once no work is running. */
  stop(): Promise<void>;
}

export interface GrowthOptions<T> {
  /** What the work has already covered, counted before it began. Any other count makes the work run. */
  readonly known: T;
  /** Interval between two checks, in ms. Default: two seconds. */
  readonly lookMs?: number;
  /** Called once if the database server does not answer; each check tries it again. */
  readonly onLost?: () => void;
}

/** What grows: the records of a store, or the records of the collection in use. */
export interface Growing<T> {
  count(): Promise<T>;
}

/** Runs `work` each time another process has added records to the store. */
export function onGrowth<T extends number | string>(
  store: Growing<T>,
  work: () => Promise<void>,
  { known, lookMs = LOOK_MS, onLost = () => {} }: GrowthOptions<T>,
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

interface Following<T> extends Required<GrowthOptions<T>> {
  readonly signal: AbortSignal;
}

async function follow<T>(store: Growing<T>, work: () => Promise<void>, following: Following<T>): Promise<void> {
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

/** Resolves with false if it is stopped before the time is over. */
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
