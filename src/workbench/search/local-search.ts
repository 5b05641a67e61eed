import { shorterStems, stemBeginnings } from '../../analyze/index.ts';
import {
  type Bibliography,
  IMPORTANCE_MEASURES,
  RANK_MEASURES,
  type RankMeasure,
  ROOT,
  splitFields,
  type TopicId,
  type TopicTree,
  UsageError,
} from '../../core/index.ts';
import { count } from '../../kit/index.ts';
import {
  type Beginnings,
  beginningsIn,
  type Folded,
  foldDuplicates,
  misreadings,
  type Query,
  RANK_WEIGHTS,
  type Ranked,
  type RankWeights,
  rank,
  readQuery,
  rulesOut,
  type Snippet,
  shortened,
  snippet,
  spellings,
  spellingsEach,
  voteWords,
  type Wanted,
  wantedWords,
} from '../../postprocess/index.ts';
import type { ExportRow, PageFilter, SearchHit, SearchQuery, Store } from '../../store/index.ts';
import { didYouMean } from '../words/suggest.ts';
import { type Likeness, type LikenessStore, likenessOf, likest, VECTOR_CANDIDATES } from './likeness.ts';
import { type PageFilterOptions, readPageFilter } from './page-filter.ts';

/** Candidates taken by each measure per result shown: a page that is good by two measures is among the best by one. */
const CANDIDATES = 10;
const LEAST_CANDIDATES = 100;
/** Fewer candidates if the text of each must be read to find a phrase. */
const CHECKED_CANDIDATES = 2;
const SNIPPET_CHARS = 220;

/** How pages like a page are ranked: by its terms, with the vectors of the space `meaning` if it has one. Measured by bench:ranking. */
const LIKE_WEIGHTS: RankWeights = { bm25: 0.8, relevance: 0.2 };
export const VECTOR_WEIGHTS: RankWeights = { bm25: 0.4, cosine: 0.4, relevance: 0.2 };

/** A search of the stored pages. */
export interface LocalSearch {
  readonly query: Query;
  readonly filter: PageFilter;
  readonly weights: RankWeights;
  /** Maximum number of results, without near duplicates. */
  readonly limit: number;
  /** False: near duplicates are separate results. */
  readonly fold: boolean;
  /** True: includes pages that are gone. Default: false. */
  readonly gone?: boolean;
  /** The page whose like is wanted. It and its near duplicates are left out; rejected pages are ranked as accepted ones. */
  readonly like?: Likeness;
  /** Topics that stand for all, to look for accepted pages apart if rejected ones hide them. */
  readonly topics?: readonly TopicId[];
  /** Sentences about parts of the query that were read differently from what the user may have meant. */
  readonly notes?: readonly string[];
}

/** A result page with its near duplicates. */
export interface Result extends Folded<Ranked<SearchHit>> {
  readonly snippet: Snippet;
  /** Absent if the page does not describe itself. */
  readonly bibliography?: Bibliography;
}

export interface LocalAnswer {
  readonly results: readonly Result[];
  /** Pages with the words, whether shown or not. */
  readonly matches: number;
  /** Matching pages whose text was not searched for the phrases. */
  readonly unchecked: number;
  /** Matching pages that are left out because they are gone. */
  readonly ended: number;
}

/** Search options besides the words. */
export interface SearchOptions extends PageFilterOptions {
  /** Only pages accepted into any topic. */
  readonly accepted?: boolean | undefined;
  /** Only pages accepted into no topic. */
  readonly rejected?: boolean | undefined;
  /** Only pages that hold every word. */
  readonly all?: boolean | undefined;
  /** What decides the order: a measure, or a weighted sum such as `cosine=0.6,authority=0.4`. */
  readonly rank?: string | undefined;
  /** Lists near duplicates separately. */
  readonly alike?: boolean | undefined;
  /** Includes pages that are gone or have moved. */
  readonly gone?: boolean | undefined;
  /** Address of a stored page: the pages most like it are found. With words, each must have them. */
  readonly like?: string | undefined;
}

export interface SearchContext {
  readonly tree: TopicTree;
  readonly limit: number;
  /** Languages of the stored pages. */
  readonly languages: readonly string[];
  readonly beginnings: Beginnings;
  /** Sentences about these languages. */
  readonly notes: readonly string[];
  /** The page whose like is wanted. */
  readonly like?: Likeness;
}

