import { type Kysely, sql } from 'kysely';
import { IMPORTANCE_MEASURES, type Importance, type RankMeasure, type TopicId } from '../../core/index.ts';
import { readEndings } from '../read/endings.ts';
import { readImportance } from '../read/importance.ts';
import { among, filterPages, TAUGHT_APART } from '../read/page-filter.ts';
import { readTexts } from '../read/reading.ts';
import { parseSimhash } from '../rows/codec.ts';
import type { Tables } from '../schema.ts';
import type {
  DocumentFrequencies,
  PageEnd,
  SearchAnswer,
  SearchHit,
  SearchQuery,
  SearchTerm,
  SearchWay,
} from '../search-query.ts';
import { Authorities } from './authorities.ts';
import type { IndexMemory, IndexParts } from './index-parts.ts';
import { PageScores } from './page-scores.ts';
import { readPairs, readTerms, type Term } from './postings.ts';
import type { PostingList } from './segment.ts';
import { readVotes, type VoteScores } from './votes.ts';

type Db = Kysely<Tables>;

/** Number of pages whose rows are read before the next best pages are selected. */
const CHUNK = 100;
/** Rows read at a time. */
const ROWS = 1_000;
/**
 * Up to this many matching pages are looked up to sort them by a column; beyond that, the column is scanned from its
 * best page.
 */
const LOOKED_UP = 2_000;
/** Maximum number of texts read per answer: about a third of a millisecond each. */
const MAX_CHECKED = 2_000;

/**
 * Finds pages with all words of `all` and all pairs or, without those, with any word of `any`; returns the best by
 * each measure. Exact for one measure: no page left out would rank among them.
 */
export async function searchPages(db: Db, memory: IndexMemory, query: SearchQuery): Promise<SearchAnswer> {
  const all = termsOf(query.all);
  const any = termsOf(query.any).filter((term) => !all.some((other) => other.join() === term.join()));
  const none = termsOf(query.none);
  const sure = termsOf(query.sure);
  const pairs = [...new Set(query.pairs)];
  if (all.length + any.length + pairs.length === 0) return { hits: [], matches: 0, unchecked: 0, ended: 0 };
  // In one transaction, because the writer may seal a segment at any moment.
  return await db.transaction().execute(async (snapshot) => {
    const parts = await memory.read(snapshot);
    const scores = new PageScores(parts);
    const ways = (query.ways ?? []).flat();
    const terms = [...all, ...any, ...none, ...sure, ...ways.map(({ stems }) => stems)];
    const lists = await readTerms(snapshot, parts, terms);
    const scored = all.length + any.length;
    const sureLists = lists.slice(scored + none.length, scored + none.length + sure.length);
    const wayLists = new Map(ways.map((way, i) => [way, lists[terms.length - ways.length + i]!]));
    lists.slice(0, scored).forEach((list, i) => {
      scores.score(list, i < all.length);
    });
    for (const list of lists.slice(scored, scored + none.length)) scores.bar(list);
    if (pairs.length > 0) {
      const wants = (page: number): boolean => scores.isMatch(page);
      await readPairs(snapshot, parts, pairs, { wants, take: (page) => scores.mark(page) });
      scores.require(pairs.length);
    }
    for (const group of query.ways ?? []) {
      const lists = new Map(group.map((way) => [way, wayLists.get(way)!]));
      for (const page of await pagesOfWays(snapshot, { parts, scores }, lists)) scores.mark(page);
      scores.require(1);
    }
    const filtered = await filterPages(snapshot, scores.matches(), query);
    const matches = query.title === undefined ? filtered : await withTitle(snapshot, filtered, query.title);
    const ends = await readEndings(snapshot);
    const found = query.ended || ends.size === 0 ? matches : matches.filter((page) => !ends.has(page));
    const isSure = (page: number): boolean => sureLists.length > 0 && sureLists.every((list) => list.has(page));
    const hasSites = query.by?.includes('sitevotes') === true;
    const isByVotes = hasSites || query.by?.includes('votes') === true;
    const votes = isByVotes && query.votes !== undefined ? await readVotes(snapshot, query.votes, hasSites) : NO_VOTES;
    const answer = await new Candidates(snapshot, scores, { found, parts, query, isSure, votes }).answer();
    return { ...answer, hits: answer.hits.map((hit) => withEnd(hit, ends)), ended: matches.length - found.length };
  });
}

/** Stems whose lists of pages are in memory at once: as many as those of a long query. */
const COUNTED_AT_ONCE = 20;

