import { type CanonicalUrl, hostOf, type VisitRecord } from '../../core/index.ts';
import { distance, type Fingerprint, type FrontierEntry } from '../../crawl/index.ts';
import { type Fields, LruMap, ownCopy } from '../../kit/index.ts';

/** Addresses kept of all copies together: those of the pages that were stored longest ago go first. About 400 bytes each. */
const MAX_COPIES = 20_000;
/** Addresses kept of the copies of one page: one that still says the same is enough. */
const COPIES_OF_ONE = 4;

interface Original {
  /** Of the text that the copies had, too; `undefined`: unknown. */
  readonly print: Fingerprint | undefined;
  readonly copies: FrontierEntry[];
}

/**
 * Addresses whose text is stored under another one alone. When that page goes, or says something else, they are worth a fetch of
 * their own: else the text would be lost, although it is still there. A fold over the journal; bounded.
 */
export class KnownCopies {
  readonly #originals = new LruMap<number, Original>(MAX_COPIES, ({ copies }) => copies.length);

  /**
   * A page was found to be a copy.
   * @param print the original's; `undefined` when it is not known any more
   */
  note({ url, origin, page }: VisitRecord, print: Fingerprint | undefined): void {
    const known = this.#originals.peek(page) ?? { print, copies: [] };
    if (known.copies.length >= COPIES_OF_ONE || known.copies.some((copy) => copy.url === url)) return;
    known.copies.push(entryOf(url, origin));
    if (known.copies.length === 1) this.#originals.set(page, known);
    else this.#originals.grew(1);
  }

  /** The page left. @returns the addresses of its copies, which are forgotten */
  left(page: number): readonly FrontierEntry[] {
    const copies = this.#originals.peek(page)?.copies ?? [];
    this.#originals.delete(page);
    return copies;
  }

  /**
   * A page has a newer version. Where that one is like the old one, the copies are its copies.
   * @param newer its sequence, fingerprint and addresses
   * @param alikeBits bits in which the fingerprints of versions that are alike may differ
   * @returns else: the addresses of the copies, which are forgotten
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

/** As a link that is found anew, on the page where it was found first. */
function entryOf(url: CanonicalUrl, origin: VisitRecord['origin']): FrontierEntry {
  const { topic, depth, tunnelDepth, priority } = origin;
  const place = { topic, depth, tunnelDepth, priority, via: 'link', from: ownCopy(origin.from) } as const;
  return { url: ownCopy(url) as CanonicalUrl, host: ownCopy(hostOf(url)), ...place, tries: 0, redirects: [] };
}
