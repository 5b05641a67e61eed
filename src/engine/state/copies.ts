import { type AnalyzedDocument, type CanonicalUrl, hostOf } from '../../core/index.ts';
import { type NearDuplicate, registeredDomain, type TrapGuard } from '../../crawl/index.ts';
import { SeenUrls } from './seen.ts';

/** Knows a page that was stored before under another address, by its text. */
export class Copies {
  readonly #contents = new SeenUrls();
  /** Versions of pages that say no longer what they said: they changed, or left. */
  readonly #past = new Set<number>();
  readonly #seen: SeenUrls;
  readonly #guard: TrapGuard;

  constructor(seen: SeenUrls, guard: TrapGuard) {
    this.#seen = seen;
    this.#guard = guard;
  }

  /** A page was stored, or a new version of one. */
  note(contentHash: string, page: number): void {
    if (contentHash !== '') this.#contents.add(contentHash, page);
  }

  /** A page has a newer version, or left: who says now what it said is no copy. */
  left(page: number): void {
    this.#past.add(page);
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
    const isSameSite =
      page > 0 && registeredDomain(hostOf(canonical as CanonicalUrl)) === registeredDomain(hostOf(url));
    const near = this.#guard.nearDuplicateOf(document, page > 0 ? { page, isSameSite } : undefined);
    return near === undefined || this.#past.has(near.page) ? undefined : near;
  }
}