/** Counts the pages with each of these stems. */
export async function readDocumentFrequencies(
  db: Db,
  memory: IndexMemory,
  stems: readonly string[],
): Promise<DocumentFrequencies> {
  return await db.transaction().execute(async (snapshot) => {
    const parts = await memory.read(snapshot);
    const counts: number[] = [];
    for (let at = 0; at < stems.length; at += COUNTED_AT_ONCE) {
      const some = stems.slice(at, at + COUNTED_AT_ONCE).map((stem) => [stem]);
      const lists = await readTerms(snapshot, parts, some);
      counts.push(...lists.map(({ length }) => length));
    }
    return { pages: parts.pages, counts };
  });
}

/**
 * Returns pages that match so far and can match at least one of the ways.
 * @param ways with the pages that have one of their stems
 */
async function pagesOfWays(
  db: Db,
  { parts, scores }: { readonly parts: IndexParts; readonly scores: PageScores },
  ways: ReadonlyMap<SearchWay, PostingList>,
): Promise<ReadonlySet<number>> {
  const right = new Set<number>();
  for (const [{ stems, pairs }, list] of ways) {
    const wants = (page: number): boolean => scores.isMatch(page) && (stems.length === 0 || list.has(page));
    const had = new Map<number, number>();
    const take = (page: number): void => {
      had.set(page, (had.get(page) ?? 0) + 1);
    };
    if (pairs.length === 0) for (let at = 0; at < list.length; at++) right.add(list.pages[at]!);
    else await readPairs(db, parts, pairs, { wants, take });
    for (const [page, count] of had) if (count === pairs.length && wants(page)) right.add(page);
  }
  return right;
}

async function withTitle(
  db: Db,
  pages: readonly number[],
  isRight: (title: string) => boolean,
): Promise<readonly number[]> {
  const right = new Set<number>();
  for (let at = 0; at < pages.length; at += ROWS) {
    const query = db.selectFrom('page').select(['sequence', 'title']);
    const rows = await query.where(among(pages.slice(at, at + ROWS))).execute();
    for (const { sequence, title } of rows) if (isRight(title)) right.add(sequence);
  }
  return pages.filter((page) => right.has(page));
}

function withEnd(hit: SearchHit, ends: ReadonlyMap<number, PageEnd>): SearchHit {
  const end = ends.get(hit.sequence);
  return end === undefined ? hit : { ...hit, end };
}

function termsOf(terms: readonly SearchTerm[] = []): readonly Term[] {
  const lists = terms.map((term) => (typeof term === 'string' ? [term] : [...new Set(term)]));
  const known = lists.map((term) => term.filter((stem) => stem.trim() !== '')).filter((term) => term.length > 0);
  return [...new Map(known.map((term) => [term.join('\n'), term])).values()];
}

/** Columns of `page` used in the answer. */
type Row = Omit<SearchHit, 'bm25' | 'cosine' | 'authority' | 'votes' | 'sitevotes' | keyof Importance>;

const NO_VOTES: VoteScores = { votes: new Map(), sitevotes: new Map() };
const UNKNOWN: Importance = { ib: Number.NaN, ir: Number.NaN, il: Number.NaN };

/** Selects the best matching pages by one measure after another. */
class Candidates {
  readonly #db: Db;
  readonly #scores: PageScores;
  readonly #found: readonly number[];
  /** Pages in the index. */
  readonly #pages: number;
  readonly #query: SearchQuery;
  readonly #rows = new Map<number, Row | undefined>();
  readonly #checked = new Map<number, boolean>();
  /** Number of texts read. */
  #read = 0;
  readonly #authorities: Authorities;
  readonly #isSure: (page: number) => boolean;
  #importance: ReadonlyMap<number, Importance> = new Map();
  readonly #votes: VoteScores;

  constructor(
    db: Db,
    scores: PageScores,
    {
      found,
      parts,
      query,
      isSure,
      votes,
    }: {
      readonly found: readonly number[];
      readonly parts: IndexParts;
      readonly query: SearchQuery;
      readonly isSure: (page: number) => boolean;
      readonly votes: VoteScores;
    },
  ) {
    this.#isSure = isSure;
    this.#votes = votes;
    this.#db = db;
    this.#scores = scores;
    this.#found = found;
    this.#pages = parts.pages;
    this.#query = query;
    this.#authorities = new Authorities(db, query.topics, parts.hasPairs);
  }

