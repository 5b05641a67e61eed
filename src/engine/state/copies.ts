import {
  type AnalyzedDocument,
  type CanonicalUrl,
  type PageRecord,
  siteOfUrl,
  type Via,
  type VisitRecord,
} from '../../core/index.ts';
import type { FrontierEntry, NearDuplicate, TrapGuard } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';
import { KnownCopies } from './known-copies.ts';
import { SeenUrls } from './seen-urls.ts';

/** The stored page that another one copies, and how this was detected. */
export type Original = NearDuplicate | { readonly page: number; readonly how: 'same-content' };

/** Recognises, by its text, a page already stored under another address. */
export class Copies {
  readonly #contents = new SeenUrls();
  /** Outdated versions: their pages changed or disappeared. */
  readonly #past = new Set<number>();
  readonly #seen: SeenUrls;
  readonly #guard: TrapGuard;
  readonly #addresses = new KnownCopies();
  /** Maximum number of differing bits between versions with essentially the same content. */
  readonly #alikeBits: number;

  constructor(seen: SeenUrls, guard: TrapGuard, alikeBits: number) {
    this.#seen = seen;
    this.#guard = guard;
    this.#alikeBits = alikeBits;
  }

  /** Adds a stored page, or a new version of one. */
  note(contentHash: string, page: number): void {
    if (contentHash !== '') this.#contents.add(contentHash, page);
  }

  /** Adds an address that returned a copy of a page. */
  found(record: VisitRecord): void {
    this.#addresses.note(record, this.#guard.printOf(record.page));
  }

  /**
   * Removes a page that disappeared: its text no longer makes others copies. @returns the addresses of its copies, to
   * be fetched again
   */
  left(page: number): readonly FrontierEntry[] {
    this.#past.add(page);
    return this.#addresses.left(page);
  }

  /** Like `left`, for a page with a newer version, unless that version resembles the old one. */
  renewed(page: number, { sequence, document, url, redirects, finalUrl }: PageRecord): readonly FrontierEntry[] {
    this.#past.add(page);
    const newer = { sequence, print: document.simhash, urls: [url, ...redirects, finalUrl] };
    return this.#addresses.renewed(page, newer, this.#alikeBits);
  }

  /** Restores a page that had disappeared. */
  isBack(page: number): void {
    this.#past.delete(page);
  }

  /** Returns the page that already has this text, if any. */
  duplicateOf(contentHash: string): number | undefined {
    const page = contentHash === '' ? undefined : this.#contents.pageOf(contentHash);
    return page === undefined || this.#past.has(page) ? undefined : page;
  }

  /**
   * Returns the stored page that a fetched one copies.
   * @param via how its URL was found: a start page chosen by the user is not nearly a copy
   */
  originalOf(document: AnalyzedDocument, url: CanonicalUrl, via: Via): Original | undefined {
    const same = this.duplicateOf(document.contentHash);
    if (same !== undefined) return { page: same, how: 'same-content' };
    return via === 'seed' || via === 'sitemap' ? undefined : this.#nearDuplicateOf(document, url);
  }

  /** Returns the page that this one copies, judged by its text and its own canonical link. */
  #nearDuplicateOf(document: AnalyzedDocument, url: CanonicalUrl): NearDuplicate | undefined {
    const { canonical } = document;
    const page = canonical === '' || canonical === url ? 0 : (this.#seen.pageOf(canonical) ?? 0);
    const isSameSite = page > 0 && siteOfUrl(canonical as CanonicalUrl) === siteOfUrl(url);
    const isCurrent = (known: number): boolean => !this.#past.has(known);
    return this.#guard.nearDuplicateOf(
      document,
      page > 0 && isCurrent(page) ? { page, isSameSite } : undefined,
      isCurrent,
    );
  }

  exchange(fields: Fields): void {
    this.#contents.exchange(fields);
    fields.set(this.#past);
    this.#addresses.exchange(fields);
  }
}
