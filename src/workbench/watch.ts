/** Work that takes seconds and cannot report its progress. */
export type Work = 'trial' | 'training' | 'crawl-learning' | 'judging' | 'statement';

/** Steps of the check of a workspace that take long. */
export type CheckedWork = 'database' | 'records' | 'fold';

/** What a long action reports while it runs. */
export type WorkEvent =
  /** Records of the journal read so far. */
  | { readonly kind: 'reading'; readonly records: number }
  /** Training documents read. */
  | { readonly kind: 'documents'; readonly read: number; readonly total: number }
  | { readonly kind: 'begins'; readonly work: Work }
  | { readonly kind: 'ends'; readonly work: Work }
  /** Stored pages judged again. */
  | { readonly kind: 'judged'; readonly pages: number; readonly of: number }
  /** Another process works in the workspace: a crawl that judges its pages, if it reports its progress. */
  | {
      readonly kind: 'waiting';
      readonly pid: number | undefined;
      readonly judged: { readonly pages: number; readonly of: number } | undefined;
    }
  /** Pages whose terms were read, for statements in SQL. */
  | { readonly kind: 'terms'; readonly read: number; readonly of: number }
  /** A statement in SQL over this number of pages begins. */
  | { readonly kind: 'statement'; readonly number: number; readonly of: number; readonly pages: number }
  /** Pages compared with their stored verdicts. */
  | { readonly kind: 'compared'; readonly pages: number; readonly of: number }
  /** Records of a part of the store that were checked; 0 when the part begins. */
  | { readonly kind: 'checked'; readonly part: CheckedWork; readonly done: number; readonly of: number }
  /** The database server was lost. The work starts again when it is back. */
  | { readonly kind: 'restarts' }
  /** The crawl ended before it received the decisions; this process applies them. */
  | { readonly kind: 'crawl-ended' };

/** How an action reports its progress, and how it is stopped. */
export interface Watch {
  readonly onEvent?: ((event: WorkEvent) => void) | undefined;
  /** Stops the action. Judging leaves the remaining pages to the next run; the steps before it change nothing. */
  readonly signal?: AbortSignal | undefined;
}

/** Reports the beginning and end of some work. */
export async function during<T>({ onEvent }: Watch, work: Work, run: () => Promise<T>): Promise<T> {
  onEvent?.({ kind: 'begins', work });
  try {
    return await run();
  } finally {
    onEvent?.({ kind: 'ends', work });
  }
}

/** Returns how an action reports its progress and is stopped, without its other options. */
export function watchOf({ onEvent, signal }: Watch): Watch {
  return { onEvent, signal };
}