  async answer(): Promise<Omit<SearchAnswer, 'ended'>> {
    const by = this.#query.by ?? ['bm25'];
    const best = new Set<number>();
    const isByImportance = IMPORTANCE_MEASURES.some((measure) => by.includes(measure));
    if (isByImportance) this.#importance = await readImportance(this.#db, this.#found);
    for (const measure of by) for (const page of await this.#best(measure)) best.add(page);
    await this.#authorities.read([...best]);
    if (!isByImportance) this.#importance = await readImportance(this.#db, [...best]);
    const hits = [...best].map((page) => this.#hit(page));
    const unchecked = this.#query.check === undefined ? 0 : this.#found.length - this.#checked.size;
    return { hits, matches: this.#found.length, unchecked };
  }

  /** Returns the best pages by a measure that are current and pass the check, best first. */
  async #best(measure: RankMeasure): Promise<readonly number[]> {
    const { limit } = this.#query;
    const passed: number[] = [];
    let chunk: number[] = [];
    for await (const page of await this.#ordered(measure)) {
      chunk.push(page);
      if (chunk.length < CHUNK) continue;
      passed.push(...(await this.#passing(chunk, limit - passed.length)));
      if (passed.length >= limit) return passed;
      chunk = [];
    }
    passed.push(...(await this.#passing(chunk, limit - passed.length)));
    return passed;
  }

  async #ordered(measure: RankMeasure): Promise<Iterable<number> | AsyncIterable<number>> {
    const first = 2 * this.#query.limit + CHUNK;
    if (measure === 'bm25') return bestFirst(this.#found, (page) => this.#scores.bm25(page), first);
    if (measure === 'cosine') return bestFirst(this.#found, (page) => this.#scores.cosine(page), first);
    if (measure === 'authority') {
      await this.#authorities.readAll();
      // If there are other measures, pages with authority 0 add nothing here.
      const isAlone = (this.#query.by ?? []).length === 1;
      const pages = isAlone ? this.#found : this.#found.filter((page) => this.#authorities.of(page) > 0);
      return bestFirst(pages, (page) => this.#authorities.of(page), first);
    }
    if (measure === 'confidence' || measure === 'relevance') return await this.#orderedByColumn(measure, first);
    if (measure === 'votes' || measure === 'sitevotes') {
      // If there are other measures, pages without votes add nothing here, and reading them takes time.
      const isAlone = (this.#query.by ?? []).length === 1;
      const pages = isAlone ? this.#found : this.#found.filter((page) => this.#votes[measure].has(page));
      return bestFirst(pages, (page) => this.#votes[measure].get(page) ?? 0, first);
    }
    return bestFirst(this.#found, (page) => this.#importance.get(page)?.[measure] ?? 0, first);
  }

  async #orderedByColumn(
    column: 'confidence' | 'relevance',
    first: number,
  ): Promise<Iterable<number> | AsyncIterable<number>> {
    if (this.#found.length > LOOKED_UP) return this.#walkColumn(column, first);
    const values = new Map<number, number>();
    for (let at = 0; at < this.#found.length; at += ROWS) {
      const rows = await this.#db
        .selectFrom('page')
        .select(['sequence', column])
        .where(among(this.#found.slice(at, at + ROWS)))
        .execute();
      for (const row of rows) values.set(row.sequence, row[column] ?? Number.NEGATIVE_INFINITY);
    }
    return bestFirst(this.#found, (page) => values.get(page) ?? Number.NEGATIVE_INFINITY, first);
  }

  /**
   * Yields the best matching pages by a column. Reads the column in steps; the size of the first is estimated from
   * the share of matches.
   */
  async *#walkColumn(column: 'confidence' | 'relevance', wanted: number): AsyncGenerator<number> {
    // Matching pages not yet yielded; pages are sorted by sequence.
    const isLeft = new Uint8Array((this.#found.at(-1) ?? 0) + 1);
    for (const page of this.#found) isLeft[page] = 1;
    const share = this.#found.length / Math.max(1, this.#pages);
    for (let limit = Math.ceil((1.5 * wanted) / share); ; limit = 4 * limit) {
      const best = await this.#db
        .selectFrom('page')
        .select('sequence')
        .where('replaced_by', 'is', null)
        .orderBy(column, 'desc')
        .limit(limit)
        .execute();
      const isAll = best.length < limit;
      const matching = best.filter(({ sequence }) => isLeft[sequence] === 1);
      if (matching.length < wanted && !isAll) continue;
      for (const { sequence } of matching) {
        isLeft[sequence] = 0;
        yield sequence;
      }
      if (isAll) return;
    }
  }

  /** Returns the first `wanted` pages that are current and pass the check. */
  async #passing(pages: readonly number[], wanted: number): Promise<readonly number[]> {
    await this.#readRows(pages);
    const current = pages.filter((page) => this.#rows.get(page) !== undefined);
    if (this.#query.check === undefined) return current.slice(0, wanted);
    const passing: number[] = [];
    // Small steps: reading a text costs more than checking it, and most answers are short.
    const step = Math.max(10, Math.min(CHUNK, wanted));
    for (let at = 0; at < current.length && passing.length < wanted; at += step) {
      const part = current.slice(at, at + step);
      await this.#check(part);
      passing.push(...part.filter((page) => this.#checked.get(page) === true));
    }
    return passing.slice(0, wanted);
  }

  async #check(pages: readonly number[]): Promise<void> {
    for (const page of pages) if (!this.#checked.has(page) && this.#isSure(page)) this.#checked.set(page, true);
    const room = MAX_CHECKED - this.#read;
    const fresh = pages.filter((page) => !this.#checked.has(page)).slice(0, Math.max(0, room));
    this.#read += fresh.length;
    const texts = await readTexts(this.#db, fresh);
    for (const page of fresh) {
      const title = this.#rows.get(page)?.title ?? '';
      this.#checked.set(page, this.#query.check!({ title, text: texts.get(page) ?? '' }));
    }
  }

  async #readRows(pages: readonly number[]): Promise<void> {
    const unknown = pages.filter((page) => !this.#rows.has(page));
    for (let at = 0; at < unknown.length; at += ROWS) {
      const part = unknown.slice(at, at + ROWS);
      for (const page of part) this.#rows.set(page, undefined);
      for (const row of await rowsOf(this.#db, part)) this.#rows.set(row.sequence, row);
    }
  }

  #hit(page: number): SearchHit {
    const importance = this.#importance.get(page) ?? UNKNOWN;
    const text = { bm25: this.#scores.bm25(page), cosine: this.#scores.cosine(page) };
    return {
      ...this.#rows.get(page)!,
      ...text,
      authority: this.#authorities.of(page),
      ...importance,
      votes: this.#votes.votes.get(page) ?? 0,
      sitevotes: this.#votes.sitevotes.get(page) ?? 0,
    };
  }
}

/** Yields pages by score, best first; ties keep their order. Selects the first `n` without sorting the rest. */
function* bestFirst(pages: readonly number[], score: (page: number) => number, n: number): Generator<number> {
  const order = (a: number, b: number): number => score(b) - score(a) || a - b;
  if (pages.length <= n) yield* [...pages].sort(order);
  else {
    const head = bestOf(pages, score, n);
    yield* head;
    const taken = new Set(head);
    yield* pages.filter((page) => !taken.has(page)).sort(order);
  }
}

/**
 * Returns the best `n` pages, best first, from pages sorted by sequence. Uses a heap with the worst selected page on
 * top, so one comparison rejects nearly every page.
 */
function bestOf(pages: readonly number[], score: (page: number) => number, n: number): number[] {
  const heap = pages.slice(0, n);
  const scores = Float64Array.from(heap, score);
  const isWorse = (a: number, b: number): boolean =>
    scores[a]! < scores[b]! || (scores[a]! === scores[b]! && heap[a]! > heap[b]!);
  const sink = (from: number): void => {
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      let worst = at;
      if (left < n && isWorse(left, worst)) worst = left;
      if (left + 1 < n && isWorse(left + 1, worst)) worst = left + 1;
      if (worst === at) return;
      [heap[at], heap[worst]] = [heap[worst]!, heap[at]!];
      [scores[at], scores[worst]] = [scores[worst]!, scores[at]!];
      at = worst;
    }
  };
  for (let at = (n >> 1) - 1; at >= 0; at--) sink(at);
  for (let i = n; i < pages.length; i++) {
    const value = score(pages[i]!);
    // On a tie, the later page ranks lower.
    if (value <= scores[0]!) continue;
    heap[0] = pages[i]!;
    scores[0] = value;
    sink(0);
  }
  const byPage = new Map(heap.map((page, i) => [page, scores[i]!]));
  return heap.sort((a, b) => byPage.get(b)! - byPage.get(a)! || a - b);
}

/** Returns pages as search shows them, without replaced pages and counter-examples. */
async function rowsOf(db: Db, pages: readonly number[]): Promise<readonly Row[]> {
  const rows = await db
    .selectFrom('page')
    .select(['sequence', 'final_url as url', 'title', 'topic', 'others', 'confidence', 'relevance'])
    .select(['fetched_at', 'host', 'content_type', 'content_hash', 'simhash', 'tokens', 'role', 'language'])
    .where(among(pages))
    .where('replaced_by', 'is', null)
    .where(sql<boolean>`not ${TAUGHT_APART}`)
    .execute();
  return rows.map(({ topic, others, confidence, relevance, fetched_at, content_type, content_hash, ...row }) => ({
    ...row,
    topic: topic as TopicId,
    others: others === 1,
    confidence: confidence ?? Number.NaN,
    relevance: relevance ?? Number.NaN,
    fetchedAt: fetched_at,
    contentType: content_type,
    contentHash: content_hash,
    simhash: parseSimhash(row.simhash),
    role: row.role as SearchHit['role'],
  }));
}
