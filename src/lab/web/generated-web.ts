import { type CanonicalUrl, hostOf } from '../../core/index.ts';
import type { FrozenPage, FrozenWeb } from './frozen-web.ts';

/** A web with known responses: the part of {@link FrozenWeb} that runs and analyses need. */
export type RecordedWeb = Pick<FrozenWeb, 'path' | 'page' | 'has' | 'hosts' | 'urls' | 'spelling' | 'close'>;

/** A recorded web in memory, generated instead of read from an archive. */
export class MadeWeb implements RecordedWeb {
  readonly path: string;
  readonly #pages: ReadonlyMap<CanonicalUrl, FrozenPage>;

  /** @param path its name, for messages */
  constructor(path: string, pages: readonly FrozenPage[]) {
    this.path = path;
    this.#pages = new Map(pages.map((page) => [page.url, page]));
  }

  page(url: CanonicalUrl): FrozenPage | undefined {
    return this.#pages.get(url);
  }

  has(url: CanonicalUrl): boolean {
    return this.#pages.has(url);
  }

  hosts(): readonly string[] {
    return [...new Set([...this.#pages.keys()].map(hostOf))].sort();
  }

  urls(): IterableIterator<CanonicalUrl> {
    return (this.#pages as Map<CanonicalUrl, FrozenPage>).keys();
  }

  spelling(url: CanonicalUrl): string {
    return url;
  }

  close(): void {}
}
