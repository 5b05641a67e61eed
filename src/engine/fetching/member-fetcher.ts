import { archiveOfMember, type CanonicalUrl, type FetchedPage, type FetchOutcome } from '../../core/index.ts';
import { SpillFile } from '../../kit/index.ts';
import type { Fetcher, KnownVersion } from '../ports.ts';

/** Archives kept in memory, and their total bytes: members of one archive are mostly fetched in a row. */
const MAX_ARCHIVES = 8;
const MAX_BYTES = 32 * 1024 * 1024;
/** Total bytes of the others, in a temporary file. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;

/**
 * Gives documents inside zip archives their own address (`archive.zip!/name`). Fetches the archive and returns its
 * bytes under the member's address; analysis extracts the member. A run fetches an archive once, while it fits the
 * limits. Passes all other addresses through.
 */
export class MemberFetcher implements Fetcher {
  readonly #fetcher: Fetcher;
  /** Archives by address, the most recently used last. */
  readonly #archives = new Map<CanonicalUrl, FetchedPage>();
  /** Archives that memory has no room for: without their bytes, and the bytes. */
  readonly #spilled = new Map<CanonicalUrl, FetchedPage>();
  readonly #file = new SpillFile<CanonicalUrl>(MAX_FILE_BYTES);
  readonly #asking = new Map<CanonicalUrl, Promise<FetchOutcome>>();

  constructor(fetcher: Fetcher) {
    this.#fetcher = fetcher;
  }

  fetch(url: CanonicalUrl, known?: KnownVersion, onBegin?: () => void): Promise<FetchOutcome> {
    const archive = archiveOfMember(url);
    if (archive !== undefined) return this.#fetchMember(url, archive, onBegin);
    return this.#fetcher.fetch(url, known, onBegin);
  }

  crawlDelayMs(host: string): number {
    return this.#fetcher.crawlDelayMs(host);
  }

  resolve(host: string): Promise<boolean> {
    return this.#fetcher.resolve(host);
  }

  /** Keeps archives for their other members. */
  release(page: FetchedPage): void {
    if (archiveOfMember(page.url) === undefined) this.#fetcher.release?.(page);
  }

  close(): Promise<void> {
    this.#file.close();
    return this.#fetcher.close();
  }

  async #fetchMember(url: CanonicalUrl, archive: CanonicalUrl, onBegin?: () => void): Promise<FetchOutcome> {
    const outcome = this.#archives.get(archive) ?? this.#spilledArchive(archive) ?? (await this.#ask(archive, onBegin));
    if (outcome.kind === 'fetched') {
      this.#keep(outcome);
      // The archive's version, type and original URL do not apply to the member.
      const headers = { ...outcome.headers, contentType: '', charset: '', etag: '', lastModified: '', link: '' };
      return { ...outcome, url, headers };
    }
    if (outcome.kind !== 'redirected') return { ...outcome, url };
    const { status, fetchedAt } = outcome;
    const detail = `its archive has moved to ${outcome.target}`;
    return { kind: 'failed', url, retry: 'never', reason: 'http', detail, status, fetchedAt };
  }

  /** Parallel requests for one archive share one fetch. */
  #ask(archive: CanonicalUrl, onBegin?: () => void): Promise<FetchOutcome> {
    const asking = this.#asking.get(archive);
    if (asking !== undefined) return asking;
    const fresh = this.#fetcher.fetch(archive, undefined, onBegin).finally(() => this.#asking.delete(archive));
    this.#asking.set(archive, fresh);
    return fresh;
  }

  #spilledArchive(archive: CanonicalUrl): FetchedPage | undefined {
    const page = this.#spilled.get(archive);
    const body = page && this.#file.get(archive);
    return page && body && { ...page, body };
  }

  #spill(page: FetchedPage): void {
    if (this.#file.has(page.url)) return;
    this.#file.set(page.url, page.body);
    for (const url of this.#spilled.keys()) if (!this.#file.has(url)) this.#spilled.delete(url);
    if (this.#file.has(page.url)) this.#spilled.set(page.url, { ...page, body: NO_BYTES });
  }

  #keep(page: FetchedPage): void {
    this.#archives.delete(page.url);
    this.#archives.set(page.url, page);
    let bytes = [...this.#archives.values()].reduce((sum, { body }) => sum + body.byteLength, 0);
    for (const [url, archive] of this.#archives) {
      if (this.#archives.size <= 1 || (this.#archives.size <= MAX_ARCHIVES && bytes <= MAX_BYTES)) return;
      this.#spill(archive);
      this.#archives.delete(url);
      bytes -= archive.body.byteLength;
    }
  }
}

const NO_BYTES = new Uint8Array();
