import { type CanonicalUrl, type FetchedPage, type FetchOutcome, NOT_NOW } from '../../core/index.ts';
import { recordedFailure, recordedOutcome } from '../../warc/index.ts';
import type { HttpFetcher } from '../fetcher.ts';
import type { KnownVersion } from '../http-client.ts';
import type { PageSource } from './page-source.ts';

/** Options of a fetcher that asks an archive. */
export interface SourceFetcherOptions {
  /** Larger pages are rejected. */
  readonly maxBodyBytes: number;
  /** Fetches the pages that the archive lacks. Default: they are skipped. */
  readonly live?: HttpFetcher | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Fetches pages from an archive, then from the network if the user wants it. No robots.txt is requested for pages of an
 * archive, since their servers are not asked.
 */
export class SourceFetcher {
  readonly #source: PageSource;
  readonly #live: HttpFetcher | undefined;
  readonly #maxBodyBytes: number;
  readonly #now: () => number;

  constructor(source: PageSource, { maxBodyBytes, live, now = Date.now }: SourceFetcherOptions) {
    this.#source = source;
    this.#live = live;
    this.#maxBodyBytes = maxBodyBytes;
    this.#now = now;
  }

  async fetch(url: CanonicalUrl, known?: KnownVersion, onBegin?: () => void): Promise<FetchOutcome> {
    const found = await this.#source.find(url);
    const fetchedAt = this.#now();
    const failed = { kind: 'failed', url, retry: 'later', fetchedAt } as const;
    if (found.kind === 'page') {
      onBegin?.();
      const outcome = { ...recordedOutcome(found.page, this.#maxBodyBytes), fetchedAt };
      return outcome.kind === 'fetched' ? { ...outcome, capture: found.capture } : outcome;
    }
    if (found.kind === 'not-now') return { ...failed, reason: NOT_NOW, detail: 'the crawl ends', status: 0 };
    if (this.#live !== undefined) return await this.#live.fetch(url, known, onBegin);
    const gone = { url, status: 404, recordedAt: fetchedAt };
    if (found.kind === 'absent') return recordedFailure(gone, 'not-archived', 'the archive does not have it');
    return { ...failed, reason: 'http', detail: found.detail, status: 503 };
  }

  crawlDelayMs(host: string): number {
    return this.#live?.crawlDelayMs(host) ?? 0;
  }

  /** Names are not needed for pages of the archive. */
  async resolve(_host: string): Promise<boolean> {
    return true;
  }

  /** Frees the body of a page from the network; those of the archive belong to it. */
  release(page: FetchedPage): void {
    if (page.capture === undefined) this.#live?.release(page);
  }

  async close(): Promise<void> {
    await Promise.all([this.#source.close(), this.#live?.close()]);
  }
}
