import type { Ending, PageRole, RankMeasure, TopicId } from '../core/index.ts';

/** A word to search for: its stem in the index, or several alternative stems. */
export type SearchTerm = string | readonly string[];

/** A condition on a field of a page. */
export interface FieldCondition {
  readonly name: string;
  /** `there`: the page has the field; `~`: the text contains the value. Case is ignored. */
  readonly is: 'there' | '=' | '~' | '<' | '<=' | '>' | '>=';
  /** For `<` and the like, a number. */
  readonly value: string;
  /** True: `<` and the like compare texts, such as dates. Default: false. */
  readonly isText?: boolean;
}

/** Which pages to search; without any condition, all that were not replaced by a newer fetch. */
export interface PageFilter {
  /** Accepted pages of these topics and their subtopics; absent, empty or with the root: all pages. */
  readonly topics?: readonly TopicId[];
  /** Pages accepted into no topic: alone, or in addition to those of `topics`. Default: false. */
  readonly others?: boolean;
  /** Host names; subdomains are included, ports are ignored. */
  readonly sites?: readonly string[];
  /** Fetched at this time or later, in ms since 1970. */
  readonly since?: number;
  /** Fetched before this time. */
  readonly until?: number;
  /** Media types: `application/pdf`. */
  readonly types?: readonly string[];
  /**
   * File endings of addresses, such as `pdf`. They also count if the media type is unspecific: plain bytes, or a file
   * in an archive.
   */
  readonly endings?: readonly string[];
  /** ISO 639-1 codes. */
  readonly languages?: readonly string[];
  /** Fields that a page must have, all of them. */
  readonly fields?: readonly FieldCondition[];
  /** Pages to exclude: each of these conditions alone excludes a page. */
  readonly without?: Pick<PageFilter, 'topics' | 'others' | 'sites' | 'types' | 'endings' | 'languages' | 'fields'>;
}

/** One of several alternative ways for a page to match. */
export interface SearchWay {
  /** Stems of which the page has at least one; if empty, any page matches. */
  readonly stems: readonly string[];
  /** Numbers of word pairs, all of which the page has or may have. */
  readonly pairs: readonly number[];
}

/** What to search for. Without `all`, `any` and `pairs`, nothing is found. */
export interface SearchQuery extends PageFilter {
  /** Words that must all occur. */
  readonly all?: readonly SearchTerm[];
  /** Words that raise the score; without `all`, at least one must occur. */
  readonly any?: readonly SearchTerm[];
  /** Words that must not occur. */
  readonly none?: readonly SearchTerm[];
  /** Numbers of consecutive word pairs (`wordPairs`), all of which the page must have or may have. */
  readonly pairs?: readonly number[];
  /** Groups of alternative conditions; a page must match one of each group. */
  readonly ways?: readonly (readonly SearchWay[])[];
  /** Further condition on a page, such as containing a phrase. Checked for the best pages until enough pass. */
  readonly check?: (page: { readonly title: string; readonly text: string }) => boolean;
  /** A page with all of these words passes `check`; its text need not be read. */
  readonly sure?: readonly SearchTerm[];
  /** Condition on the title. Checked for every page that has the words. */
  readonly title?: (title: string) => boolean;
  /** If true, includes pages that no longer exist according to rechecks. Default: false. */
  readonly ended?: boolean;
  /** Ranking measures; the best `limit` pages by each are returned. Default: only bm25. */
  readonly by?: readonly RankMeasure[];
  readonly limit: number;
  /** The words in anchors, if `by` has `votes` or `sitevotes`; else no page has votes. */
  readonly votes?: VoteQuery;
}

/** The words of a query, as anchors of links are searched for them. */
export interface VoteQuery {
  /** Lower-case texts, one of which every anchor with a word of the query contains. */
  readonly beginnings: readonly string[];
  /** Returns the numbers of the query's words that an anchor has, each once. */
  readonly wordsIn: (anchor: string) => Iterable<number>;
}

/** An address that was not fetched yet, with the votes for it. */
export interface UnfetchedPage {
  readonly url: string;
  /** Comparable within one answer, higher is better. */
  readonly score: number;
  /** Pages whose anchors have a word of the query. */
  readonly votes: number;
}

export interface SearchAnswer {
  /** Sorted by the first measure, followed by hits that only other measures add. */
  readonly hits: readonly SearchHit[];
  /** Number of matching pages, not only hits; can include pages that a newer fetch replaced. */
  readonly matches: number;
  /** Number of these on which `check` did not run. */
  readonly unchecked: number;
  /** Number of pages that would match but no longer exist. */
  readonly ended: number;
}

/** How many pages have words. */
export interface DocumentFrequencies {
  /** Number of pages in the index. */
  readonly pages: number;
  /** Number of pages with each word, in the order asked. */
  readonly counts: readonly number[];
}

/** How a page ended, and when a recheck noticed. */
export interface PageEnd {
  readonly ending: Ending;
  readonly at: number;
  /** The known page to which it moved; else `''`. */
  readonly target: string;
}

/** A matching page. */
export interface SearchHit {
  readonly sequence: number;
  readonly url: string;
  readonly title: string;
  readonly topic: TopicId;
  readonly others: boolean;
  readonly confidence: number;
  readonly relevance: number;
  readonly fetchedAt: number;
  readonly host: string;
  readonly contentType: string;
  readonly role: PageRole;
  /** ISO 639-1; `''` if unknown. */
  readonly language: string;
  /** As in the page's document. */
  readonly contentHash: string;
  readonly simhash: readonly [number, number];
  readonly tokens: number;
  /** Comparable within one answer, higher is better. */
  readonly bm25: number;
  /** Between page and query, in [0,1]. */
  readonly cosine: number;
  /** From link analysis of the requested topics, in [0,1]; 0 for pages without weighted links to them. */
  readonly authority: number;
  /** Importance by backlinks, PageRank and location (see `Importance`); NaN for pages without it. */
  readonly ib: number;
  readonly ir: number;
  readonly il: number;
  /** By votes of referring pages, see {@link SearchQuery.votes}; 0 without votes. */
  readonly votes: number;
  /** The same with one vote per referring site, other than the page's own. */
  readonly sitevotes: number;
  /** Absent while the page exists. */
  readonly end?: PageEnd;
}
