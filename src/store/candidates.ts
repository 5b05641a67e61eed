import type { TopicId } from '../core/index.ts';

/** Pages that count against budgets. */
export interface CountedPages {
  /** The topic whose queue the link was in. */
  readonly topic: TopicId;
  readonly host: string;
  readonly pages: number;
}

/** Which pages `Store.candidates` returns. */
export interface CandidateLimits {
  /** Accepted pages with a lower calibrated score are uncertain. */
  readonly calibratedBelow: number;
  /** Maximum number of links from a seed to a rejected page. */
  readonly maxDepth: number;
  /** Maximum number of pages in each list. */
  readonly limit: number;
}

/** A page with a score for a topic. */
export interface CandidatePage {
  readonly topic: TopicId;
  readonly sequence: number;
  readonly url: string;
  readonly title: string;
  readonly score: number;
}

/** Pages found by the crawl whose verdicts a user may want to check; topics are named as in the tables. */
export interface Candidates {
  /** Accepted pages with uncertain verdicts, by their calibrated score, lowest first. */
  readonly unsure: readonly CandidatePage[];
  /** Rejected pages near the seeds, by their cosine to the topic's examples, greatest first. */
  readonly near: readonly CandidatePage[];
  /** All accepted pages. */
  readonly accepted: readonly { readonly topic: TopicId; readonly pages: number; readonly meanCosine: number }[];
}
