import { join } from 'node:path';
import type { Judgement, OrderingName, TopicId } from '../../core/index.ts';
import { FILE_LIMITS, readBounded } from '../workspace/bounded-file.ts';
import { replaceFile } from '../workspace/replace-file.ts';
import type { QueryEnd } from './adapt-events.ts';
import type { Representative } from './representatives.ts';

/** A page at which a crawl starts. */
export interface StartPage {
  readonly url: string;
  readonly topic: TopicId;
}

/** One crawl for a query. */
export interface QueryCrawl {
  /** From 0. */
  readonly query: number;
  /** From 1. */
  readonly iteration: number;
  readonly starts: readonly StartPage[];
  /** Those that the new collection lacked; if none, the seeds of the crawl before. */
  readonly seeds: readonly StartPage[];
  /** Pages that the new collection has when the crawls for the query end, at most. */
  readonly upTo: number;
  /** Fetches of the new collection at its end that count, at most. Start pages do not count. */
  readonly budget: number;
  /** No further crawl follows: the start pages stay the same, or it is the last allowed. */
  readonly isLast: boolean;
  readonly isDone: boolean;
  /** Fetches of the new collection that count: at its end, or before it while it is not done. */
  readonly fetched: number;
}

/** What an adaptation does, and how far it is. The file in the new collection lets it continue after a kill. */
export interface AdaptState {
  readonly queries: readonly Representative[];
  /** Maximum number of pages of the new collection. */
  readonly pages: number;
  readonly iterations: number;
  readonly theta: number;
  readonly hits: number;
  readonly ordering: OrderingName;
  /** Decisions of the user on pages and sites. */
  readonly judgements: readonly Judgement[];
  /** Pages to learn from besides the examples of bingo.yaml. */
  readonly archetypes: readonly StartPage[];
  readonly crawls: readonly QueryCrawl[];
  /** Queries without a further crawl, with their reason. */
  readonly ended: readonly { readonly query: number; readonly why: QueryEnd }[];
}

const STATE_FILE = 'adapt.json';

/** Returns the state of an adaptation in the folder of its collection; `undefined` if the folder has none. */
export function readAdaptState(folder: string): AdaptState | undefined {
  try {
    return JSON.parse(readBounded(join(folder, STATE_FILE), FILE_LIMITS.workspace).toString('utf8')) as AdaptState;
  } catch {
    return undefined;
  }
}

export function writeAdaptState(folder: string, state: AdaptState): void {
  replaceFile(join(folder, STATE_FILE), `${JSON.stringify(state)}\n`);
}
