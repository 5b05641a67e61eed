import { type CanonicalUrl, DEFAULTS, type FetchOutcome } from '../../core/index.ts';
import type { Fetcher } from '../../engine/index.ts';
import { recordedFailure, recordedOutcome } from '../../warc/index.ts';
import type { RecordedWeb } from './generated-web.ts';

/**
 * A fetcher that answers from a frozen web: deterministic, without network or clock. Times are those of the
 * recording. A page missing from the archive is a 404 that is never retried.
 */
export class ArchiveFetcher implements Fetcher {
  readonly #web: RecordedWeb;
  readonly #hosts: ReadonlySet<string>;
  readonly #maxBodyBytes: number;

  /** @param maxBodyBytes larger pages are rejected, see `network.maxBodyBytes` */
  constructor(web: RecordedWeb, maxBodyBytes: number = DEFAULTS.network.maxBodyBytes) {
    this.#web = web;
    this.#maxBodyBytes = maxBodyBytes;
    this.#hosts = new Set(web.hosts());
  }

  async fetch(url: CanonicalUrl): Promise<FetchOutcome> {
    const page = this.#web.page(url);
    if (page === undefined) return recordedFailure({ url, status: 404, recordedAt: 0 }, 'http', 'not in the archive');
    return recordedOutcome(page, this.#maxBodyBytes);
  }

  crawlDelayMs(_host: string): number {
    return 0;
  }

  async resolve(host: string): Promise<boolean> {
    return this.#hosts.has(host);
  }

  async close(): Promise<void> {}
}