/** Maximum number of words that a prefix expands to. Each is looked up in the index. */
const MOST_WORDS = 300;

/**
 * Returns facts about the stored pages that parsing a query needs.
 * @param options `like` names a stored page
 * @throws UsageError if that page is not stored, or has no terms
 */
export async function searchContext(
  store: Pick<Store, 'languages' | 'stemsFrom'> & LikenessStore,
  words: string,
  { like, ...place }: Pick<SearchContext, 'tree' | 'limit'> & Pick<SearchOptions, 'like'>,
): Promise<SearchContext> {
  const beginnings = new Map<string, readonly string[]>();
  const notes: string[] = [];
  const languages = await store.languages();
  const asked = beginningsIn(words);
  const most = spellingsEach(asked.length);
  for (const beginning of asked) {
    const spelled = spellings(beginning, languages, most).flatMap(({ word, language }) =>
      stemBeginnings(word, [language]),
    );
    const stems = await store.stemsFrom(...new Set([...stemBeginnings(beginning, languages), ...spelled]));
    beginnings.set(beginning, [...(stems?.slice(0, MOST_WORDS) ?? []), ...shorterStems(beginning, languages)]);
    if (stems === undefined)
      notes.push(
        `An older version wrote this store: words cannot be found by their beginning before the next bingo crawl.`,
      );
    else if (stems.length > MOST_WORDS)
      notes.push(`${count(stems.length)} words begin with "${beginning}": the ${MOST_WORDS} shortest are used.`);
  }
  const known = { ...place, languages, beginnings, notes: [...new Set(notes)] };
  return like === undefined ? known : { ...known, like: await likenessOf(store, like) };
}

/**
 * Parses the words and options of a search.
 * @throws UsageError if no searchable word is left, or an option is invalid
 */
export function readSearch(words: string, options: SearchOptions, context: SearchContext): LocalSearch {
  const { languages, beginnings, like } = context;
  const { accepted = false, all = false, alike = false, gone = false, rejected = false, rank: ranking } = options;
  const { named = (option) => option } = options;
  const typed = readQuery(words, { exact: all || like !== undefined, languages, beginnings });
  const query = like === undefined ? typed : withTerms(typed, like.terms);
  const given = readPageFilter(options, context.tree, query.filters);
  if (query.all.length + query.any.length + query.pairs.length === 0) throw nothingToLookFor(words, query);
  if (accepted && given.others === true)
    throw new UsageError(
      `${named('accepted')} and ${named('topic')} OTHERS cannot be combined.`,
      'OTHERS are the rejected pages.',
    );
  if (rejected && (accepted || given.topics?.length !== 0))
    throw new UsageError(
      `${named('rejected')} cannot be combined with ${named('accepted')} or a topic.`,
      'No topic accepted a rejected page.',
    );
  const topics = mainTopics(context.tree);
  const isAnyTopic = accepted && given.topics?.length === 0;
  const filter = { ...given, ...(isAnyTopic ? { topics } : {}), ...(rejected ? { others: true } : {}) };
  const weights = ranking === undefined ? usualWeights(like) : readWeights(ranking, named('rank'));
  const notes = [...misreadings(words), ...context.notes];
  const search = { query, filter, weights, limit: context.limit, fold: !alike, gone, topics, notes };
  if (like === undefined) return search;
  const { vector: _, ...byTerms } = like;
  return { ...search, like: ranking === undefined ? like : byTerms };
}

function usualWeights(like: Likeness | undefined): RankWeights {
  if (like === undefined) return RANK_WEIGHTS;
  return like.vector === undefined ? LIKE_WEIGHTS : VECTOR_WEIGHTS;
}

/** Adds terms of which a page needs one. */
function withTerms(query: Query, terms: readonly string[]): Query {
  const any = [...query.any, ...terms.map((term) => [term])];
  return { ...query, any, stems: new Set([...query.stems, ...terms]) };
}

/** Filter for all topics: a top-level topic includes its subtopics. */
function mainTopics(tree: TopicTree): readonly TopicId[] {
  return [...tree.nodes.keys()].filter((id) => id !== ROOT && !id.includes('/'));
}

