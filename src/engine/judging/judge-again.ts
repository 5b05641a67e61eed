import { FEATURE_BLOCK, featureBlockOf, type JudgingProgress } from '../../core/index.ts';
import type { Judged, JudgingThreads } from './judging-threads.ts';
import {
  type JudgedDocument,
  type PageJudge,
  type PageToJudge,
  pageJudge,
  type RejudgedPage,
  type Verdicts,
} from './page-judge.ts';

/** A stored page that page classifiers may have voted on. */
export interface StoredPage extends PageToJudge {
  readonly hasVotes: boolean;
}

/** A stored page with its packed document. */
export interface PackedPage extends StoredPage {
  readonly content: Uint8Array<ArrayBuffer>;
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
  /** Returns the same without documents. */
  storedPages(sequences: readonly number[]): Promise<readonly StoredPage[]>;
  /** Returns the packed features of a block of pages, see `packFeatureBlock`; `undefined` without any. */
  featureBlock(block: number): Promise<Uint8Array<ArrayBuffer> | undefined>;
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
  /** Receives the packed features of each block that the source lacked, if threads judge. */
  readonly onBlock?: ((block: number, features: Uint8Array) => void) | undefined;
}

/** Documents that are read together: more would block the thread for long. */
const BATCH = 50;
/** Bytes of documents of one block in memory. If it has more, its features are not packed. */
const MAX_BYTES = 30_000_000;
/** From this number of pages on, threads save more time than they take to start. */
const MANY = 1_000;

/**
 * Judges all stored pages by a model. Pages on which the user decided go first. Then follow the accepted pages, which
 * searches show, then the rejected ones, the newest of both first.
 */
