import {
  type AnalyzedDocument,
  type CanonicalUrl,
  type PageRecord,
  siteOfUrl,
  type VisitRecord,
} from '../../core/index.ts';
import type { FrontierEntry, NearDuplicate, TrapGuard } from '../../crawl/index.ts';
import type { Fields } from '../../kit/index.ts';
import { KnownCopies } from './known-copies.ts';
import { SeenUrls } from './seen.ts';

/** Knows a page that was stored before under another address, by its text. */
export class Copies {
  readonly #contents = new SeenUrls();
  /** Versions of pages that say no longer what they said: they changed, or left. */
  readonly #past = new Set<number>();
  readonly #seen: SeenUrls;
  readonly #guard: TrapGuard;
  readonly #addresses = new KnownCopies();
  /** Bits in which the versions of a page may differ that say the same on the whole. */
  readonly #alikeBits: number;

  constructor(seen: SeenUrls, guard: TrapGuard, alikeBits: number) {
    this.#seen = seen;
    this.#guard = guard;
    this.#alikeBits = alikeBits;
  }

  /** A page was stored, or a new version of one. */
  note(contentHash: string, page: number): void {
    if (contentHash !== '') this.#contents.add(contentHash, page);
  }

  /** An address gave a copy of a page. */
  found(record: VisitRecord): void {
    this.#addresses.note(record, this.#guard.printOf(record.page));
  }

  /** A page left: who says now what it said is no copy. @returns the addresses of those that said it, to be fetched again */
  left(page: number): readonly FrontierEntry[] {
    this.#past.add(page);
    return this.#addresses.left(page);
  }

  /** The same for a page that has a newer version, unless that one is like the old one. */
  renewed(page: number, { sequence, document, url, redirects, finalUrl }: PageRecord): readonly FrontierEntry[] {
    this.#past.add(page);
    const newer = { sequence, print: document.simhash, urls: [url, ...redirects, finalUrl] };
    return this.#addresses.renewed(page, newer, this.#alikeBits);
  }

  /** A page that had left is there again. */
  isBack(page: number): void {
    this.#past.delete(page);
  }

  /** The page that has this text already, if any. */
  duplicateOf(contentHash: string): number | undefined {
    const page = contentHash === '' ? undefined : this.#contents.pageOf(contentHash);
    return page === undefined || this.#past.has(page) ? undefined : page;
  }

  /** The page that this one is a copy of, by its text and by what it says of itself. */
  nearDuplicateOf(document: AnalyzedDocument, url: CanonicalUrl): NearDuplicate | undefined {
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
