import type { Sink } from '../ports.ts';
import type { Value } from '../schema.ts';
import { RunMerge } from './run-merge.ts';
import { RunWriter } from './run-writer.ts';
import { UrlFilter } from './url-filter.ts';
import { blockOf, endOf, idsIn, type UrlRun, unpackEntries } from './url-run.ts';
import { checkOf, UrlSlots } from './url-slots.ts';

/** URLs after the last run: about 1,000 pages' links. Readers scan them, see `read/find-url.ts`. */
const RECENT = 32_768;
/** Runs of a size that are merged into one. */
const MERGED = 8;
/** Blocks merged or removed per transaction at most: a few milliseconds. A transaction adds far fewer entries. */
const BLOCKS_PER_STEP = 256;
/** Rows per query that names them, and per query over a range. */
const CHUNK = 200;
const READ_AT_ONCE = 5_000;

/** A stored URL that may be the wanted one; the text decides. */
export type Candidate = readonly [id: number, url: string];

/** A run with its filter in memory, 10 bits per URL. */
interface OpenRun {
  readonly run: UrlRun;
  readonly filter: UrlFilter;
}

/**
 * Finds the numbers of URLs by their hashes. An index of the database would scatter the 30 new URLs of a page over as
 * many leaves, and write each of them twice. Here the newest URLs are in memory. Once there are {@link RECENT} of
 * them, they become an immutable run, and eight runs of about one size become a run of the next size (O'Neil et al.
 * 1996, "The Log-Structured Merge-Tree"). So each URL is written about four times in a million pages, 12 bytes each,
 * in sequential blocks.
 */
export class UrlIndex {
  readonly #sink: Sink;
  readonly #most: number;
  /** `undefined` until read from the database. */
  #state: State | undefined;

  /** @param most URLs after the last run before they become a run, too */
  constructor(sink: Sink, most: number = RECENT) {
    this.#sink = sink;
    this.#most = most;
  }

  /** Discards what is in memory, after a rolled back transaction. */
  forget(): void {
    this.#state = undefined;
  }

