import type { Ending, PageRole, RankMeasure, TopicId } from '../core/index.ts';

/** A word to look for: its stem in the index, or several of which each will do. */
export type SearchTerm = string | readonly string[];

/** Which pages are looked at; nothing given: all that were not replaced by a newer fetch. */
export interface PageFilter {
  /** Accepted pages of these topics and those below them; absent, empty or with the root: all pages. */
  readonly topics?: readonly TopicId[];
  /** Pages accepted into no topic: these alone, or beside those of `topics`. Default: false. */
  readonly others?: boolean;
  /** Host names; hosts below them belong to them, ports do not matter. */
  readonly sites?: readonly string[];
  /** Fetched at this time or later, in ms since 1970. */
  readonly since?: number;
  /** Fetched before this time. */
  readonly until?: number;
  /** Media types: `application/pdf`. */
  readonly types?: readonly string[];
  /** Endings of addresses, such as `pdf`, that count as well where the media type says nothing: mere bytes, or a file in an archive. */
  readonly endings?: readonly string[];
  /** Pages that are none of those wanted: each of these alone rules a page out. */
  readonly without?: Pick<PageFilter, 'topics' | 'others' | 'sites' | 'types' | 'endings'>;
}

/** One of several ways for a page to be right. */
export interface SearchWay {
  /** Stems of which it has one; none: whatever it has. */
  readonly stems: readonly string[];
  /** Numbers of pairs of words, of which it has, or may have, every one. */
  readonly pairs: readonly number[];
}

/** What to look for. Without `all`, `any` and `pairs` nothing is found. */
export interface SearchQuery extends PageFilter {
  /** Words of which every one occurs. */
  readonly all?: readonly SearchTerm[];
  /** Words that raise the score; without `all`, at least one occurs. */
  readonly any?: readonly SearchTerm[];
  /** Words of which none occurs. */
  readonly none?: readonly SearchTerm[];
  /** Numbers of pairs of words that follow each other (`wordPairs`), of which a page must have, or may have, every one. */
  readonly pairs?: readonly number[];
  /** Groups of ways, of each of which a page must take one. */
  readonly ways?: readonly (readonly SearchWay[])[];
  /** What else a page must fulfil, such as holding a phrase. Asked of the best pages until there are enough. */
  readonly check?: (page: { readonly title: string; readonly text: string }) => boolean;
  /** A page with all of these words fulfils `check`: its text need not be read. */
  readonly sure?: readonly SearchTerm[];
  /** What its title must fulfil. Asked of every page that has the words. */
  readonly title?: (title: string) => boolean;
  /** True: also pages that left, as far as rechecks told. Default: false. */
  readonly ended?: boolean;
  /** The best `limit` pages by each of these measures. Default: bm25 alone. */
  readonly by?: readonly RankMeasure[];
  readonly limit: number;
}

export interface SearchAnswer {
  /** In the order of the first measure, then those that another one adds. */
  readonly hits: readonly SearchHit[];
  /** Pages that match, whether or not they are among the hits; those that a newer fetch replaced may be counted. */
  readonly matches: number;
  /** Of these, pages that `check` was not asked of. */
  readonly unchecked: number;
  /** Pages that would match as well, but left. */
  readonly ended: number;
}

/** How a page left, and when a recheck told. */
export interface PageEnd {
  readonly ending: Ending;
  readonly at: number;
  /** Where a page went that has moved to a known one; else `''`. */
  readonly target: string;
}

/** One page that matches. */
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
  /** ISO 639-1; `''` when unknown. */
  readonly language: string;
  /** As in the page's document. */
  readonly contentHash: string;
  readonly simhash: readonly [number, number];
  readonly tokens: number;
  /** Comparable within one answer, higher is better. */
  readonly bm25: number;
  /** Of page and words, in [0,1]. */
  readonly cosine: number;
  /** From link analysis of the topics asked for, in [0,1]; 0 for pages that nobody recommends. */
  readonly authority: number;
  /** Absent while it is there. */
  readonly end?: PageEnd;
}
