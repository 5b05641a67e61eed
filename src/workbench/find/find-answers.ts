import { type TopicId, UsageError } from '../../core/index.ts';
import { readQuery } from '../../postprocess/index.ts';
import type { Store } from '../../store/index.ts';
import {
  type LocalAnswer,
  type LocalSearch,
  readSearch,
  readWeights,
  type SearchOptions,
  searchContext,
  searchPages,
  surestPages,
} from '../search/local-search.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** What is asked of the pages that were found. */
export interface FindQuestion {
  readonly words: string;
  /** Weights of the ranking, such as `cosine=0.6,confidence=0.4`. */
  readonly rank?: string | undefined;
  readonly limit: number;
  /** Options of the search besides the ranking. */
  readonly options?: SearchOptions;
  /** Only pages of these topics, which must not be empty. */
  readonly topics: readonly TopicId[];
  /** The words are those that the crawl learned from: pages on their subject may use other words. */
  readonly isQuery: boolean;
}

/** Numbers of stored pages that contain every word of a search: accepted and rejected. */
export interface WholeMatches {
  readonly accepted: number;
  readonly rejected: number;
}

/** Accepted pages with the words, then the surest pages without them if the words are those of the crawl. */
export interface FindAnswers extends LocalAnswer {
  /** The last results that do not contain the words: their number. */
  readonly without: number;
  readonly whole: WholeMatches;
  /** Sentences about parts of the query that were read differently from what the user may have meant. */
  readonly notes: readonly string[];
}

/**
 * Answers from the accepted pages.
 * @throws UsageError if the words or the ranking are invalid, or name a topic
 */
export async function findAnswers(
  store: Store,
  { tree }: Pick<Workspace, 'tree'>,
  { words, rank, limit, options = {}, topics, isQuery }: FindQuestion,
): Promise<FindAnswers> {
  const context = await searchContext(store, words, { tree, limit });
  const search = readSearch(words, options, context);
  refuseTopics(words);
  const weights = rank === undefined ? search.weights : readWeights(rank);
  const accepted: LocalSearch = { ...search, weights, filter: { ...search.filter, topics } };
  const answer = await searchPages(store, accepted);
  const missing = limit - answer.results.length;
  const more = isQuery && missing > 0 ? { shown: answer.results, count: missing, filter: accepted.filter } : undefined;
  const surest = more === undefined ? [] : await surestPages(store, weights, more);
  return {
    ...answer,
    results: [...answer.results, ...surest],
    without: surest.length,
    whole: await countWhole(store, words, accepted),
    notes: search.notes ?? [],
  };
}

/** Counts the pages that contain every word. */
async function countWhole(store: Store, words: string, search: LocalSearch): Promise<WholeMatches> {
  const { languages, beginnings } = search.query;
  const query = readQuery(words, { exact: true, languages, beginnings });
  const accepted = await searchPages(store, { ...search, query });
  const any = await searchPages(store, { ...search, query, filter: { ...search.filter, topics: [] } });
  return { accepted: accepted.matches, rejected: any.matches - accepted.matches };
}

/** @throws UsageError for a topic among the operators */
export function refuseTopics(words: string): void {
  if (readQuery(words).filters.some(({ name }) => name === 'topic'))
    throw new UsageError(
      'topic: is not available here, because a search has only one topic.',
      'Use it with bingo search.',
    );
}
