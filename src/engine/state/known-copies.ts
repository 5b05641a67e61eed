import { type CanonicalUrl, hostOf, type VisitRecord } from '../../core/index.ts';
import { distance, type Fingerprint, type FrontierEntry } from '../../crawl/index.ts';
import { type Fields, LruMap, ownCopy } from '../../kit/index.ts';

/** Maximum number of copy addresses, about 400 bytes each. Those of the pages stored longest ago are dropped first. */
const MAX_COPIES = 20_000;
/** Maximum number of addresses per page: one that still has the text is enough. */
const COPIES_OF_ONE = 4;

interface Original {
  /** Fingerprint of the text, which the copies share; `undefined` if unknown. */
  readonly print: Fingerprint | undefined;
  readonly copies: FrontierEntry[];
}

/**
 * Addresses whose text is stored only under another address. If that page disappears or changes, they must be fetched
 * themselves: otherwise the text would be lost although it still exists. A fold over the journal; bounded.
 */
export class KnownCopies {
  readonly #originals = new LruMap<number, Original>(MAX_COPIES, ({ copies }) => copies.length);

  /**
   * Adds a page found to be a copy.
   * @param print the original's fingerprint; `undefined` if no longer known
   */
  note({ url, origin, page }: VisitRecord, print: Fingerprint | undefined): void {
    const known = this.#originals.peek(page) ?? { print, copies: [] };
    if (known.copies.length >= COPIES_OF_ONE || known.copies.some((copy) => copy.url === url)) return;
    known.copies.push(entryOf(url, origin));
    if (known.copies.length === 1) this.#originals.set(page, known);
    else this.#originals.grew(1);
  }

  /** Removes a page that disappeared. @returns the addresses of its copies, which are removed too */
  left(page: number): readonly FrontierEntry[] {
    const copies = this.#originals.peek(page)?.copies ?? [];
    this.#originals.delete(page);
    return copies;
  }

  /**
   * Replaces a page with its newer version. If the versions are alike, the copies become copies of the new one.
   * @param newer its sequence, fingerprint and addresses
   * @param alikeBits maximum number of differing bits between fingerprints of versions that are alike
   * @returns if they are not alike: the addresses of the copies, which are removed
   */
  renewed(
    older: number,
    newer: { readonly sequence: number; readonly print: Fingerprint; readonly urls: readonly string[] },
    alikeBits: number,
  ): readonly FrontierEntry[] {
    const print = this.#originals.peek(older)?.print;
    const copies = this.left(older).filter(({ url }) => !newer.urls.includes(url));
    if (print === undefined || distance(print, newer.print) > alikeBits) return copies;
    if (copies.length > 0) this.#originals.set(newer.sequence, { print, copies });
    return [];
  }

  exchange(fields: Fields): void {
    this.#originals.exchange(fields);
  }
}

/** Returns an entry like that of a new link on the page where the copy was first found. */
function entryOf(url: CanonicalUrl, origin: VisitRecord['origin']): FrontierEntry {
  const { topic, depth, tunnelDepth, priority } = origin;
  const place = { topic, depth, tunnelDepth, priority, via: 'link', from: ownCopy(origin.from) } as const;
  return { url: ownCopy(url) as CanonicalUrl, host: ownCopy(hostOf(url)), ...place, tries: 0, redirects: [] };
}
