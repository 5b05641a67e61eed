import type { CanonicalUrl } from '../../core/index.ts';
import { archiveName, type WarcArchive } from '../../warc/index.ts';
import type { Found, PageSource } from './page-source.ts';

/** Pages of WARC and WACZ files. */
export class FileSource implements PageSource {
  readonly #archive: WarcArchive;

  /** @param archive is closed with the source */
  constructor(archive: WarcArchive) {
    this.#archive = archive;
  }

  async find(url: CanonicalUrl): Promise<Found> {
    const found = this.#archive.page(url);
    if (found === undefined) return { kind: 'absent' };
    const { page, capture } = found;
    return { kind: 'page', page, capture: { archive: archiveName(capture), url: capture.url, at: page.recordedAt } };
  }

  async close(): Promise<void> {
    this.#archive.close();
  }
}
