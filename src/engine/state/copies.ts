import { type AnalyzedDocument, type CanonicalUrl, hostOf } from '../../core/index.ts';
import { type NearDuplicate, registeredDomain, type TrapGuard } from '../../crawl/index.ts';
import { SeenUrls } from './seen.ts';

/** Knows a page that was stored before under another address, by its text. */
export class Copies {
  readonly #contents = new SeenUrls();
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

  /** The page that has this text already, if any. */
  duplicateOf(contentHash: string): number | undefined {
    return contentHash === '' ? undefined : this.#contents.pageOf(contentHash);
  }

  /** The page that this one is a copy of, by its text and by what it says of itself. */
  nearDuplicateOf(document: AnalyzedDocument, url: CanonicalUrl): NearDuplicate | undefined {
    const { canonical } = document;
    const page = canonical === '' || canonical === url ? 0 : (this.#seen.pageOf(canonical) ?? 0);
    const isSameSite =
      page > 0 && registeredDomain(hostOf(canonical as CanonicalUrl)) === registeredDomain(hostOf(url));
    return this.#guard.nearDuplicateOf(document, page > 0 ? { page, isSameSite } : undefined);
  }
}