  /** Returns the greatest number of a URL. */
  async last(): Promise<number> {
    return (await this.#read()).last;
  }

  /** Returns the number of a URL that was added after the last run; 0 if it is not one of them. */
  async recent(url: string, hash: number): Promise<number> {
    return (await this.#read()).recent.get(hash, checkOf(url));
  }

  /** Returns the stored URLs of runs that have one of these hashes, and some that have not. */
  async candidates(hashes: readonly number[]): Promise<readonly Candidate[]> {
    const { runs } = await this.#read();
    const wanted = new Map<number, number[]>();
    for (const hash of hashes)
      for (const { run, filter } of runs) {
        if (!filter.mayHave(hash)) continue;
        const block = blockOf(run, hash);
        const known = wanted.get(block);
        if (known === undefined) wanted.set(block, [hash]);
        else known.push(hash);
      }
    const ids = new Set<number>();
    for (const [block, data] of await this.#inChunks('id, data from url_block', [...wanted.keys()])) {
      const entries = unpackEntries(data as Uint8Array);
      for (const hash of wanted.get(Number(block))!) idsIn(entries, hash, (id) => ids.add(id));
    }
    return (await this.#inChunks('id, url from url', [...ids])) as unknown as Candidate[];
  }

  /** Adds URLs that the open transaction inserted, numbered consecutively. */
  async add(urls: readonly (readonly [id: number, hash: number, url: string])[]): Promise<void> {
    const state = await this.#read();
    for (const [id, hash, url] of urls) {
      state.recent.set(hash, checkOf(url), id);
      state.last = id;
    }
    if (state.recent.size >= this.#most) await this.#seal(state);
    await this.#tidy(state);
  }

  async #read(): Promise<State> {
    this.#state ??= await readState(this.#sink);
    return this.#state;
  }

  async #inChunks(columns: string, ids: readonly number[]): Promise<readonly (readonly Value[])[]> {
    const rows: (readonly Value[])[] = [];
    // Always the same number of parameters, so that the statement is prepared only once.
    const marks = Array.from({ length: CHUNK }, () => '?').join(',');
    for (let at = 0; at < ids.length; at += CHUNK) {
      const padded = Array.from({ length: CHUNK }, (_, i) => ids[at + i] ?? ids[at]!);
      for (const row of await this.#sink.all(`select ${columns} where id in (${marks})`, padded)) rows.push(row);
    }
    return rows;
  }

  async #seal(state: State): Promise<void> {
    const first = (state.runs.at(-1)?.run.last ?? 0) + 1;
    const writer = new RunWriter(this.#sink, { first, last: state.last, base: state.end });
    for (const [hash, id] of state.recent.sorted()) writer.add(hash, id);
    await writer.finish();
    state.runs.push({ run: writer.run, filter: writer.filter });
    state.end = endOf(writer.run);
    state.recent.clear();
  }

  /** Removes some blocks of old runs, or merges some blocks of runs of about one size. */
  async #tidy(state: State): Promise<void> {
    const [old] = state.removed;
    if (old !== undefined) {
      const until = Math.min(old.end, old.from + BLOCKS_PER_STEP);
      await this.#sink.run('delete from url_block where id >= ? and id < ?', [old.from, until]);
      old.from = until;
      if (until === old.end) state.removed.shift();
      return;
    }
    state.merge ??= this.#beginMerge(state);
    const { merge } = state;
    if (merge === undefined || !(await merge.advance(BLOCKS_PER_STEP))) return;
    state.merge = undefined;
    for (const run of merge.runs) {
      await this.#sink.run('delete from url_run where base = ?', [run.base]);
      state.removed.push({ from: run.base, end: endOf(run) });
    }
    const at = state.runs.findIndex(({ run }) => run.base === merge.runs[0]!.base);
    state.runs.splice(at, merge.runs.length, { run: merge.writer.run, filter: merge.writer.filter });
  }

  #beginMerge(state: State): RunMerge | undefined {
    const runs = mergeable(
      state.runs.map(({ run }) => run),
      this.#most,
    );
    if (runs === undefined) return undefined;
    const merge = new RunMerge(this.#sink, runs, state.end);
    state.end = endOf(merge.writer.run);
    return merge;
  }
}

/** Everything of the index but its blocks. */
interface State {
  /** Sorted by `first`. */
  readonly runs: OpenRun[];
  /** URLs after the last run. */
  readonly recent: UrlSlots;
  /** Greatest number of a URL. */
  last: number;
  /** First id of `url_block` that is not in use. */
  end: number;
  /** Ids of `url_block` that belong to no run. */
  readonly removed: { from: number; readonly end: number }[];
  merge: RunMerge | undefined;
}

async function readState(sink: Sink): Promise<State> {
  const rows = await sink.all('select first, last, base, blocks, pieces from url_run order by first', []);
  const runs: OpenRun[] = [];
  for (const row of rows) {
    const [first, last, base, blocks, pieces] = row.map(Number) as [number, number, number, number, number];
    const run = { first, last, base, blocks, pieces };
    runs.push({ run, filter: await readFilter(sink, run) });
  }
  const recent = new UrlSlots();
  let last = runs.at(-1)?.run.last ?? 0;
  for (let isMore = true; isMore; ) {
    const urls = await sink.all(`select id, hash, url from url where id > ? order by id limit ${READ_AT_ONCE}`, [last]);
    for (const [id, hash, url] of urls) recent.set(Number(hash), checkOf(url as string), Number(id));
    last = Number(urls.at(-1)?.[0] ?? last);
    isMore = urls.length === READ_AT_ONCE;
  }
  const [[greatest]] = (await sink.all('select coalesce(max(id), 0) from url_block', [])) as [[Value]];
  const end = Number(greatest) + 1;
  return { runs, recent, last, end, removed: unused(runs, end), merge: undefined };
}

async function readFilter(sink: Sink, run: UrlRun): Promise<UrlFilter> {
  const filter = new UrlFilter(run.last - run.first + 1);
  const first = run.base + run.blocks;
  for (let n = 0; n < run.pieces; n += CHUNK) {
    const select = 'select id, data from url_block where id >= ? and id < ?';
    const rows = await sink.all(select, [first + n, Math.min(first + n + CHUNK, endOf(run))]);
    for (const [id, data] of rows) filter.setPiece(Number(id) - first, data as Uint8Array);
  }
  return filter;
}

/** Returns the blocks that no run has: of merged runs, and of a merge that was interrupted. */
function unused(runs: readonly OpenRun[], end: number): { from: number; readonly end: number }[] {
  const gaps: { from: number; readonly end: number }[] = [];
  let from = 1;
  for (const { run } of runs.toSorted((a, b) => a.run.base - b.run.base)) {
    if (run.base > from) gaps.push({ from, end: run.base });
    from = endOf(run);
  }
  if (end > from) gaps.push({ from, end });
  return gaps;
}

/**
 * Returns the runs to merge next: the last ones, if {@link MERGED} or more of them are of one size or smaller.
 * @param runs sorted by `first`
 * @param least URLs of the smallest runs
 */
function mergeable(runs: readonly UrlRun[], least: number): readonly UrlRun[] | undefined {
  const tiers = runs.map(({ first, last }) => Math.floor(Math.log((last - first + 1) / least) / Math.log(MERGED)));
  for (const tier of [...new Set(tiers)].sort((a, b) => a - b)) {
    const small = runs.slice(tiers.findLastIndex((other) => other > tier) + 1);
    if (small.length >= MERGED) return small;
  }
  return undefined;
}
