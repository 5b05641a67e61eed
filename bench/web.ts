import { NO_HEADERS, type PageHeaders } from '../src/core/index.ts';

/** What pages of made-up webs come with. */
export const HTML_HEADERS: PageHeaders = Object.freeze({ ...NO_HEADERS, contentType: 'text/html', charset: 'utf-8' });

/** A topic with pages that are about it. */
export interface WebTopic {
  readonly name: string;
  readonly examples: readonly string[];
}

/** A web that a server process can serve: pages on demand, and what a crawl of it needs to begin. */
export interface Web {
  /** The page at `host` (without port) and `path`; `undefined` if missing. */
  page(host: string, path: string): Buffer | undefined;
  /** How to crawl it. URLs carry the server's port. */
  readonly start: CrawlStart;
}

export interface CrawlStart {
  readonly name: string;
  readonly seeds: readonly string[];
  readonly topics: readonly WebTopic[];
  /** Pages of everyday subjects: the negative examples. */
  readonly others: readonly string[];
}