export async function* judgeAgain(
  source: PageSource,
  verdicts: Verdicts,
  { extent = emptyExtent(), after = emptyExtent(), start, onBlock }: JudgeAgainOptions = {},
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
  const judging: Judging = { source, judge, threads, current, onBlock, areScattered: false };
  try {
    yield* counted(judgedThose({ ...judging, areScattered: true }, Float64Array.from(placed)), extent);
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

function holds(sorted: Float64Array, sequence: number): boolean {
  return sorted[indexOf(sorted, sequence)] === sequence;
}

/** Returns the index of the first item that is not less. */
function indexOf(sorted: Float64Array, sequence: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Judging {
  readonly source: PageSource;
  readonly judge: PageJudge;
  readonly threads: JudgingThreads | undefined;
  readonly current: CurrentPages;
  readonly onBlock: JudgeAgainOptions['onBlock'];
  /** Few pages of many blocks: they are judged by their documents. */
  readonly areScattered: boolean;
}

/** Judges pages from the last to the first; the next batches are judged in advance. */
async function* judgedThose(judging: Judging, sequences: Float64Array): AsyncGenerator<RejudgedPage> {
  const { threads, areScattered } = judging;
  const ahead = threads?.ahead ?? 1;
  const byBlock = threads !== undefined && !areScattered;
  const coming: Promise<readonly RejudgedPage[]>[] = [];
  for (let end = sequences.length; end > 0 || coming.length > 0; ) {
    while (end > 0 && coming.length < ahead) {
      const start = byBlock ? startOfBlock(sequences, end) : Math.max(0, end - BATCH);
      const batch = [...sequences.subarray(start, end)].reverse();
      end = start;
      const judged = threads === undefined ? judgedHere(judging, batch) : judgedByThreads(judging, threads, batch);
      // If the caller stops early, errors of batches not yet read are dropped.
      judged.catch(() => {});
      coming.push(judged);
    }
    yield* await coming.shift()!;
  }
}

/** Returns the index of the first sequence in the same block as the last one before `end`. */
function startOfBlock(sequences: Float64Array, end: number): number {
  const block = featureBlockOf(sequences[end - 1]!);
  let start = end - 1;
  while (start > 0 && featureBlockOf(sequences[start - 1]!) === block) start--;
  return start;
}

async function judgedHere(judging: Judging, sequences: readonly number[]): Promise<readonly RejudgedPage[]> {
  return await completed(judging, await judging.source.storedPages(sequences), []);
}

/** @param sequences of one block, unless they are scattered */
async function judgedByThreads(
  judging: Judging,
  threads: JudgingThreads,
  sequences: readonly number[],
): Promise<readonly RejudgedPage[]> {
  const { source, areScattered } = judging;
  const packed = areScattered ? undefined : await source.featureBlock(featureBlockOf(sequences[0]!));
  // The threads work while this one reads the pages.
  const inBlock = packed && threads.judgeInBlock(packed, sequences);
  inBlock?.catch(() => {});
  const pages = await source.storedPages(sequences);
  const judged = (await inBlock) ?? (await judgedByContents(judging, threads, sequences));
  const verdicts = new Map(sequences.map((sequence, i) => [sequence, judged[i]]));
  return await completed(
    judging,
    pages,
    pages.map(({ sequence }) => verdicts.get(sequence)),
  );
}

/** Judges pages by their documents, and packs the features of the block when its last pages are judged. */
async function judgedByContents(
  { source, current: { accepted, rejected }, onBlock, areScattered }: Judging,
  threads: JudgingThreads,
  sequences: readonly number[],
): Promise<Judged> {
  const block = featureBlockOf(sequences[0]!);
  const others = sequencesOf(rejected, block);
  const isLast = others.length === 0 || holds(others, sequences[0]!);
  let isPacked = onBlock !== undefined && isLast && !areScattered;
  const wanted = isPacked ? [...sequencesOf(accepted, block), ...others] : sequences;
  const verdicts = new Map<number, Judged[number]>();
  let contents: PackedPage[] = [];
  const judgeRead = async (): Promise<void> => {
    const read = contents.map(({ sequence }) => sequence);
    const judged = await threads.judge(contents);
    for (const [i, sequence] of read.entries()) verdicts.set(sequence, judged[i]);
    contents = [];
  };
  for (let at = 0, bytes = 0; at < wanted.length; at += BATCH) {
    const read = await source.packedPages(wanted.slice(at, at + BATCH));
    contents.push(...read);
    bytes += read.reduce((sum, { content }) => sum + content.byteLength, 0);
    if (bytes <= MAX_BYTES) continue;
    isPacked = false;
    bytes = 0;
    await judgeRead();
  }
  if (!isPacked || onBlock === undefined) {
    await judgeRead();
    return sequences.map((sequence) => verdicts.get(sequence));
  }
  const made = await threads.judgeAndPack(contents, sequences);
  if (made.block !== undefined) onBlock(block, made.block);
  return made.judged;
}

/** Returns the sequences in a block. */
function sequencesOf(sorted: Float64Array, block: number): Float64Array {
  const start = indexOf(sorted, block * FEATURE_BLOCK);
  return sorted.subarray(start, indexOf(sorted, (block + 1) * FEATURE_BLOCK));
}

/**
 * Adds what the user decided, and judges what the threads left.
 * @param judged the threads' verdicts on these pages
 */
async function completed(
  { source, judge }: Judging,
  pages: readonly StoredPage[],
  judged: Judged,
): Promise<readonly RejudgedPage[]> {
  const given = pages.map(({ hasVotes: _, ...page }) => judge.given(page));
  // Votes have names that only this thread knows; some feature spaces need the pages around a page.
  const isLeft = (page: StoredPage, i: number): boolean =>
    given[i] === undefined && (page.hasVotes || judged[i] === undefined);
  const left = pages.filter(isLeft).map(({ sequence }) => sequence);
  const documents = left.length === 0 ? NO_DOCUMENTS : await source.documents(left);
  return pages.flatMap(({ hasVotes, ...page }, i) => {
    const document = documents.get(page.sequence);
    if (given[i] !== undefined) return [given[i]];
    if (document !== undefined) return [judge.judged(page, document)];
    const assignment = hasVotes ? undefined : judged[i];
    return assignment === undefined ? [] : [judge.assigned(page, assignment)];
  });
}

const NO_DOCUMENTS: ReadonlyMap<number, JudgedDocument> = new Map();