function nothingToLookFor(words: string, { filters }: Query): UsageError {
  if (filters.some(({ isRuledOut }) => !isRuledOut) && wantedWords(words) === '')
    return new UsageError(
      `"${words}" says which pages to look at, and not for what.`,
      'Add a word. All such pages are listed by bingo export: --topic, --site, --type, --since and --until.',
    );
  const [note] = misreadings(words);
  if (note !== undefined && /[\p{L}\p{N}]/u.test(words))
    return new UsageError(`"${words}" holds nothing to look for.`, note);
  const rest = wantedWords(words);
  if (/[\p{L}\p{N}]/u.test(rest))
    return new UsageError(
      `"${words}" holds nothing to look for, only stop words.`,
      'Use words that matter: nouns, names, technical terms. A phrase in quotation marks may hold any words.',
    );
  return rulesOut(words) && /[\p{L}\p{N}]/u.test(words)
    ? new UsageError(`${words} only excludes words.`, 'Add a word to look for: touring -car.')
    : new UsageError(`No word in "${words}".`, 'For example touring routes, or "dynamo hub" for a phrase.');
}

function isByVotes({ votes = 0, sitevotes = 0 }: RankWeights): boolean {
  return votes > 0 || sitevotes > 0;
}

/**
 * Answers a search: candidates by each measure, ranked by their sum, rejected pages behind accepted ones, near duplicates
 * folded, with passages.
 */
export async function searchPages(store: Store, search: LocalSearch): Promise<LocalAnswer> {
  const { query, filter, weights, limit, like } = search;
  const { all, any, none, pairs, ways, check, sure, title } = query;
  const asked: SearchQuery = {
    ...{ all, any, none, pairs, ways, ...filter },
    ...(check === undefined ? {} : { check }),
    ...(sure === undefined ? {} : { sure }),
    ...(title === undefined ? {} : { title }),
    ended: search.gone === true,
    ...(isByVotes(weights) ? { votes: voteWords(query) } : {}),
    ...candidatesOf(search),
  };
  const { hits, matches, unchecked, ended } = await store.search(asked);
  checkImportance(hits, weights);
  const { found, left } = like === undefined ? { found: hits, left: 0 } : await likest(store, hits, like);
  const hidden = isHiding(hits, matches, search) ? await store.search(acceptedOf(asked, search)) : { hits: [] };
  const known = new Set(hits.map(({ sequence }) => sequence));
  const ranked = rank([...found, ...hidden.hits.filter(({ sequence }) => !known.has(sequence))], weights);
  const ordered = like === undefined ? acceptedFirst(ranked) : ranked;
  const folded = search.fold ? foldDuplicates(ordered) : ordered.map((hit) => ({ ...hit, alike: [] }));
  const shown = folded.slice(0, limit);
  return { results: await withSnippets(store, shown, query), matches: matches - left, unchecked, ended };
}

/** By which measures candidates are taken, and how many by each. */
function candidatesOf({ weights, limit, like, query }: LocalSearch): Pick<SearchQuery, 'by' | 'limit'> {
  if (like?.vector !== undefined) return { by: ['bm25'], limit: Math.max(VECTOR_CANDIDATES, limit) };
  const by = (Object.keys(weights) as RankMeasure[]).filter((measure) => weights[measure]! > 0);
  const most = Math.max(LEAST_CANDIDATES, limit * CANDIDATES);
  return { by, limit: query.check === undefined ? most : limit * CHECKED_CANDIDATES };
}

function acceptedFirst<T extends { readonly others: boolean }>(pages: readonly T[]): readonly T[] {
  return [...pages.filter(({ others }) => !others), ...pages.filter(({ others }) => others)];
}

/** @throws UsageError if pages are to be ranked by importance, and none has any yet */
function checkImportance(hits: readonly SearchHit[], weights: RankWeights): void {
  const measure = IMPORTANCE_MEASURES.find((name) => (weights[name] ?? 0) > 0);
  if (measure === undefined || hits.length === 0 || hits.some((hit) => !Number.isNaN(hit[measure]))) return;
  throw new UsageError(
    `Pages cannot be ranked by ${measure} yet: their importance has not been computed.`,
    'The next bingo crawl computes it when it ends, and so does bingo distill DIR TOPIC --store.',
  );
}

/** Whether accepted pages may be missing because rejected ones took their places among the candidates. */
function isHiding(
  hits: readonly SearchHit[],
  matches: number,
  { limit, filter, like, topics = [] }: LocalSearch,
): boolean {
  if (like !== undefined) return false;
  const isAll = filter.others !== true && topics.length > 0;
  if (!isAll && (filter.topics ?? []).length === 0) return false;
  const accepted = hits.filter(({ others }) => !others).length;
  return accepted < hits.length && accepted < limit && matches > hits.length;
}

