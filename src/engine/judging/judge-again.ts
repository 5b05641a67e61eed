import type { JudgingProgress } from '../../core/index.ts';
import type { JudgingThreads } from './judging-threads.ts';
import {
  type JudgedDocument,
  type PageJudge,
  type PageToJudge,
  pageJudge,
  type RejudgedPage,
  type Verdicts,
} from './page-judge.ts';

/** A stored page with its packed document. */
export interface PackedPage extends PageToJudge {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly hasVotes: boolean;
}

/** Sequences of the pages not replaced by a newer fetch, ascending. */
export interface CurrentPages {
  readonly accepted: Float64Array;
  readonly rejected: Float64Array;
}

/** Source of stored pages. */
export interface PageSource {
  currentPages(): Promise<CurrentPages>;
  documents(sequences: readonly number[]): Promise<ReadonlyMap<number, JudgedDocument>>;
  /** Returns pages in the given order; unknown sequences are absent. */
  packedPages(sequences: readonly number[]): Promise<readonly PackedPage[]>;
}

/** How many pages there are to judge again, and which of them the caller has received. */
export interface Extent extends Pick<JudgingProgress, 'accepted' | 'rejected'> {
  /** Pages that count, without training pages that stay; exact once all are judged. */
  of: number;
  /** Pages that an earlier process had judged. */
  skipped: number;
  accepted: number;
  rejected: number;
}

/** Returns an extent to be filled. */
export function emptyExtent(): Extent {
  return { of: 0, skipped: 0, accepted: NOTHING_JUDGED, rejected: NOTHING_JUDGED };
}

/** Greater than any sequence. */
const NOTHING_JUDGED: number = Number.MAX_SAFE_INTEGER;

export interface JudgeAgainOptions {
  /** Receives the number of pages before the first page, and what the caller has received. */
  readonly extent?: Extent;
  /** Continues an interrupted judging by the same model. */
  readonly after?: Pick<JudgingProgress, 'accepted' | 'rejected'> | undefined;
  /** Starts threads that judge many pages; without it, this thread judges all. */
  readonly start?: (() => JudgingThreads) | undefined;
}

/** Pages that are judged together. */
const BATCH = 50;
/** From this number of pages on, threads save more time than they take to start. */
const MANY = 1_000;

/**
 * Judges all stored pages by a model. Pages on which the user decided go first. Then follow the accepted pages, which
 * searches show, then the rejected ones, the newest of both first.
 */
export async function* judgeAgain(
  source: PageSource,
  verdicts: Verdicts,
  { extent = emptyExtent(), after = emptyExtent(), start }: JudgeAgainOptions = {},
): AsyncGenerator<RejudgedPage> {
  const judge = pageJudge(verdicts);
  const current = await source.currentPages();
  const placed = new Set(verdicts.places.sequences.filter((sequence) => isCurrent(current, sequence)));
  const isLeft = (before: number) => (sequence: number) => sequence < before && !placed.has(sequence);
  const accepted = current.accepted.filter(isLeft(after.accepted));
  const rejected = current.rejected.filter(isLeft(after.rejected));
  const left = placed.size + accepted.length + rejected.length;
  extent.of = current.accepted.length + current.rejected.length;
  extent.skipped = extent.of - left;
  extent.accepted = after.accepted;
  extent.rejected = after.rejected;
  const threads = left < MANY ? undefined : start?.();
  const judging = { source, judge, threads };
  try {
    yield* counted(judgedThose(judging, Float64Array.from(placed)), extent);
    yield* counted(judgedThose(judging, accepted), extent, 'accepted');
    yield* counted(judgedThose(judging, rejected), extent, 'rejected');
  } finally {
    await threads?.close();
  }
}

async function* counted(
  pages: AsyncIterable<RejudgedPage>,
  extent: Extent,
  list?: 'accepted' | 'rejected',
): AsyncGenerator<RejudgedPage> {
  for await (const judged of pages) {
    if (!judged.isCounted) extent.of--;
    if (list !== undefined) extent[list] = judged.page.sequence;
    yield judged;
  }
  if (list !== undefined) extent[list] = 0;
}

/** True if a page is in the store and not replaced. */
export function isCurrent({ accepted, rejected }: CurrentPages, sequence: number): boolean {
  return holds(accepted, sequence) || holds(rejected, sequence);
}

/** Binary search. */
function holds(sorted: Float64Array, sequence: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < sequence) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === sequence;
}

interface Judging {
  readonly source: PageSource;
  readonly judge: PageJudge;
  readonly threads: JudgingThreads | undefined;
}

/** Judges pages from the last to the first; the next batches are judged in advance. */
async function* judgedThose(judging: Judging, sequences: Float64Array): AsyncGenerator<RejudgedPage> {
  const ahead = judging.threads?.ahead ?? 1;
  const coming: Promise<readonly RejudgedPage[]>[] = [];
  for (let end = sequences.length; end > 0 || coming.length > 0; ) {
    for (; end > 0 && coming.length < ahead; end -= BATCH) {
      const batch = judgedBatch(judging, [...sequences.subarray(Math.max(0, end - BATCH), end)].reverse());
      // If the caller stops early, errors of batches not yet read are dropped.
      batch.catch(() => {});
      coming.push(batch);
    }
    yield* await coming.shift()!;
  }
}

async function judgedBatch(
  { source, judge, threads }: Judging,
  sequences: readonly number[],
): Promise<readonly RejudgedPage[]> {
  const pages = await source.packedPages(sequences);
  const judged = (await threads?.judge(pages)) ?? [];
  const given = pages.map(({ content: _, hasVotes: __, ...page }) => judge.given(page));
  // Votes have names that only this thread knows; some feature spaces need the pages around a page.
  const isLeft = (page: PackedPage, i: number): boolean =>
    given[i] === undefined && (page.hasVotes || judged[i] === undefined);
  const left = pages.filter(isLeft).map(({ sequence }) => sequence);
  const documents = left.length === 0 ? NO_DOCUMENTS : await source.documents(left);
  return pages.flatMap(({ content: _, hasVotes, ...page }, i) => {
    const document = documents.get(page.sequence);
    if (given[i] !== undefined) return [given[i]];
    if (document !== undefined) return [judge.judged(page, document)];
    const assignment = hasVotes ? undefined : judged[i];
    return assignment === undefined ? [] : [judge.assigned(page, assignment)];
  });
}

const NO_DOCUMENTS: ReadonlyMap<number, JudgedDocument> = new Map();