/** The same query for accepted pages alone. */
function acceptedOf(asked: SearchQuery, { filter, topics = [] }: LocalSearch): SearchQuery {
  const own = filter.topics ?? [];
  return { ...asked, topics: own.length > 0 ? own : topics, others: false };
}

/** A page's own directives limit how much of it may be shown. */
async function withSnippets<T extends { readonly sequence: number }>(
  store: Pick<Store, 'texts' | 'snippetLimits' | 'fields'>,
  pages: readonly T[],
  wanted: Wanted,
): Promise<(T & Pick<Result, 'snippet' | 'bibliography'>)[]> {
  const sequences = pages.map(({ sequence }) => sequence);
  const [texts, limits] = [await store.texts(sequences), await store.snippetLimits(sequences)];
  const fields = await store.fields(sequences);
  return pages.map((page) => {
    const found = snippet(texts.get(page.sequence) ?? '', wanted, SNIPPET_CHARS);
    const { bibliography } = splitFields(fields.get(page.sequence));
    return { ...page, snippet: shortened(found, limits.get(page.sequence)), ...(bibliography && { bibliography }) };
  });
}

/**
 * Returns the most relevant pages that a search misses because they lack its words, ranked without regard to the
 * text.
 * @param shown results that are already listed
 * @param filter pages that may be listed
 */
export async function surestPages(
  store: Pick<Store, 'exportPages' | 'texts' | 'snippetLimits' | 'fields'>,
  weights: RankWeights,
  { shown, count, filter }: { readonly shown: readonly Result[]; readonly count: number; readonly filter: PageFilter },
): Promise<readonly Result[]> {
  const known = new Set(shown.flatMap((result) => [result.sequence, ...result.alike.map((page) => page.sequence)]));
  let best: ExportRow[] = [];
  for await (const row of store.exportPages({ ...filter, relevant: true, ended: false })) {
    if (known.has(row.sequence)) continue;
    best.push(row);
    if (best.length < 20 * count) continue;
    best = surest(best, count);
  }
  const rows = surest(best, count);
  const hits = rows.map(
    (row): SearchHit => ({
      ...row,
      host: new URL(row.finalUrl).host,
      ...WITHOUT_WORDS,
      ...(row.importance ?? UNRATED),
    }),
  );
  const ranked = rank(hits, weights).map((hit) => ({ ...hit, alike: [] }));
  return await withSnippets(store, ranked, { stems: new Set() });
}

const WITHOUT_WORDS = {
  bm25: 0,
  cosine: 0,
  votes: 0,
  sitevotes: 0,
  authority: 0,
  contentHash: '',
  simhash: [0, 0],
  tokens: 0,
} as const;
const UNRATED = { ib: Number.NaN, ir: Number.NaN, il: Number.NaN } as const;

function surest(rows: readonly ExportRow[], count: number): ExportRow[] {
  return rows.toSorted((a, b) => b.relevance - a.relevance || a.sequence - b.sequence).slice(0, count);
}

/**
 * Parses `cosine`, or `cosine=0.6,authority=0.4`.
 * @throws UsageError for an unknown measure or an invalid weight
 */
export function readWeights(text: string, named = '--rank'): RankWeights {
  const weights: Partial<Record<RankMeasure, number>> = {};
  for (const part of text.split(',')) {
    const [name = '', value = '1'] = part.split('=').map((word) => word.trim());
    const measure = RANK_MEASURES.find((known) => known === name);
    const weight = Number(value);
    if (measure === undefined)
      throw new UsageError(
        `${named}: pages cannot be ranked by "${name}".`,
        didYouMean(name, RANK_MEASURES) ?? `They can by ${RANK_MEASURES.join(', ')}.`,
      );
    if (value === '' || !(weight >= 0) || !Number.isFinite(weight))
      throw new UsageError(
        `${named}: the weight of ${name} is "${value}", expected a number from 0.`,
        `For example ${named} cosine=0.6,authority=0.4.`,
      );
    weights[measure] = weight;
  }
  if (Object.values(weights).every((weight) => weight === 0))
    throw new UsageError(`${named}: every weight is 0, so nothing is ranked.`, 'Give at least one weight.');
  return weights;
}
